#!/usr/bin/env python3
"""What a round over parts costs, as ratios inside one run.

    bench/parts.py [--rows N] [--columns N] [--steps N] [--seed N] [--engines NAME...] [--table FILE]

Prints one JSON object a line, and writes the table of FILE anew:

- round: the time of a round of 109 coordinates on 2 workers of an engine, over that of an empty job of the
  same engine (at most 1.5);
- processes: the time of a training on 1 process over that on 2, the parts loaded before (at least 1.8);
- root: seconds that the root needs by itself to open, check and add up answers of 10^6 coordinates of
  8 parts (at most 0.2);
- death: the longest step of a training over Dask one of whose workers is killed;
- prediction: times for 10^9 records on 64 workers, which nobody has measured, from what was.

Needs the Python package (make python), and of the engines those that are named: processes, dask, spark.
For MPI, start it as `mpirun -n 3 python -m mpi4py.futures bench/parts.py --engines mpi`.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import signal
import statistics
import sys
import threading
import time

import numpy as np
import tacet
from common import origin
from tacet import _engines

PREDICTED_ROWS = 10**9
PREDICTED_WORKERS = 64


def made(source):
    """A part of random numbers: `rows columns seed`."""
    rows, columns, seed = map(int, source.split())
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rows, columns))
    return X, np.where(X[:, 0] + rng.normal(size=rows) > 0, "yes", "no")


def nothing(_):
    return b""


def schema_of(columns, rows):
    return tacet.Schema(features=tacet.numbered(columns, -1, 1), public_row_count=rows,
                        target=tacet.binary(None, positive="yes", negative="no"))


def training(schema, steps):
    return tacet.LogisticRegression(epsilon=1, delta=1e-8, schema=schema, method="gradient",
                                    steps=steps, standardise="none", random_state=1)


def sources(parts, rows, columns, seed):
    return [f"{rows // parts} {columns} {seed + k}" for k in range(parts)]


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def fit_seconds(workers, parts, rows, columns, steps, seed):
    """Seconds of a step; loading is left out by the difference of two numbers of steps."""
    schema = schema_of(columns, rows)
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        found = []
        for count in (1, steps + 1):
            over = tacet.Parts(sources(parts, rows, columns, seed), made, on=pool)
            found.append(seconds(lambda: training(schema, count).fit(over)))
    return (found[1] - found[0]) / steps


@contextlib.contextmanager
def dask_client():
    import distributed

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@contextlib.contextmanager
def spark_session():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
               .config("spark.ui.showConsoleProgress", "false")
               .config("spark.driver.bindAddress", "127.0.0.1")
               .config("spark.driver.host", "127.0.0.1").getOrCreate())
    try:
        yield session
    finally:
        session.stop()


def mpi_pool():
    from mpi4py.futures import MPIPoolExecutor

    return MPIPoolExecutor()


ENGINES = {"processes": lambda: concurrent.futures.ProcessPoolExecutor(2), "mpi": mpi_pool,
           "dask": dask_client, "spark": spark_session}


def round_seconds(name, steps, seed):
    """Medians of a round of 109 coordinates, and of an empty job, in turns on one engine."""
    schema = schema_of(108, 2000)
    with ENGINES[name]() as engine:
        run = _engines.adapter(engine).run
        rounds, empty = [], []
        for turn in range(3):
            over = tacet.Parts(sources(2, 2000, 108, seed), made, on=engine)
            taken = []

            def timed(function, arguments):
                start = time.perf_counter()
                found = run(function, arguments)
                taken.append(time.perf_counter() - start)
                return found

            over._engine = over._engine._replace(run=timed)
            training(schema, steps).fit(over)
            rounds += taken[2:-1]  # neither those that load nor the last, which forgets
            run(nothing, [0, 0])
            empty += [seconds(lambda: run(nothing, [0, 0])) for _ in range(steps)]
        return statistics.median(rounds), statistics.median(empty)


def death_seconds(seed):
    """The longest step of a training whose worker is killed; what loading a part takes."""
    schema = schema_of(108, 20000)
    load = seconds(lambda: made(f"10000 108 {seed}"))
    with dask_client() as client:
        over = tacet.Parts(sources(2, 20000, 108, seed), made, on=client)
        run = over._engine.run
        taken = []

        def timed(function, arguments):
            if len(taken) == 20:
                victim = next(iter(client.run(os.getpid).values()))
                threading.Timer(0.01, os.kill, [victim, signal.SIGKILL]).start()
            start = time.perf_counter()
            found = run(function, arguments)
            taken.append(time.perf_counter() - start)
            return found

        over._engine = over._engine._replace(run=timed)
        training(schema, 60).fit(over)
    return max(taken[2:-1]), load


def root_seconds(columns, parts):
    """Of one round, less what the parts do: they have answered before."""
    schema = schema_of(columns, parts)
    spent = []

    class Here(concurrent.futures.Executor):
        _max_workers = 1

        def submit(self, function, /, *args):
            future = concurrent.futures.Future()
            start = time.perf_counter()
            future.set_result(function(*args))
            spent.append(time.perf_counter() - start)
            return future

    over = tacet.Parts(sources(parts, parts, columns, 1), made, on=Here())
    one = seconds(lambda: training(schema, 1).fit(over)) - sum(spent)
    spent.clear()
    six = seconds(lambda: training(schema, 6).fit(over)) - sum(spent)
    return (six - one) / 5


def measured(asked):
    found = {"rounds": {}}
    for name in asked.engines:
        small, empty = round_seconds(name, 40 if name == "spark" else 200, asked.seed)
        found["rounds"][name] = {"round": small / empty, "seconds": small, "empty": empty}
        print(json.dumps({"engine": name, **found["rounds"][name]}), flush=True)
    if "processes" in asked.engines:
        times = {count: fit_seconds(count, 2, asked.rows, asked.columns, asked.steps, asked.seed)
                 for count in (1, 2)}
        found["processes"] = {"ratio": times[1] / times[2], "seconds": times, "rows": asked.rows}
        print(json.dumps({"processes": found["processes"]}), flush=True)
        found["root"] = root_seconds(10**6 - 1, 8)
        print(json.dumps({"root": found["root"]}), flush=True)
        found["row"] = times[1] / asked.rows
    if "dask" in asked.engines:
        found["death"], found["load"] = death_seconds(asked.seed)
        print(json.dumps({"death": found["death"], "load": found["load"]}), flush=True)
    return found


def predictions(found):
    """Seconds of 400 steps of `gradient` for each engine: not measured."""
    step = PREDICTED_ROWS * found["row"] / PREDICTED_WORKERS
    return {name: 400 * (step + times["empty"]) for name, times in found["rounds"].items()}


def table(found, asked):
    source = origin.origin()
    machine = source["machine"]
    lines = ["# Records in parts", "", f"By `bench/parts.py --rows {asked.rows} --columns {asked.columns} "
             f"--steps {asked.steps} --engines {' '.join(asked.engines)}`. Measured on {machine['cpu']}, "
             f"{machine['cores']} cores, commit {source['commit']}, {source['date']}. Times are seconds, "
             "ratios are of one run.", "",
             "| engine, 2 workers | empty job | round of 109 coordinates | ratio (aim: at most 1.5) |",
             "|---|---|---|---|"]
    for name, times in found["rounds"].items():
        lines.append(f"| {name} | {times['empty']:.4f} | {times['seconds']:.4f} | {times['round']:.2f} |")
    lines += [""]
    if "processes" in found:
        two = found["processes"]
        lines.append(f"- {two['rows']} x {asked.columns}: a step takes {two['seconds'][1]:.3f} on 1 process and "
                     f"{two['seconds'][2]:.3f} on 2, a ratio of {two['ratio']:.2f} (aim: at least 1.8).")
        lines.append(f"- The root's own work at 10^6 coordinates and 8 parts: {found['root']:.3f} a round "
                     "(aim: at most 0.2).")
    if "death" in found:
        lines.append(f"- The longest step when a worker of Dask is killed: {found['death']:.2f}; a part loads in "
                     f"{found['load']:.2f} (aim: at most 2 more).")
    if "row" in found:
        lines += ["", f"## A prediction: {PREDICTED_ROWS:.0e} records of {asked.columns} columns, {PREDICTED_WORKERS} workers",
                  "", "Nobody has measured this. It is what a record takes on one process above, divided among the "
                  "workers, beside the empty job of the engine on 2 workers; networks and more workers add to it.", "",
                  "| engine | 400 steps of gradient |", "|---|---|"]
        lines += [f"| {name} | {taken / 60:.0f} minutes |" for name, taken in predictions(found).items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=["processes"])
    parser.add_argument("--table", type=pathlib.Path)
    asked = parser.parse_args()
    found = measured(asked)
    if asked.table is not None:
        asked.table.write_text(table(found, asked))


if __name__ == "__main__":
    main()
