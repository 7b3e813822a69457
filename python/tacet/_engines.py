"""Ways to run a function on workers: one adapter an engine, each of one function.

``run(function, arguments)`` gives the results in the order of the arguments. Arguments and results
pass through the engine, which may keep and show them: what is private in them is sealed.
"""

from __future__ import annotations

import concurrent.futures
import os
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from .errors import UsageError

Function = Callable[[Any], Any]
Run = Callable[[Function, Sequence[Any]], List[Any]]

_DASK_LOOKS = 0.5  # seconds between looks for workers that are gone
_DASK_PATIENCE = 600.0  # seconds without any worker


class Engine(NamedTuple):
    """An engine with its workers. ``round_seconds`` is a rough figure for a round in which there is
    nothing to do; bench/parts.py measures it."""

    run: Run
    workers: int
    round_seconds: float


def adapter(on: Any) -> Engine:
    """The adapter of an engine."""
    if isinstance(on, concurrent.futures.Executor):
        return _of_executor(on)
    home = type(on).__module__.partition(".")[0]
    if home == "distributed":
        return _of_dask(on)
    if home == "pyspark":
        return _of_spark(on)
    raise UsageError(
        "on must be a concurrent.futures.Executor (a ProcessPoolExecutor, or the MPIPoolExecutor "
        f"of mpi4py.futures), a client of Dask or a session of Spark, got a {type(on).__name__}")


def _of_executor(on: Any) -> Engine:
    if isinstance(on, concurrent.futures.ThreadPoolExecutor):
        raise UsageError("on is a pool of threads; records of one process need no parts")

    def run(function: Function, arguments: Sequence[Any]) -> List[Any]:
        return [future.result() for future in [on.submit(function, one) for one in arguments]]

    count = getattr(on, "_max_workers", None) or getattr(on, "num_workers", None)
    return Engine(run, int(count or os.cpu_count() or 1), 0.002)


def _of_dask(on: Any) -> Engine:
    if getattr(on, "asynchronous", False):
        raise UsageError("on is an asynchronous client of Dask; give one that is not")

    import distributed

    wait: Any = distributed.wait  # without types

    def workers() -> List[str]:
        return sorted(on.nthreads())

    def submit(function: Function, one: Any, where: Optional[str] = None) -> Any:
        # Impure: Dask would give the result of an equal task of another run.
        return on.submit(function, one, pure=False, workers=None if where is None else [where],
                         allow_other_workers=where is not None)

    def run(function: Function, arguments: Sequence[Any]) -> List[Any]:
        # Each argument goes where it went before, where its parts are kept; to any other worker if
        # that one is gone.
        if getattr(on, "status", "running") in ("closing", "closed"):
            raise ConnectionError
        there = workers()
        places = [there[k % len(there)] if there else None for k in range(len(arguments))]
        futures = [submit(function, *pair) for pair in zip(arguments, places)]
        seen = time.monotonic()
        patience = _DASK_LOOKS
        while True:
            try:
                wait(futures, timeout=_DASK_LOOKS)
                patience *= 2  # answers may take long to come
                found: List[Any] = on.sync(lambda: on.gather(futures, asynchronous=True),
                                           callback_timeout=patience)
                return found
            except TimeoutError:
                # Dask waits for ever for the worker that a task was sent to, allowed others or not,
                # if it died while no other one was there; also if it dies with its answer.
                there = workers()
                if there:
                    seen = time.monotonic()
                elif time.monotonic() - seen > _DASK_PATIENCE:
                    raise
                busy = {key for keys in on.processing().values() for key in keys}
                for k, future in enumerate(futures):
                    gone = places[k] is not None and places[k] not in there
                    if gone and not future.done() and future.key not in busy:
                        futures[k], places[k] = submit(function, arguments[k]), None

    return Engine(run, max(1, len(workers())), 0.02)


def _of_spark(on: Any) -> Engine:
    spark = getattr(on, "sparkContext", None) if ".connect." not in type(on).__module__ else None
    if spark is None:
        raise UsageError("on is no session that Spark's driver has made (of Spark Connect, say); "
                         "give the SparkSession of the process that drives the cluster")
    places: Dict[int, Any] = {}

    def run(function: Function, arguments: Sequence[Any]) -> List[Any]:
        # Spark sends a task where the part of this data set is kept that it belongs to, and so
        # where its records were read before.
        count = len(arguments)
        if count not in places:
            places[count] = spark.parallelize(range(count), count).cache()
        found: List[Any] = places[count].map(lambda place: function(arguments[place])).collect()
        return found

    return Engine(run, max(1, spark.defaultParallelism), 0.4)
