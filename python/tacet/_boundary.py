"""The public boundary: what fails behind it takes no record along.

No value decides what happens: NumPy neither warns nor raises because of one that is no number or
too large, whatever the caller has asked it to do, who could make an error of it.

A traceback holds the frames that it went through, and frames hold what they were working on:
records. And the words of another library's error may quote a value. So frames are emptied, what was
raised before is let go, and a foreign error becomes one of ours that names its type alone.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import sys
import traceback
from typing import Any, Callable, Dict, Optional, TypeVar, cast

import numpy as np

from .errors import DataError, Error, UsageError

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OF_THE_CALLER = "_of_the_caller"
_SILENT = (Error, Warning, MemoryError)
# Arguments of scikit-learn's that are refused for a reason.
_REFUSED = {
    "sample_weight": (
        "sample_weight is refused: a weight multiplies what one record can do to the model, so that "
        "what is proved of each record would depend on its weight. class_weights weighs classes, "
        "which are public; a schema's unit bounds what a person with several records does"),
}
# What NumPy does at floating-point errors where the caller's own code runs.
_settings: "contextvars.ContextVar[Dict[str, Any]]" = contextvars.ContextVar("tacet_settings")


def boundary(function: _Function) -> _Function:
    """For functions that are called with records."""

    signature = inspect.signature(function)

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        before = sys.exception()
        words = ""
        try:
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:  # it speaks of names
                words = str(error)
                traceback.clear_frames(error.__traceback__)
            if words:
                refused = [_REFUSED[name] for name in kwargs if name in _REFUSED]
                raise UsageError(refused[0] if refused else f"{function.__name__}: {words}")
            _settings.set({**np.geterr()})
            with np.errstate(all="ignore"):
                return function(*args, **kwargs)
        except BaseException as error:
            failure = _without_records(error, before)
        del args, kwargs, before
        try:
            raise failure
        finally:
            del failure

    return cast(_Function, guarded)


def of_the_caller(callback: Optional[Callable[..., Any]]) -> Optional[Callable[..., Any]]:
    """What the caller's own function, if any, raises goes through the boundary as it is."""
    if callback is None:
        return None
    settings = _settings.get()

    def called(*args: Any) -> Any:
        try:
            with np.errstate(**settings):
                return callback(*args)
        except BaseException as error:
            setattr(error, _OF_THE_CALLER, True)
            raise

    return called


def _without_records(error: BaseException, before: Optional[BaseException]) -> BaseException:
    _empty_frames(error, before)
    if error.__dict__.pop(_OF_THE_CALLER, False):
        return error
    unfitted = type(error).__name__ == "NotFittedError"  # scikit-learn's, which is slow to load
    silent = unfitted or isinstance(error, _SILENT)
    if isinstance(error, Exception) and not silent:
        place = type(error).__module__.partition(".")[0]
        kind = type(error).__name__ if place == "builtins" else f"{place}'s {type(error).__name__}"
        return DataError(
            f"what was given could not be read: {kind}, whose words may quote a value and are left "
            "out; give a frame, an Arrow table, a mapping of columns, or an array")
    error.__cause__ = error.__context__ = None
    return error


def _empty_frames(error: Optional[BaseException], before: Optional[BaseException]) -> None:
    """Those of an error and of all that it was raised from, up to what was raised before."""
    found = [error]
    seen = {id(before)}
    while found:
        one = found.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        traceback.clear_frames(one.__traceback__)
        found += [one.__cause__, one.__context__]
