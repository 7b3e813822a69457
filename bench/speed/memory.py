#!/usr/bin/env python3
"""What training holds in memory: peak resident size against the size of the encoded records.

    bench/speed/memory.py [--program FILE] [--only growth|pipe]

Trains on a small and on a large generated table and divides the difference of the peaks by the
difference of the encoded sizes: 1 means that nothing grows with the file but the encoded records
(two bytes a feature and 16 a record when dense; six bytes a non-zero feature and 28 a record when
sparse; two bytes a number with knots and 34 a record where there are 16 numbers or more, and records
that are written anew by released means are freed as they are read). For the model the same is done with
ten records and few or 2^20 columns: the ratio is bytes per column, at all times of training and writing.

A file of 1 GB then comes through a pipe, which may take at most 4 MB more than the file does: exit code
1 where it takes more. The result goes to bench/speed/tables/memory.md.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin, tables  # noqa: E402


ABOUT = """Memory of training over the encoded records

The peak of a process on a small and on a large file; growth is the difference of the peaks over that
of the encoded bytes. Below: the peak where a large file is read by its name, and where `cat` sends it."""
ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = (2_000, 400_000)
SKETCHED_SIZES = (2_000, 100_000)
COLUMNS = 54
NONZEROS = 20
WIDTH = 5_000  # columns of the sparse table
WIDTHS = (1 << 10, 1 << 20)  # columns of the short and wide tables
PIPED_ROWS = 2_450_000  # 1 GB of text
PIPE_AT_MOST = 4_000_000  # bytes


def dense(folder, rows, features=COLUMNS + 1):
    generator = random.Random(rows)
    pool = [",".join(f"{generator.uniform(-1, 1):.4f}" for _ in range(COLUMNS))
            for _ in range(997)]
    path = folder / f"dense{rows}.csv"
    with path.open("w", encoding="utf-8") as out:
        out.write(",".join(f"x{j}" for j in range(COLUMNS)) + ",y\n")
        for i in range(rows):
            out.write(f"{pool[i % 997]},{'yes' if i % 3 else 'no'}\n")
    schema = folder / f"dense{rows}.toml"
    columns = "".join(f'[[column]]\nname = "x{j}"\nkind = "numeric"\nlower = -1\nupper = 1\n'
                      for j in range(COLUMNS))
    schema.write_text(f'name = "dense"\npublic_row_count = {rows}\n[target]\ncolumn = "y"\n'
                      f'positive = "yes"\nnegative = "no"\n{columns}', encoding="utf-8")
    return path, schema, rows * (2 * features + 16)


def splines(folder, rows):
    """Of a number with knots a row has its position, of two bytes; all of them share 18 bytes more."""
    return dense(folder, rows, COLUMNS + 9)


def sparse(folder, rows, width=WIDTH, nonzeros=NONZEROS):
    generator = random.Random(rows)
    pool = [" ".join(f"{j + 1}:1" for j in sorted(generator.sample(range(width), nonzeros)))
            for _ in range(997)]
    path = folder / f"sparse{rows}.libsvm"
    with path.open("w", encoding="utf-8") as out:
        for i in range(rows):
            out.write(f"{'+1' if i % 3 else '-1'} {pool[i % 997]}\n")
    schema = folder / f"sparse{rows}.toml"
    schema.write_text(f'name = "sparse"\npublic_row_count = {rows}\nintercept = false\n'
                      f'row_scaling = "const"\n[format]\nkind = "libsvm"\n[features]\n'
                      f'count = {width}\nlower = 0\nupper = 1\nmax_nonzero = {nonzeros}\n'
                      f'[target]\npositive = "+1"\nnegative = "-1"\n', encoding="utf-8")
    return path, schema, rows * (6 * nonzeros + 28)


def sketched(folder, rows):
    return sparse(folder, rows, 1 << 30, 60)


def peak(program, data, schema, folder, options=(), piped=False):
    words = [str(program), "train", "-" if piped else str(data), "--schema", str(schema),
             "--epsilon", "1", "--steps", "10", "--threads", "1", "--quiet", "--output",
             str(folder / "m.json"), "--force", *options]
    sender = subprocess.Popen(["cat", data], stdout=subprocess.PIPE) if piped else None
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL,
                               stdin=sender.stdout if piped else subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if piped:
        sender.stdout.close()
        sender.wait()
    if status != 0:
        raise SystemExit(f"memory: {' '.join(words)} failed")
    return usage.ru_maxrss * 1024


def growth(program, folder, kind, make, options=()):
    sides = []
    for count in SKETCHED_SIZES if make is sketched else SIZES:
        data, schema, encoded = make(folder, count)
        sides.append({"records": count, "file_bytes": data.stat().st_size,
                      "encoded_bytes": encoded,
                      "peak_bytes": peak(program, data, schema, folder, options)})
    small, large = sides
    ratio = ((large["peak_bytes"] - small["peak_bytes"])
             / (large["encoded_bytes"] - small["encoded_bytes"]))
    print(f"{kind:30} file {large['file_bytes'] / 1e6:7.1f} MB  encoded "
          f"{large['encoded_bytes'] / 1e6:7.1f} MB  peak {large['peak_bytes'] / 1e6:7.1f} MB  "
          f"growth / encoded {ratio:.3f}")
    return {"data": kind, "small": small, "large": large, "growth_over_encoded": ratio}


def model_growth(program, folder):
    sides = []
    for width in WIDTHS:
        data, schema, _ = sparse(folder, 10, width)
        sides.append({"columns": width, "peak_bytes": peak(program, data, schema, folder),
                      "model_file_bytes": (folder / "m.json").stat().st_size})
    small, large = sides
    ratio = (large["peak_bytes"] - small["peak_bytes"]) / (large["columns"] - small["columns"])
    print(f"{'wide model':30} file {large['model_file_bytes'] / 1e6:7.1f} MB  peak "
          f"{large['peak_bytes'] / 1e6:7.1f} MB  bytes per column {ratio:.0f}")
    return {"data": "10 records of many columns", "small": small, "large": large,
            "bytes_per_column": ratio}


def growths(program, folder):
    rows = []
    for kind, make, more in (
            ("dense csv", dense, ["--knots", "none"]),
            ("dense csv with splines", splines, ["--knots", "8"]),
            ("dense csv with released means", dense,
             ["--knots", "none", "--standardise", "private"]),
            ("sparse libsvm", sparse, []),
            ("sparse libsvm, 2^30 columns by countsketch", sketched,
             ["--projection", "countsketch", "--projection-width", "4096"])):
        rows.append(growth(program, folder, kind, make, more))
    return [*rows, model_growth(program, folder)]


def pipe_growth(program, folder):
    """Three runs of each side: the largest peak through the pipe less the smallest of the file."""
    data, schema, encoded = dense(folder, PIPED_ROWS)
    options = ["--knots", "none"]
    sides = [(peak(program, data, schema, folder, options),
              peak(program, data, schema, folder, options, piped=True)) for _ in range(3)]
    files, pipes = zip(*sides)
    more = max(pipes) - min(files)
    row = {"data": "dense csv", "records": PIPED_ROWS, "file_bytes": data.stat().st_size,
           "encoded_bytes": encoded, "peak_of_file": list(files), "peak_through_pipe": list(pipes),
           "more_through_pipe": more, "at_most": PIPE_AT_MOST}
    print(row)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    parser.add_argument("--only", choices=("growth", "pipe"), help="the other part stays")
    options = parser.parse_args()
    cpu = origin.machine()["cpu"]
    sections = {}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        if options.only != "pipe":
            sections[cpu] = growths(options.program, folder)
        if options.only != "growth":
            piped = pipe_growth(options.program, folder)
            sections[f"Pipe: {cpu}"] = [piped]
    tables.save("speed/memory", sections)
    tables.keep("speed/memory", ABOUT, "bench/speed/memory.py", sections)
    too_much = options.only != "growth" and piped["more_through_pipe"] > PIPE_AT_MOST
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
