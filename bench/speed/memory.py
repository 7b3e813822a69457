#!/usr/bin/env python3
"""What training holds in memory: peak resident size against the size of the encoded records.

    bench/speed/memory.py [--program FILE]

Trains on a small and on a large generated table and divides the difference of the peaks by the
difference of the encoded sizes: 1 means that nothing grows with the file but the encoded records
(two bytes a feature and 16 a record when dense; six bytes a non-zero feature and 28 a record when
sparse; splines are features like others, and records that are written anew by released means are freed
as they are read). For the model the same is done with ten records and few or 2^20 columns: the ratio
is bytes per column, at all times of training and writing. The result goes to
bench/speed/tables/memory.md.
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
of the encoded bytes."""
ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = (2_000, 400_000)
SKETCHED_SIZES = (2_000, 100_000)
COLUMNS = 54
NONZEROS = 20
WIDTH = 5_000  # columns of the sparse table
WIDTHS = (1 << 10, 1 << 20)  # columns of the short and wide tables


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
    return dense(folder, rows, 9 * COLUMNS + 1)


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


def peak(program, data, schema, folder, options=()):
    words = [str(program), "train", str(data), "--schema", str(schema), "--epsilon", "1",
             "--steps", "10", "--threads", "1", "--quiet", "--output", str(folder / "m.json"),
             "--force", *options]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind, make, more in (
                ("dense csv", dense, ["--knots", "none"]),
                ("dense csv with splines", splines, ["--knots", "8"]),
                ("dense csv with released means", dense,
                 ["--knots", "none", "--standardise", "private"]),
                ("sparse libsvm", sparse, []),
                ("sparse libsvm, 2^30 columns by countsketch", sketched,
                 ["--projection", "countsketch", "--projection-width", "4096"])):
            rows.append(growth(options.program, folder, kind, make, more))
        rows.append(model_growth(options.program, folder))
    tables.save("speed/memory", rows)
    tables.keep("speed/memory", ABOUT, "bench/speed/memory.py", {origin.machine()["cpu"]: rows})


if __name__ == "__main__":
    main()
