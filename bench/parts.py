#!/usr/bin/env python3
"""What a round over parts costs, as ratios inside one run.

    bench/parts.py [--engines NAME...] [--only NAME...] [--rows N] [--columns N] [--steps N] [--turns N] [--seed N]

- round: a round of 109 coordinates on 2 workers of an engine, over an empty job of the same engine, in turns
  (at most 1.5). The parts have 100 records each, so that the round is what it costs to ask, and not the sum;
- processes: the steps of a training on 1 process over those on 2, in turns, the parts loaded before (at least 1.8);
- root: seconds that the root needs by itself to ask for 10^6 coordinates of 8 parts, to open, check and add
  up the answers, to add noise and to take the step (at most 0.2 of the processor's time);
- death: the longest step of trainings over Dask one of whose workers is killed, over what loading a part
  takes (at most 2 seconds more);
- prediction: times for 10^9 records on 64 workers, which nobody has measured, from what was.

Figures are medians. They stand in bench/speed/tables/parts.md; what is not measured again stays there. Exits with
code 1 when a figure misses its aim. Needs the Python package (make python), a machine with nothing else to do and
8 GB, and of the engines those that are named: processes, dask, spark. For MPI, start it as
`mpirun -n 3 python -m mpi4py.futures bench/parts.py --engines mpi --only round`.
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
from tacet import _engines

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from common import tables  # noqa: E402

ABOUT = """Records in parts

`bench/parts.py` says what each row is. Times are seconds, medians; a ratio is of one run."""
PREDICTED_ROWS = 10**9
PREDICTED_WORKERS = 64
ROUND_RECORDS = 200
TURNS = 3


def drawn(source):
    """A part of random numbers: `rows columns seed`."""
    rows, columns, seed = map(int, source.split())
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (rows, columns)), rng


def classes(source):
    X, rng = drawn(source)
    return X, np.where(X[:, 0] + rng.normal(size=len(X)) > 0, "yes", "no")


def numbers(source):
    X, _ = drawn(source)
    return X, X[:, 0]


def nothing(_):
    return b""


def training(columns, rows, steps):
    schema = tacet.Schema(features=tacet.numbered(columns, -1, 1), public_row_count=rows,
                          target=tacet.binary(None, positive="yes", negative="no"))
    return tacet.LogisticRegression(epsilon=1, delta=1e-8, schema=schema, method="gradient",
                                    steps=steps, standardise="none", random_state=1)


def sources(parts, rows, columns, seed):
    return [f"{rows // parts} {columns} {seed + k}" for k in range(parts)]


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rounds_of(model, over, before=lambda number: None, clock=time.perf_counter):
    """When each round of a training begins and ends; the last one lets the workers forget."""
    run = over._engine.run
    begins, ends = [], []

    def timed(function, arguments):
        before(len(begins))
        begins.append(clock())
        found = run(function, arguments)
        ends.append(clock())
        return found

    over._engine = over._engine._replace(run=timed)
    model.fit(over)
    return np.array(begins), np.array(ends)


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
    here = str(pathlib.Path(__file__).resolve().parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
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


def round_seconds(name, asked):
    """Rounds of 109 coordinates, and before each of them an empty job."""
    steps, turns = {"spark": (40, 1), "dask": (60, TURNS)}.get(name, (200, TURNS))  # some are slow
    rounds, empty = [], []
    with ENGINES[name]() as engine:
        run = _engines.adapter(engine).run
        for _ in range(turns):
            over = tacet.Parts(sources(2, ROUND_RECORDS, 108, asked.seed), classes, on=engine)
            taken = []
            begins, ends = rounds_of(
                training(108, ROUND_RECORDS, steps), over,
                lambda _, taken=taken: taken.append(seconds(lambda: run(nothing, [0, 0]))))
            rounds += (ends - begins)[2:-1].tolist()  # the first two load
            empty += taken[2:-1]
    return {"engine": name, "records": ROUND_RECORDS, "empty_job": statistics.median(empty),
            "round": statistics.median(rounds)}


def process_seconds(asked):
    """A step of trainings on 1 process and on 2."""
    taken = {1: [], 2: []}
    for _ in range(asked.turns):
        for count, times in taken.items():
            with concurrent.futures.ProcessPoolExecutor(count) as pool:
                over = tacet.Parts(sources(2, asked.rows, asked.columns, asked.seed), classes, on=pool)
                begins, _ = rounds_of(training(asked.columns, asked.rows, asked.steps), over)
            times += np.diff(begins)[2:].tolist()  # the first two load
            print(json.dumps({"processes": count, "step": statistics.median(times)}), flush=True)
    one, two = (statistics.median(times) for times in taken.values())
    return {"records": asked.rows, "columns": asked.columns, "steps": len(taken[1]),
            "step_on_1_process": one, "step_on_2": two, "ratio": one / two, "at_least": 1.8}


def gram_seconds(asked):
    """A row's share of the one large round of adassp on 1 process."""
    rows = asked.rows // 8
    schema = tacet.Schema(features=tacet.numbered(asked.columns, -1, 1), public_row_count=rows,
                          target=tacet.number(None, -1, 1))
    model = tacet.Ridge(epsilon=1, delta=1e-8, schema=schema, method="adassp", random_state=1)
    taken = []
    for _ in range(TURNS):
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            over = tacet.Parts(sources(1, rows, asked.columns, asked.seed), numbers, on=pool)
            begins, ends = rounds_of(model, over)
        taken.append(float(max((ends - begins)[1:-1])))
    return statistics.median(taken) / rows


