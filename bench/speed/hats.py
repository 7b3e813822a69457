#!/usr/bin/env python3
"""What a step of `gradient` takes where numbers have hat functions, beside lines alone, in one run.

    bench/speed/hats.py [--program FILE] [--rows N] [--columns K] [--repeats R]

N records of K normal numbers and a number to predict, one thread, epsilon 1. Seconds of the
processor of a step are those of a training of 120 steps less those of one of 20, over 100; memory
is the peak of the process. Ways take turns, the least of R (3) repeats counts. Bars, of lines: 2.5 times
the seconds and 1.3 times the memory; one that is missed ends the program with code 1. The table is kept in
tables/hats.md.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAYS = {"lines": "none", "8 hats": "8", "32 hats": "32"}
STEPS = (20, 120)
BARS = {"seconds": 2.5, "memory": 1.3}


def write_records(folder, rows, columns):
    names = [f"x{k}" for k in range(columns)]
    draw = random.Random(1)
    with open(folder / "records.csv", "w", encoding="utf-8") as file:
        file.write(",".join([*names, "y"]) + "\n")
        for _ in range(rows):
            values = [draw.gauss(0, 1) for _ in names]
            file.write(",".join(f"{v:.3f}" for v in [*values, abs(values[0]) + values[-1]]) + "\n")
    (folder / "schema.toml").write_text(
        f"public_row_count = {rows}\n[target]\ncolumn = \"y\"\nlower = -5\nupper = 5\n" + "".join(
            f"[[column]]\nname = \"{name}\"\nkind = \"numeric\"\nlower = -3\nupper = 3\n"
            for name in names), encoding="utf-8")


def train(program, folder, *words):
    """Seconds of the processor, and the peak of memory in MB, of a seeded training on one thread."""
    command = [program, "train", "records.csv", "--schema", "schema.toml", "--epsilon", 1,
               "--threads", 1, "--seed", 1, "--output", "m.json", "--force", "--quiet", *words]
    started = subprocess.Popen([str(word) for word in command], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def run(program, folder, knots, steps):
    return train(program, folder, "--delta", "1e-6", "--method", "gradient", "--curves", "none",
                 "--standardise", "none", "--knots", knots, "--steps", steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    program = options.program.resolve()
    seconds, memory = {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_records(folder, options.rows, options.columns)
        for _ in range(options.repeats):
            for way, knots in WAYS.items():
                for steps in STEPS:
                    took, peak = run(program, folder, knots, steps)
                    key = way, steps
                    seconds[key] = min(took, seconds.get(key, took))
                    memory[way] = max(peak, memory.get(way, 0))
    step = {way: (seconds[way, STEPS[1]] - seconds[way, STEPS[0]]) / (STEPS[1] - STEPS[0])
            for way in WAYS}
    rows = [{"way": way, "ms a step": round(1000 * step[way], 2),
             "of lines": round(step[way] / step["lines"], 2), "peak, MB": round(memory[way]),
             "memory of lines": round(memory[way] / memory["lines"], 2)} for way in WAYS]
    tables.keep("speed/hats", "Steps with hat functions\n\nOf `gradient`, one thread, beside lines alone. At most "
                f"{BARS['seconds']} times the seconds and {BARS['memory']} times the memory were asked for.",
                f"bench/speed/hats.py --rows {options.rows}",
                {f"{options.rows} records of {options.columns} numbers": rows})
    print(tables.markdown(rows))
    worst = max(row["of lines"] for row in rows), max(row["memory of lines"] for row in rows)
    return 1 if worst[0] > BARS["seconds"] or worst[1] > BARS["memory"] else 0


if __name__ == "__main__":
    sys.exit(main())
