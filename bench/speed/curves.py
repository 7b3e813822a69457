#!/usr/bin/env python3
"""What `train` takes with principal curves, beside lines alone, in one run.

    bench/speed/curves.py [--program FILE] [--rows N] [--columns K] [--repeats R]

N records of K normal numbers and a number to predict, one thread, epsilon 1, what `auto` chooses:
20,640 records of 8 numbers, the size of the table of California, unless told otherwise. Seconds are the
processor's, the least of R (3) repeats, ways in turns. Memory is the peak of the process. The way "20 steps"
shows what the map and the rows take. Bars: half a second for that size, 60 seconds for a million records of
50 numbers. A bar that is missed ends the program with code 1. The table is kept in tables/curves.md.
"""

import argparse
import pathlib
import sys
import tempfile

import hats

BARS = {(20640, 8): 0.5, (1000000, 50): 60}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=hats.ROOT / "build/release/tacet")
    parser.add_argument("--rows", type=int, default=20640)
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    ways = {"lines": ["--curves", "none", "--knots", "none"],
            "curves, 20 steps": ["--steps", "20"], "curves": []}
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hats.write_records(folder, options.rows, options.columns)
        for _ in range(options.repeats):
            for way, words in ways.items():
                took, peak = hats.train(options.program.resolve(), folder, *words)
                least, most = found.get(way, (took, peak))
                found[way] = min(took, least), max(peak, most)
    rows = [{"way": way, "s": round(took, 2), "of lines": round(took / found["lines"][0], 2),
             "peak, MB": round(peak)} for way, (took, peak) in found.items()]
    hats.tables.keep("speed/curves", "Training with principal curves\n\nOf `train`, one thread, beside lines alone. "
                     "At most half a second was asked for 20640 records of 8 numbers, 60 seconds for 1000000 of 50.",
                     f"bench/speed/curves.py --rows {options.rows} --columns {options.columns}",
                     {f"{options.rows} records of {options.columns} numbers": rows})
    print(hats.tables.markdown(rows))
    bar = BARS.get((options.rows, options.columns))
    return 1 if bar is not None and found["curves"][0] > bar else 0


if __name__ == "__main__":
    sys.exit(main())
