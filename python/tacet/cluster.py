"""Records that lie in parts on many machines: the root asks, parts answer with sums."""

from __future__ import annotations

import os
import pickle
from typing import Any, Callable, List, Optional, Sequence

from . import _engine, _engines, _part_worker, _spending
from ._part_worker import Task
from ._warn import warn
from .errors import DataError, UsageError

_FORGET_AFTER = 600.0  # seconds without a request
_TOLD = "the engine's own words are left out, for they may quote a value"


class Parts:
    """Records in parts, which are read and summed where they lie.

    Training on all records is a map and a sum of integers: the root asks, the parts answer, and the
    root alone holds the budget, the key, the noise and the model. The same ``random_state`` gives
    the same model as one file with all records, whatever the engine and however they are divided.

    Parameters
    ----------
    sources : sequence of str
        One text a part: paths, queries. Never frames: an engine keeps and shows what it is given.
    load : callable
        ``load(source)`` runs on a worker and returns the part's records: a frame, an Arrow table or
        stream, or a mapping of columns, with the target among them; of a schema with numbered
        features the pair ``(X, y)``. It goes to the workers as the engine sends functions: a pool
        of processes needs one that can be imported.
    on : Executor, Dask client or Spark session
        What runs it: a ``concurrent.futures.ProcessPoolExecutor``, an ``mpi4py.futures``
        ``MPIPoolExecutor``, a ``distributed.Client``, a ``pyspark.sql.SparkSession``.
    whole : str, optional
        The schema's unit column, where all records of each unit lie in one part. All units of all
        parts are compared before anything is released, and two parts with one unit are an error;
        so is a part with more than twice the declared number. Without it a schema with a unit is
        refused.
    forget_after : float
        Seconds without a request after which a worker forgets its parts.

    Examples
    --------
    >>> import tacet
    >>> from concurrent.futures import ProcessPoolExecutor
    >>> def train(paths, schema, load):
    ...     with ProcessPoolExecutor(2) as pool:
    ...         parts = tacet.Parts(paths, load, on=pool)
    ...         return tacet.LogisticRegression(epsilon=1, schema=schema).fit(parts)
    """

    def __init__(
        self,
        sources: Sequence[str],
        load: Callable[[str], Any],
        *,
        on: Any,
        whole: Optional[str] = None,
        forget_after: float = _FORGET_AFTER,
    ) -> None:
        if isinstance(sources, (str, bytes)) or not hasattr(sources, "__iter__"):
            raise UsageError("sources is a list of texts, one a part")
        self.sources: List[str] = []
        for source in sources:
            if not isinstance(source, (str, os.PathLike)):
                raise UsageError(
                    f"sources are texts, one a part, and one is a {type(source).__name__}: an "
                    "engine keeps and shows what it is given, so that records are never sent; "
                    "load(source) reads them on the worker")
            self.sources.append(os.fspath(source))
        if not self.sources:
            raise UsageError("there are no parts; name at least one source")
        if len(set(self.sources)) < len(self.sources):
            warn("one source is named twice: its records count twice, which no privacy guarantee "
                 "knows of", UserWarning)
        if not callable(load):
            raise UsageError("load must be a function of a source")
        self.load = load
        self.whole = whole
        self.forget_after = _spending.number("forget_after", forget_after)
        if not self.forget_after > 0:
            raise UsageError("forget_after must be above 0 seconds")
        self._engine = _engines.adapter(on)

    def __len__(self) -> int:
        return len(self.sources)

    def __repr__(self) -> str:
        return f"Parts of {len(self)} sources on {self._engine.workers} workers"


class Asked:
    """One run of a training or an evaluation over parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._seal = _engine.SealKey()
        self._key = os.urandom(16)
        self._tasks = _dealt(parts, self._key, self._seal.public_key)

    @property
    def engine(self) -> Any:
        """What the engine of tacet asks through."""
        return _engine.Asking(len(self._parts), self._ask, self._seal)

    def _ask(self, request: bytes) -> List[bytes]:
        failure = ""
        try:
            found = self._parts._engine.run(
                _part_worker.answer, [(task, request) for task in self._tasks])
        except Exception as error:
            failure = _words_of(error)
        if failure:
            raise DataError(failure)
        answers = [answer for several in found for answer in several]
        if not all(isinstance(answer, bytes) for answer in answers):
            raise DataError("the engine has given back what is no answer of a part")
        return answers

    def __enter__(self) -> Asked:
        return self

    def __exit__(self, *failure: Any) -> None:
        """Workers forget. One that is not reached does so by itself after a while."""
        try:
            engine = self._parts._engine
            engine.run(_part_worker.forget, [self._key] * engine.workers)
        except Exception:  # the run's own error, if any, is what counts
            pass


def _dealt(parts: Parts, key: bytes, public_key: bytes) -> List[Task]:
    """The parts in turn to as many tasks as there are workers."""
    count = min(parts._engine.workers, len(parts))
    return [
        Task(key=key, public_key=public_key,
             parts=tuple((number, parts.sources[number])
                         for number in range(first, len(parts), count)),
             load=parts.load, forget_after=parts.forget_after)
        for first in range(count)
    ]


def _words_of(error: Exception) -> str:
    """What can be said of an engine's error without its words."""
    kind = type(error).__name__
    if isinstance(error, ImportError) or "ModuleNotFoundError" in str(error):
        return ("a worker cannot import tacet, or what load needs; install the same there "
                f"({kind}; {_TOLD})")
    if isinstance(error, (pickle.PicklingError, AttributeError)):
        return (f"load or a source cannot be sent to a worker ({kind}; {_TOLD}); a pool of "
                "processes needs a function that can be imported")
    return f"the engine ended with {kind}; {_TOLD}: see its own log"
