"""Arguments as the engine takes them, and what estimators say on a terminal."""

from __future__ import annotations

import contextvars
import os
import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator

import numpy as np
from sklearn.exceptions import DataConversionWarning

from . import _columns, _declared
from ._records import column_names, is_path, only_column
from ._records import length as length  # noqa: PLC0414
from ._warn import warn
from .errors import DataError, UsageError

_public: "contextvars.ContextVar[bool]" = contextvars.ContextVar("tacet_public", default=False)


def same_place(one: str, other: str) -> bool:
    """Whether both name one file, however they are written."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


@contextmanager
def public_evaluation() -> Iterator[None]:
    """Within it ``score`` is silent: the records that it is computed from are public.

    >>> with public_evaluation():
    ...     pass
    """
    token = _public.set(True)
    try:
        yield
    finally:
        _public.reset(token)


def evaluation_is_public() -> bool:
    """Whether a block of ``public_evaluation`` is open here."""
    return _public.get()


def warn_of_score() -> None:
    """Of scores that are no releases."""
    if not evaluation_is_public():
        warn("score is exact and tells about the records that it is computed from; where these "
             "are public say so: with tacet.public_evaluation()")


def expect_columns(**beside: Any) -> None:
    """UsageError for a text in place of an array beside the records."""
    for name, values in beside.items():
        if is_path(values):
            raise UsageError(f"{name} is an array with one value per record, and not a name; leave it out if "
                             "the table has the column")


def one_column(y: Any) -> Any:
    """The target as an array, or as Python's own list where it was one.

    A list has a label an entry, each read by itself: one that is a list of one label is that label,
    every other list is missing. So no entry decides how others are read.
    """
    if isinstance(y, (list, tuple)):
        return [_label_of(entry) for entry in y]
    names = column_names(y)
    if names is not None:
        if len(names) != 1:
            raise DataError(f"y should be a 1d array, got a table of {len(names)} columns instead")
        _warn_of_column()
        return only_column(y)
    y = _columns.plain(y, "y")
    array = _columns.array_of(y, "y")
    if array.ndim == 2 and array.shape[1] == 1:
        _warn_of_column()
        return array.ravel()
    if array.ndim != 1:
        raise DataError(f"y should be a 1d array, got one of {array.ndim} dimensions instead")
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported: y has the type {array.dtype}")
    return y if hasattr(y, "dtype") or hasattr(y, "type") else array


def _label_of(entry: Any) -> Any:
    own = _columns.own_value(entry)
    if not isinstance(own, list):
        return entry
    return own[0] if len(own) == 1 else None


def _warn_of_column() -> None:
    warn("A column-vector y was passed when a 1d array was expected. Please change the shape "
         "of y to (n_samples, ), for example using ravel().", DataConversionWarning)


def checked(function: Callable[..., Any], *args: Any, **more: Any) -> Any:
    """A check of scikit-learn's that speaks of names and numbers of columns alone."""
    words = ""
    try:
        return function(*args, **more)
    except (ValueError, TypeError) as error:
        words = str(error)
    raise DataError(words)


def option(value: Any) -> str:
    """As the command line takes it."""
    if isinstance(value, dict):
        return ",".join(f"{_declared.spelled(name)}={option(weight)}"
                        for name, weight in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(option(entry) for entry in value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def check_seed(state: Any) -> None:
    """Before a record is read, and without drawing from a generator."""
    if isinstance(state, np.random.RandomState):
        return
    if isinstance(state, (int, np.integer)) and 0 <= state < 2**64:
        return
    raise UsageError("random_state must be None, a whole number from 0 to 2**64 - 1 or a "
                     "numpy.random.RandomState; None is the operating system's randomness, every "
                     "other one protects nobody")


def seed(state: Any) -> int:
    """The number of a run; a generator gives each run another one, and moves on."""
    check_seed(state)
    if isinstance(state, np.random.RandomState):
        return int(state.randint(0, 2**63, dtype=np.int64))
    return int(state)


def thread_count(threads: Any, n_jobs: Any) -> int:
    """As the engine counts them, 0 for all: ``n_jobs`` from -1 down is all but so many, as in
    joblib. The result does not depend on them."""
    if threads is not None and n_jobs is not None:
        raise UsageError("threads and n_jobs are two words for one thing; give one of both")
    for name, value in (("threads", threads), ("n_jobs", n_jobs)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer, type(None))):
            raise UsageError(f"{name} must be a whole number")
    if n_jobs is not None and n_jobs == 0:
        raise UsageError("n_jobs is a number of threads, or -1 for all; got 0")
    count = int(threads or n_jobs or 0)
    return count if count >= 0 else max((os.cpu_count() or 1) + 1 + count, 1)


def bar(phase: str, done: int, total: int) -> None:
    """A line on a terminal, written over and over."""
    if sys.stderr.isatty():
        end = "\n" if done >= total else ""
        print(f"\r{phase}: {done} of {total}", end=end, file=sys.stderr, flush=True)
