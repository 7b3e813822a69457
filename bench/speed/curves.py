#!/usr/bin/env python3
"""What `train` takes with principal curves, beside lines alone, in one run.

    bench/speed/curves.py [--program FILE] [--rows N] [--columns K] [--repeats R]

N records of K normal numbers and a number to predict, one thread, epsilon 1, what `auto` chooses:
20,640 records of 8 numbers, the size of the table of California, unless told otherwise. Seconds of the
processor, the least of R (3) repeats, ways in turns; memory is the peak of the process. The way "20 steps" is a model
of few steps: what is left are the map and the rows. Bars: half a second for that size, 60
for a million records of 50 numbers. One that is missed ends the program with code 1. The table is kept in
tables/curves.md.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import hats

BARS = {(20640, 8): 0.5, (1000000, 50): 60}


def run(program, folder, words):
    """Seconds of the processor, and the peak of memory in MB."""
    command = [program, "train", "records.csv", "--schema", "schema.toml", "--epsilon", "1", "--threads",
               "1", "--seed", "1", "--output", "m.json", "--force", "--quiet", *words]
    started = subprocess.Popen([str(word) for word in command], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode != 0:
        sys.exit(f"curves: {' '.join(map(str, command))} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=hats.ROOT / "build/release/tacet")
    parser.add_argument("--rows", type=int, default=20640)
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    ways = {"lines": ["--curves", "none", "--knots", "none"], "curves, 20 steps": ["--steps", "20"], "curves": []}
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hats.write_records(folder, options.rows, options.columns)
        for _ in range(options.repeats):
            for way, words in ways.items():
                took, peak = run(options.program.resolve(), folder, words)
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
