"""Ways to run a function on workers: one adapter an engine, each of one function.

``run(function, arguments)`` gives the results in the order of the arguments. Arguments and results
pass through the engine, which may keep and show them: what is private in them is sealed.
"""

from __future__ import annotations

import concurrent.futures
import os
from typing import Any, Callable, Dict, List, NamedTuple, Sequence

from .errors import UsageError

Function = Callable[[Any], Any]
Run = Callable[[Function, Sequence[Any]], List[Any]]


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

    def workers() -> List[str]:
        return sorted(on.nthreads())

    def run(function: Function, arguments: Sequence[Any]) -> List[Any]:
        # Each argument goes where it went before, where its parts are kept; to any other worker if
        # that one is gone. Impure: Dask would give the result of an equal task of another run.
        if getattr(on, "status", "running") in ("closing", "closed"):
            raise ConnectionError
        there = workers()
        futures = [
            on.submit(function, one, pure=False, allow_other_workers=True,
                      workers=[there[place % len(there)]] if there else None)
            for place, one in enumerate(arguments)]
        found: List[Any] = on.gather(futures)
        return found

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
