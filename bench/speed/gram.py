#!/usr/bin/env python3
"""How long method `adassp` takes beside NumPy's product of the same matrix with itself, one core.

    bench/speed/gram.py [--build FOLDER]

Sums of products, their release and the coefficients, from records in memory, by the program
gram_bench; beside it `X.T @ X` of float64 in this process. Needs NumPy; sides take turns, the best
of five turns of each counts. Bars: 1.5 times NumPy at 10^6 rows of 100 columns, 0.2 s at 20. The
table is bench/speed/tables/gram.md.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import numpy  # noqa: E402  (after the number of its threads)

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin, tables  # noqa: E402


ROOT = pathlib.Path(__file__).resolve().parents[2]
ABOUT = f"""Sums of products beside NumPy

Seconds with the release, sum seconds without it; NumPy {numpy.__version__}."""
SIZES = ((10**6, 100), (10**6, 20))


def numpy_seconds(rows, columns):
    x = numpy.random.default_rng(1).standard_normal((rows, columns))
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        x.T @ x
        best = min(best, time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options = parser.parse_args()
    program = next(options.build.rglob("gram_bench"))
    rows, missed = [], 0
    for size in SIZES:
        ours = json.loads(subprocess.run([program, *map(str, size)], check=True,
                                         capture_output=True, text=True).stdout)
        theirs = numpy_seconds(*size)
        row = {**ours, "numpy_seconds": theirs, "ratio": ours["seconds"] / theirs}
        row["holds"] = row["ratio"] <= 1.5 if size[1] == 100 else row["seconds"] <= 0.2
        missed += not row["holds"]
        print(row, flush=True)
        rows.append(row)
    tables.save("speed/gram", {"numpy": numpy.__version__, "rows": rows})
    tables.keep("speed/gram", ABOUT, "bench/speed/gram.py", {origin.machine()["cpu"]: rows})
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
