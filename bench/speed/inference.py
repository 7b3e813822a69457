#!/usr/bin/env python3
"""How long a regression with intervals takes beside `adassp` on the same records, one core.

    bench/speed/inference.py [--build FOLDER] [--rows N]

Whole fits: `tacet train` of both methods from one file of 10^6 rows and 20 columns, in turns, medians
of three. Bar: at most three times as long. Without a bar: the sums alone, of records in memory, by the
program inference_bench. The table is bench/speed/tables/inference.md.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABOUT = """Regressions with intervals beside one release of a Gram matrix

Seconds of one core; a regression goes over its records four or five times, adassp once. "Whole fits" read
a CSV file; "sums in memory" are what is left of them after that."""
BAR = 3
COLUMNS = 20


def write_records(folder, rows):
    random = np.random.default_rng(1)
    x = random.random((rows, COLUMNS)).astype(np.float32)
    y = x @ np.linspace(-1, 1, COLUMNS) + random.standard_normal(rows)
    names = ",".join(f"x{k}" for k in range(COLUMNS))
    table = np.column_stack([x, y, y > 0])
    np.savetxt(folder / "t.csv", table, fmt=["%.3f"] * (COLUMNS + 1) + ["%d"], delimiter=",",
               header=names + ",y,b", comments="")
    columns = (f"[[column]]\nnames = {json.dumps(names.split(','))}\nkind = \"numeric\"\n"
               "lower = 0\nupper = 1\n")
    head = f"public_row_count = {rows}\n[target]\n"
    (folder / "y.toml").write_text(head + 'column = "y"\nlower = -8\nupper = 8\n' + columns)
    (folder / "b.toml").write_text(head + 'column = "b"\npositive = "1"\nnegative = "0"\n' + columns)


def whole_fits(program, rows):
    sides = {"adassp": ("y", "adassp"), "linear": ("y", "inference"), "logistic": ("b", "inference")}
    seconds = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as where:
        folder = pathlib.Path(where)
        write_records(folder, rows)
        for _ in range(3):
            for side, (schema, method) in sides.items():
                words = [program, "train", "t.csv", "--schema", f"{schema}.toml", "--method", method,
                         "--epsilon", "1", "--delta", "1e-7", "--threads", "1", "--quiet", "--force",
                         "--output", "m.json"]
                start = time.perf_counter()
                subprocess.run(words, check=True, cwd=folder, stdout=subprocess.DEVNULL,
                               env={**os.environ, "LC_ALL": "C"})
                seconds[side].append(time.perf_counter() - start)
    middle = {side: statistics.median(each) for side, each in seconds.items()}
    return [{"regression": side, "rows": rows, "columns": COLUMNS, "seconds": middle[side],
             "adassp seconds": middle["adassp"], "ratio": middle[side] / middle["adassp"],
             "bar": BAR, "holds": middle[side] <= BAR * middle["adassp"]}
            for side in ("linear", "logistic")]


def sums_in_memory(program, rows):
    lines = subprocess.run([program, str(rows), str(COLUMNS)], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    found = [json.loads(line) for line in lines]
    return [{**row, "ratio": row["inference_seconds"] / row["adassp_seconds"]} for row in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--rows", type=int, default=10**6)
    options = parser.parse_args()
    fits = whole_fits((options.build / "tacet").resolve(), options.rows)
    sums = sums_in_memory(next(options.build.rglob("inference_bench")), options.rows)
    for row in fits + sums:
        print(row)
    tables.save("speed/inference", {"fits": fits, "sums": sums})
    tables.keep("speed/inference", ABOUT, f"bench/speed/inference.py --rows {options.rows}",
                {"Whole fits": fits, "Sums in memory": sums})
    return 0 if all(row["holds"] for row in fits) else 1


if __name__ == "__main__":
    sys.exit(main())
