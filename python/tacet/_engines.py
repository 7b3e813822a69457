"""Ways to run a function on workers: one adapter an engine, each of one function.

``run(function, arguments)`` gives the results in the order of the arguments. Arguments and results
pass through the engine, which may keep and show them: what is private in them is sealed.
"""

from __future__ import annotations

import concurrent.futures
import os
from typing import Any, Callable, List, Sequence, Tuple

from .errors import UsageError

Run = Callable[[Callable[[Any], Any], Sequence[Any]], List[Any]]


def adapter(on: Any) -> Tuple[Run, int]:
    """The adapter of an engine, and how many workers it has."""
    if isinstance(on, concurrent.futures.Executor):
        return _of_executor(on)
    home = type(on).__module__.partition(".")[0]
    if home == "distributed":
        return _of_dask(on)
    raise UsageError(
        "on must be a concurrent.futures.Executor (a ProcessPoolExecutor, or the MPIPoolExecutor "
        "of mpi4py.futures) or a client of Dask, got a "
        f"{type(on).__name__}")


def _of_executor(on: Any) -> Tuple[Run, int]:
    if isinstance(on, concurrent.futures.ThreadPoolExecutor):
        raise UsageError("on is a pool of threads; records of one process need no parts")

    def run(function: Callable[[Any], Any], arguments: Sequence[Any]) -> List[Any]:
        return [future.result() for future in [on.submit(function, one) for one in arguments]]

    count = getattr(on, "_max_workers", None) or getattr(on, "num_workers", None)
    return run, int(count or os.cpu_count() or 1)


def _of_dask(on: Any) -> Tuple[Run, int]:
    if getattr(on, "asynchronous", False):
        raise UsageError("on is an asynchronous client of Dask; give one that is not")

    def workers() -> List[str]:
        return sorted(on.nthreads())

    def run(function: Callable[[Any], Any], arguments: Sequence[Any]) -> List[Any]:
        # Each argument goes where it went before, where its parts are kept; to any other worker if
        # that one is gone. Impure: Dask would give the result of an equal task of another run.
        there = workers()
        futures = [
            on.submit(function, one, pure=False, allow_other_workers=True,
                      workers=[there[place % len(there)]] if there else None)
            for place, one in enumerate(arguments)]
        found: List[Any] = on.gather(futures)
        return found

    return run, max(1, len(workers()))
