#!/usr/bin/env python3
"""How long a fit by method `inference` takes beside one by `adassp` on the same records, one core.

    bench/speed/inference.py [--build FOLDER]

Records in memory, by the program inference_bench: sides take turns, medians of five. Bar: 10^6 rows
of 20 columns take at most three times as long. The table is bench/speed/tables/inference.md.
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABOUT = """Regressions with intervals beside one release of a Gram matrix

Seconds of one core for a whole fit; a linear regression reads its records four times, a logistic
one five times, adassp once."""
BAR = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    program = next(parser.parse_args().build.rglob("inference_bench"))
    lines = subprocess.run([program, str(10**6), "20"], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        row["ratio"] = row["inference_seconds"] / row["adassp_seconds"]
        row["holds"] = row["ratio"] <= BAR
        print(row)
    tables.save("speed/inference", rows)
    tables.keep("speed/inference", ABOUT, "bench/speed/inference.py", {"Fits": rows})
    return 0 if all(row["holds"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