class Here(concurrent.futures.Executor):
    """An engine in this process."""

    _max_workers = 1

    def submit(self, function, /, *args):
        future = concurrent.futures.Future()
        future.set_result(function(*args))
        return future


def root_seconds(columns, parts, seed):
    """What a round takes between its answers and the next request, of which one thread does most."""
    def between(clock):
        over = tacet.Parts(sources(parts, parts, columns, seed), classes, on=Here())
        begins, ends = rounds_of(training(columns, parts, 12), over, clock=clock)
        return float(statistics.median(begins[3:-1] - ends[2:-2]))

    return {"coordinates": columns + 1, "parts": parts, "processor": between(time.process_time),
            "passed": between(time.perf_counter), "at_most": 0.2}


def death_seconds(seed):
    """The longest steps of trainings, of each of which a worker is killed."""
    load = statistics.median(seconds(lambda: classes(f"100000 108 {seed}")) for _ in range(TURNS))
    longest = []
    with dask_client() as client:
        for _ in range(TURNS):
            client.wait_for_workers(2)

            def kill(number):
                if number == 20:
                    victim = next(iter(client.run(os.getpid).values()))
                    threading.Timer(0.01, os.kill, [victim, signal.SIGKILL]).start()

            over = tacet.Parts(sources(2, 200_000, 108, seed), classes, on=client)
            begins, ends = rounds_of(training(108, 200_000, 60), over, kill)
            longest.append(float(max((ends - begins)[2:-1])))
    return {"longest_step": max(longest), "loading_a_part": load, "more": max(longest) - load,
            "at_most": 2.0}


def predictions(found):
    """Minutes for each engine: not measured."""
    share = PREDICTED_ROWS / PREDICTED_WORKERS
    step = share * found["processes"]["step_on_1_process"] / found["processes"]["records"]
    return [{"engine": name, "gradient,_400_steps": 400 * (step + times["empty_job"]) / 60,
             "adassp": (share * found["gram_row"] + 2 * times["empty_job"]) / 60}
            for name, times in found["rounds"].items()]


def measure(asked, found):
    """Adds what is asked for to what was found before; the sections that are new."""
    cpu = tables.origin.machine()["cpu"]
    new = {}

    def keep(title, row):
        new[f"{title}: {cpu}"] = row if isinstance(row, list) else [row]
        print(title, json.dumps(row), flush=True)

    for name in asked.engines if "round" in asked.only else ():
        times = found.setdefault("rounds", {})[name] = round_seconds(name, asked)
        keep(f"Round of 109 coordinates, 2 workers, {name}",
             {**times, "ratio": times["round"] / times["empty_job"], "at_most": 1.5})
    if "processes" in asked.only:
        found["processes"] = process_seconds(asked)
        found["gram_row"] = gram_seconds(asked)
        keep("One process and two", found["processes"])
    if "root" in asked.only:
        found["root"] = root_seconds(10**6 - 1, 8, asked.seed)
        keep("The root's own work", found["root"])
    if "death" in asked.only:
        found["death"] = death_seconds(asked.seed)
        keep("A worker of Dask is killed", found["death"])
    if "processes" in found and "rounds" in found:
        new[f"A prediction: {PREDICTED_ROWS:.0e} records, {PREDICTED_WORKERS} workers"] = (
            f"Minutes, which nobody has measured. It is what a record of {found['processes']['columns']} columns "
            "takes on one process above, divided among the workers, beside the empty jobs of the engine on 2 "
            "workers. Loading is left out; networks and more workers add to it.\n\n"
            + tables.markdown(predictions(found)))
    return new


def missed(rows):
    return any(row.get("ratio", row.get("more", row.get("processor", 0))) > row["at_most"]
               if "at_most" in row else row["ratio"] < row["at_least"] for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    everything = ("round", "processes", "root", "death")
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--turns", type=int, default=TURNS, help="of one process and two")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=["processes"])
    parser.add_argument("--only", nargs="+", choices=everything, default=everything)
    asked = parser.parse_args()
    raw = tables.raw("speed/parts")
    found = json.loads(raw.read_text("utf-8")) if raw.exists() else {}
    new = measure(asked, found)
    tables.save("speed/parts", found)
    tables.keep("speed/parts", ABOUT, "bench/parts.py", new)
    return 1 if any(missed(rows) for rows in new.values() if not isinstance(rows, str)) else 0


if __name__ == "__main__":
    sys.exit(main())
