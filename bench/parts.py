#!/usr/bin/env python3
"""What a round over parts costs, as ratios inside one run.

    bench/parts.py [--rows N] [--columns N] [--steps N] [--seed N]

Prints one JSON object a line:

- round: the time of a round of 109 coordinates on 2 processes, over that of an empty job of the same pool;
- processes: the time of a training on 1 process over that on 2, the parts loaded before;
- root: seconds that the root needs by itself to open, check and add up answers of 10^6 coordinates of
  8 parts;
- prediction: times for 10^9 records on 64 workers, which nobody has measured, from what was.

Needs the Python package (make python).
"""

import argparse
import concurrent.futures
import json
import os
import statistics
import tempfile
import time

import numpy as np
import tacet
from tacet import cluster

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


def empty_round(workers, rounds):
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        run = cluster._engines.adapter(pool).run
        run(nothing, [0] * workers)
        return statistics.median(seconds(lambda: run(nothing, [0] * workers))
                                 for _ in range(rounds))


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()

    small = fit_seconds(2, 2, 2000, 108, 200, asked.seed)
    empty = empty_round(2, 200)
    print(json.dumps({"round": small / empty, "seconds": small, "empty": empty}))
    times = {count: fit_seconds(count, 2, asked.rows, asked.columns, asked.steps, asked.seed)
             for count in (1, 2)}
    print(json.dumps({"processes": times[1] / times[2], "seconds": times, "rows": asked.rows}))
    print(json.dumps({"root": root_seconds(10**6 - 1, 8)}))
    row = times[1] / asked.rows
    print(json.dumps({
        "prediction": "not measured", "rows": PREDICTED_ROWS, "workers": PREDICTED_WORKERS,
        "seconds_a_step": PREDICTED_ROWS * row / PREDICTED_WORKERS + empty}))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
