#!/usr/bin/env python3
"""What it costs that records come through a pipe or a stream, or lie in a spool, as ratios.

    bench/sources.py [--program FILE] [--folder FOLDER] [--rounds N] [--threads N] [--only NAME]

Both sides of a ratio run in turns, each in a process of its own but for the last one; a ratio is that
of the medians of five rounds, of the processor's time, which other work on the machine hardly
changes, and of the time that passes:

- step: a step of the method gradient over records in a spool, over the same step in memory. It is the
  difference of runs of few and of many steps. The file of the spool fits into the page cache.
- encoding: reading a CSV file and encoding it into a spool, over the same into memory.
- pipe: `cat FILE | tacet train -`, over reading the file.
- reader: a pyarrow.RecordBatchReader, over the table that it was made from.

Exits with code 1 unless the ratios of the processor's time are at most 1.05, 1.4, 1.1 and 1.1. The
result goes to bench/speed/tables/sources.md. Needs the Python package (make python). --folder names
a folder on a disk, which needs room for 1 GB.
"""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow
import tacet

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from common import tables  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
ABOUT = """Pipes, streams and the spool beside files, tables and memory

Medians of the rounds, both sides in turns; `bench/sources.py` says what each row is."""
BARS = {"step": 1.05, "encoding": 1.4, "pipe": 1.1, "reader": 1.1}
STEP_ROWS, STEP_COLUMNS, STEPS = 500_000, 100, 120
CSV_ROWS, CSV_COLUMNS = 200_000, 50
READER_ROWS, READER_COLUMNS = 500_000, 20


def schema_text(rows, columns, kind):
    names = ", ".join(f'"x{k}"' for k in range(columns))
    features = (f"[features]\ncount = {columns}\nlower = -1\nupper = 1\n" if kind == "npy" else
                f'[[column]]\nnames = [{names}]\nkind = "numeric"\nlower = -1\nupper = 1\n')
    column = "" if kind == "npy" else 'column = "y"\n'
    return (f'public_row_count = {rows}\n[format]\nkind = "{kind}"\n[target]\n{column}'
            f'positive = "1"\nnegative = "0"\n{features}')


def write_array(folder):
    """Records as an array, which is read in little time."""
    rng = np.random.default_rng(1)
    rows = rng.uniform(-1, 1, (STEP_ROWS, STEP_COLUMNS)).astype(np.float32)
    np.save(folder / "array.npy", rows)
    np.save(folder / "array.labels.npy", (rows[:, 0] > 0).astype(np.float64))
    (folder / "array.toml").write_text(schema_text(STEP_ROWS, STEP_COLUMNS, "npy"))


def write_csv(folder):
    rng = np.random.default_rng(2)
    lines = [",".join(f"{v:.5f}" for v in rng.uniform(-1, 1, CSV_COLUMNS)) for _ in range(5000)]
    with open(folder / "table.csv", "w", encoding="ascii") as out:
        out.write(",".join(f"x{k}" for k in range(CSV_COLUMNS)) + ",y\n")
        for k in range(CSV_ROWS):
            out.write(f"{lines[k % len(lines)]},{k % 2}\n")
    (folder / "table.toml").write_text(schema_text(CSV_ROWS, CSV_COLUMNS, "csv"))


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Runs:
    """Trainings by the program; times are (processor's, passed) seconds."""

    def __init__(self, program, folder, threads):
        self.folder = folder
        self.start = [program, "train"]
        self.end = ["--epsilon", "1", "--delta", "1e-8", "--method", "gradient", "--standardise",
                    "none", "--seed", "1", "--threads", str(threads), "--quiet", "--force", "-o",
                    folder / "m.json"]

    def __call__(self, name, steps, *more, pipe=False):
        file = self.folder / name
        schema = file.with_suffix(".toml")
        sender = subprocess.Popen(["cat", file], stdout=subprocess.PIPE) if pipe else None
        before, begun = spent(), time.perf_counter()
        subprocess.run([*self.start, "-" if pipe else file, "--schema", schema, "--steps",
                        str(steps), *more, *self.end], check=True,
                       stdin=sender.stdout if sender else subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)  # what a seed means is said there
        taken = np.array([spent() - before, time.perf_counter() - begun])
        if sender:
            sender.stdout.close()
            sender.wait()
        return taken

    def step(self, *more):
        return (self("array.npy", STEPS + 1, *more) - self("array.npy", 1, *more)) / STEPS


def fit_seconds(records):
    begun, before = time.perf_counter(), time.process_time()
    schema = tacet.Schema(
        [tacet.numeric(f"x{k}", -1, 1) for k in range(READER_COLUMNS)],
        target=tacet.binary("y", positive="1", negative="0"), public_row_count=READER_ROWS)
    tacet.LogisticRegression(epsilon=1, schema=schema, steps=1, standardise="none",
                             method="gradient").fit(records)
    return np.array([time.process_time() - before, time.perf_counter() - begun])


def arrow_table():
    rng = np.random.default_rng(3)
    columns = {f"x{k}": rng.uniform(-1, 1, READER_ROWS) for k in range(READER_COLUMNS)}
    return pyarrow.table({**columns, "y": rng.integers(0, 2, READER_ROWS)})


def sides(options, folder):
    """(name, what is measured, what it is compared with)."""
    run = Runs(options.program, folder, options.threads)
    spool = ("--spool", str(folder))
    table = arrow_table()
    return [("step", lambda: run.step(*spool), run.step),
            ("encoding", lambda: run("table.csv", 1, *spool), lambda: run("table.csv", 1)),
            ("pipe", lambda: run("table.csv", 1, pipe=True), lambda: run("table.csv", 1)),
            ("reader", lambda: fit_seconds(pyarrow.RecordBatchReader.from_batches(
                table.schema, table.to_batches(1 << 16))), lambda: fit_seconds(table))]


def measured(first, second, rounds):
    """Medians of both sides, in turns; a round before them warms the caches."""
    found = ([], [])
    for k in range(rounds + 1):
        for side, times in zip((first, second), found):
            taken = side()
            if k > 0:
                times.append(taken)
    return [[float(statistics.median(taken[kind] for taken in times)) for kind in (0, 1)]
            for times in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/tacet"))
    parser.add_argument("--folder", default="/var/tmp")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", choices=BARS, help="one of the ratios; the others stay")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        write_array(folder)
        write_csv(folder)
        for what, first, second in sides(options, folder):
            if options.only not in (None, what):
                continue
            found, base = measured(first, second, options.rounds)
            rows.append({"what": what, "processor": found[0] / base[0], "at_most": BARS[what],
                         "passed": found[1] / base[1], "seconds": found[0],
                         "seconds_beside": base[0]})
            print({key: value if isinstance(value, str) else round(value, 4)
                   for key, value in rows[-1].items()}, flush=True)
    tables.save("speed/sources", rows)
    cpu = tables.origin.machine()["cpu"]
    tables.keep("speed/sources", ABOUT, "bench/sources.py",
                {f"{row['what'].capitalize()}: {cpu}": [row] for row in rows})
    return 0 if all(row["processor"] <= row["at_most"] for row in rows) else 1


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    sys.exit(main())
