#!/usr/bin/env python3
"""Bounds of `tacet rates` beside measured error, for 1,000 to 1,000,000 records and two ranks.

    bench/papers/rates.py [--program FILE] [--rows N,..] [--seeds N] [--picture FILE]

Records x of 40 columns, as many as the rank of which are +-1 / sqrt(rank), the others 0, and y =
<w, x> + noise with |w| = 1/2. The excess population risk of half the squared error is half
the mean square of what predictions miss the best ones by, which is measured on records without
noise. `gradient` in a ball of that radius, epsilon 1, replace_one, delta 1e-6; medians of the seeds. The
measured error should fall as the bounds do; where it falls less than half as fast from the first to
the last number of rows that is exit code 1. The picture is for the page of the bounds.
"""

import argparse
import array
import json
import math
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin, picture, tables  # noqa: E402


ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = 40
RANKS = (2, 40)
RADIUS = 0.5

SCHEMA = """public_row_count = {rows}
intercept = false
row_scaling = "clip1"
[format]
kind = "npy"
[target]
lower = -1
upper = 1
[features]
count = 40
lower = -1
upper = 1
"""
TEST_ROWS = 20000


def call(program, *words):
    run = subprocess.run([str(program), *map(str, words), "--json", "--quiet"], check=False,
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"tacet {' '.join(map(str, words))} failed:\n{run.stderr}")
    return json.loads(run.stdout)


def save(path, values, shape):
    """A file of NumPy's format, 32-bit floats."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        file.write(values)


class Problem:
    """Records of a rank, all of norm 1, by bits: a table has what each run of eight adds."""

    def __init__(self, rank):
        value = 1 / math.sqrt(rank)
        draw = random.Random(rank)
        weights = [draw.gauss(0, 1) for _ in range(rank)]
        norm = math.sqrt(math.fsum(w * w for w in weights))
        weights = [RADIUS * w / norm for w in weights]
        self.chunks = []
        for begin in range(0, rank, 8):
            part = weights[begin:begin + 8]
            table = []
            for bits in range(1 << len(part)):
                signs = [value if bits >> i & 1 else -value for i in range(len(part))]
                table.append((struct.pack(f"<{len(part)}f", *signs),
                              math.fsum(s * w for s, w in zip(signs, part))))
            self.chunks.append(table)
        self.rest = bytes(4 * (COLUMNS - rank))

    def write(self, file, rows, noise, seed):
        draw = random.Random(seed)
        points, labels = bytearray(), array.array("f")
        for _ in range(rows):
            label = noise * (2 * draw.random() - 1)
            for table in self.chunks:
                part, product = table[draw.getrandbits(8) % len(table)]
                points += part
                label += product
            points += self.rest
            labels.append(label)
        save(file, points, (rows, COLUMNS))
        save(file.with_suffix(".labels.npy"), labels.tobytes(), f"({rows},)")


def measured(options, folder, rank, rows):
    """Half the mean squared distance of predictions from the best ones: the excess risk."""
    problem = Problem(rank)
    train, test, schema, model = (folder / name for name in
                                  ("train.npy", "test.npy", "s.toml", "m.json"))
    problem.write(test, TEST_ROWS, 0, 1)
    schema.write_text(SCHEMA.format(rows=rows), encoding="utf-8")
    errors = []
    for seed in range(1, options.seeds + 1):
        problem.write(train, rows, 0.2, 100 + seed)
        call(options.program, "train", train, "--schema", schema, "--method", "gradient",
             "--radius", RADIUS, "--adjacency", "replace_one", "--epsilon", 1, "--delta", "1e-6",
             "--seed", seed, "--threads", 1, "--output", model, "--force")
        errors.append(call(options.program, "evaluate", model, test, "--public")["rmse"] ** 2 / 2)
    return statistics.median(errors)


LINES = {"measured": "measured", "lower": "lower bound", "upper_known_norm": "upper, norm known",
         "upper_unknown_norm": "upper, norm unknown"}


def draw(rows, path):
    panels = []
    for rank in RANKS:
        of_rank = [row for row in rows if row["rank"] == rank]
        panels.append((f"rank {rank} of {COLUMNS} columns",
                       [(shown, [(row["rows"], row[name]) for row in of_rank])
                        for name, shown in LINES.items()]))
    path.write_text(picture.drawn(panels, "records", "excess risk"), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    parser.add_argument("--rows", type=lambda text: [int(word) for word in text.split(",")],
                        default=[1000, 10000, 100000, 1000000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--picture", type=pathlib.Path,
                        default=ROOT / "docs/explanations/rates.svg")
    options = parser.parse_args()
    found, slow = [], []
    with tempfile.TemporaryDirectory() as folder:
        for rank in RANKS:
            for rows in options.rows:
                bounds, = call(options.program, "rates", "--rows", rows, "--columns", COLUMNS,
                               "--rank", rank, "--radius", RADIUS, "--epsilon", 1)
                found.append({"rank": rank, "rows": rows, **bounds["smooth"],
                              "measured": measured(options, pathlib.Path(folder), rank, rows)})
                print(" ".join(f"{name} {value:.3g}" for name, value in found[-1].items()),
                      flush=True)
            first, last = (row for row in (found[-len(options.rows)], found[-1]))
            fall = lambda name: math.log(first[name] / last[name])
            if fall("measured") < 0.5 * fall("upper_known_norm"):
                slow.append(rank)
    tables.save("papers/rates", found)
    tables.keep("papers/rates", "Excess risk beside the proved rates", "bench/papers/rates.py",
                {origin.machine()["cpu"]: found})
    draw(found, options.picture)
    for rank in slow:
        print(f"does not hold: at rank {rank} the error falls less than half as fast as its bound",
              file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
