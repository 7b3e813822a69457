#!/usr/bin/env python3
"""What training holds in memory: peak resident size against the size of the encoded records.

    bench/memory.py [--program FILE] [--output FILE]

Trains on a small and on a large generated table and divides the difference of the peaks by the
difference of the encoded sizes: 1 means that nothing grows with the file but the encoded records
(two bytes a feature and 16 a record when dense; six bytes a non-zero feature and 28 a record when
sparse). The result goes to bench/results/memory.json.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = (2_000, 400_000)
COLUMNS = 54
NONZEROS = 20
WIDTH = 5_000  # columns of the sparse table


def dense(folder, rows):
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
    return path, schema, rows * (2 * (COLUMNS + 1) + 16)


def sparse(folder, rows):
    generator = random.Random(rows)
    pool = [" ".join(f"{j + 1}:1" for j in sorted(generator.sample(range(WIDTH), NONZEROS)))
            for _ in range(997)]
    path = folder / f"sparse{rows}.libsvm"
    with path.open("w", encoding="utf-8") as out:
        for i in range(rows):
            out.write(f"{'+1' if i % 3 else '-1'} {pool[i % 997]}\n")
    schema = folder / f"sparse{rows}.toml"
    schema.write_text(f'name = "sparse"\npublic_row_count = {rows}\nintercept = false\n'
                      f'row_scaling = "const"\n[format]\nkind = "libsvm"\n[features]\n'
                      f'count = {WIDTH}\nlower = 0\nupper = 1\nmost_nonzero = {NONZEROS}\n'
                      f'[target]\npositive = "+1"\nnegative = "-1"\n', encoding="utf-8")
    return path, schema, rows * (6 * NONZEROS + 28)


def peak(program, data, schema, folder):
    words = [str(program), "train", str(data), "--schema", str(schema), "--epsilon", "1",
             "--steps", "10", "--threads", "1", "--quiet", "--output", str(folder / "m.json"),
             "--force"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"memory: {' '.join(words)} failed")
    return usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench/results/memory.json")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind, make in (("dense csv", dense), ("sparse libsvm", sparse)):
            peaks, sizes, files = [], [], []
            for count in SIZES:
                data, schema, encoded = make(folder, count)
                peaks.append(peak(options.program, data, schema, folder))
                sizes.append(encoded)
                files.append(data.stat().st_size)
            ratio = (peaks[1] - peaks[0]) / (sizes[1] - sizes[0])
            print(f"{kind:14} file {files[1] / 1e6:7.1f} MB  encoded {sizes[1] / 1e6:7.1f} MB  "
                  f"peak {peaks[1] / 1e6:7.1f} MB  growth / encoded {ratio:.3f}")
            rows.append({"data": kind, "records": SIZES[1], "file_bytes": files[1],
                         "encoded_bytes": sizes[1], "peak_bytes": peaks[1],
                         "growth_over_encoded": ratio})
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
