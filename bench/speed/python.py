#!/usr/bin/env python3
"""The Python package beside diffprivlib, and beside the program: what models are worth, and speed.

    TACET_DATA=FOLDER bench/speed/python.py [--only utility,speed,memory] [--program FILE] [--seeds N]
                                     

After `make python`, whose environment it runs in; diffprivlib gets one of its own below
build/python, with the scikit-learn that it still imports beside.

Utility: Adult, bank marketing, California housing, at epsilon 0.1, 1 and 4; medians over seeds of
accuracy or R2 on records that were not trained on. `tacet` is `auto` at delta 1e-5, `tacet, pure`
the same at delta 0, which is diffprivlib's own guarantee. diffprivlib gets its numbers scaled by
their public bounds, categories as indicators, and the norm that follows from the schema declared;
once with its default C and once with the best C of five, with hindsight. `tacet` has to be at or
above both everywhere. Seconds are of one fit, on one thread.

Speed: processor seconds of a fit from an array of 500,000 x 54 doubles and from pandas Adult, over
those of the program on the same records in a file, by turns; rows predicted a second; how much a
second thread that computes in Python slows a fit; seconds of `import tacet`. Memory: what a fit
takes at most beyond the caller's records, over encoded records and 48 MB.

A bar that is missed is exit code 1. The result goes to bench/speed/tables/python.md,
a section for each part.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin, tables  # noqa: E402


ABOUT = "The Python package beside the program and beside diffprivlib"
ROOT = origin.ROOT
HERE = ROOT / "build/python"
OURS = HERE / "venv/bin/python"
THEIRS = HERE / "diffprivlib/bin/python"
PACKAGES = ["diffprivlib==0.6.6", "scikit-learn==1.5.*"]
SIDES = pathlib.Path(__file__).resolve().with_name("python_sides.py")
ROWS, COLUMNS = 500_000, 54
ROUNDS = 5
EXTRA_BYTES = 48 * 2**20
MAX = {"fit_array_over_program": 1.15, "fit_adult_over_program": 1.1, "busy_thread": 1.2,
        "import_seconds": 0.15, "memory_array": 1.0, "memory_arrow": 1.0}
MIN = {"predicted_rows_per_second": 2e6}


def side(python, *words):
    run = subprocess.run([python, SIDES, *map(str, words)], check=True, stdout=subprocess.PIPE,
                         text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return json.loads(run.stdout.splitlines()[-1])


def environment():
    if not THEIRS.exists():
        subprocess.run([sys.executable, "-m", "venv", HERE / "diffprivlib"], check=True)
        subprocess.run([THEIRS, "-m", "pip", "--disable-pip-version-check", "install", "-q",
                        *PACKAGES], check=True)


def utility(data, seeds):
    environment()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        side(OURS, "prepare", data, folder)
        ours = side(OURS, "ours", folder, data, seeds)
        theirs = side(THEIRS, "theirs", folder, seeds)
    rows = ours.pop("rows") + theirs.pop("rows")
    for row in rows:
        row["median"] = statistics.median(row["scores"])
    missed = []
    print(f"{'':20} {'epsilon':>7} {'tacet':>8} {'pure':>8} {'diffprivlib':>11} {'best C':>8}"
          f"  seconds")
    for name, epsilon in dict.fromkeys((row["data"], row["epsilon"]) for row in rows):
        cell = {row["way"].split(" of ")[0]: row for row in rows
                if (row["data"], row["epsilon"]) == (name, epsilon)}
        shown = [f"{cell[way]['median']:.4f}" if way in cell else "" for way in
                 ("tacet", "tacet, pure", "diffprivlib", "diffprivlib, best")]
        print(f"{name:20} {epsilon:7} {shown[0]:>8} {shown[1]:>8} {shown[2]:>11} {shown[3]:>8}"
              f"  {cell['tacet']['seconds']:.3f}, {cell['diffprivlib']['seconds']:.3f}")
        missed += [f"{name}, epsilon {epsilon}: tacet {shown[0]}, {row['way']} {row['median']:.4f}"
                   for row in cell.values() if row["median"] > cell["tacet"]["median"]]
    return {"seeds": seeds, "tacet": ours, "diffprivlib": theirs, "rows": rows}, missed


def program_seconds(program, *words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def make_array(folder):
    """Numbers between -1 and 1, and labels that follow the first ones."""
    words = ("import numpy as np; random = np.random.default_rng(1); "
             f"X = random.uniform(-1, 1, ({ROWS}, {COLUMNS})); "
             f"np.save({str(folder / 'x.npy')!r}, X); "
             f"np.save({str(folder / 'x.labels.npy')!r}, (X[:, 0] + X[:, 1] > 0).astype(float))")
    subprocess.run([OURS, "-c", words], check=True)
    (folder / "x.toml").write_text(
        f'public_row_count = {ROWS}\n[format]\nkind = "npy"\n[features]\ncount = {COLUMNS}\n'
        'lower = -1\nupper = 1\n[target]\npositive = "1"\nnegative = "0"\n', encoding="utf-8")
    return folder / "x.npy"


def import_seconds():
    words = "import time; a = time.perf_counter(); import tacet; print(time.perf_counter() - a)"
    return statistics.median(float(subprocess.run(
        [OURS, "-c", words], check=True, capture_output=True, text=True).stdout) for _ in range(9))


def speed(program, data, folder):
    train = ["--epsilon", "1", "--delta", "1e-6", "--threads", "1", "--seed", "1", "--force",
             "--output", folder / "m.json"]
    array = make_array(folder)
    adult = folder / "adult.csv"
    with adult.open("wb") as out:
        subprocess.run(["gzip", "-dc", data / "adult/adult.train.csv.gz"], check=True, stdout=out)
    schema = ROOT / "data/schemas/adult.toml"
    ratios = {"fit_array_over_program": [], "fit_adult_over_program": []}
    for _ in range(ROUNDS):
        for name, what, file, rules in (
                ("fit_array_over_program", "fit-array", array, folder / "x.toml"),
                ("fit_adult_over_program", "fit-adult", adult, schema)):
            theirs = program_seconds(program, "train", file, "--schema", rules, *train)
            found = side(OURS, what, file)["cpu_seconds"]
            ratios[name].append({"python": found, "program": theirs, "ratio": found / theirs})
    values = {name: statistics.median(run["ratio"] for run in runs)
              for name, runs in ratios.items()}
    values["predicted_rows_per_second"] = side(OURS, "predict-array", array)["rows_per_second"]
    values["busy_thread"] = side(OURS, "busy-thread", array)["ratio"]
    values["import_seconds"] = import_seconds()
    return values, ratios


def memory(folder):
    array = folder / "x.npy"
    if not array.exists():
        make_array(folder)
    found = {what: side(OURS, what.replace("_", "-"), array)
             for what in ("memory_array", "memory_arrow")}
    return {what: sides["bytes"] / (sides["encoded"] + EXTRA_BYTES)
            for what, sides in found.items()}, found


def judged(values):
    missed = []
    for name, value in values.items():
        bar, above = (MAX[name], False) if name in MAX else (MIN[name], True)
        print(f"{name:26} {value:12.4g}  bar {bar:g}")
        if value < bar if above else value > bar:
            missed.append(f"{name} is {value:.4g}, the bar {bar:g}")
    return missed


def pairs(values):
    return [{"what": name, "value": value} for name, value in values.items()]


def keep(part, title, content):
    tables.keep("speed/python", ABOUT, f"bench/speed/python.py --only {part}", {title: content})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    parser.add_argument("--only", default="utility,speed,memory")
    parser.add_argument("--seeds", type=int, default=5)
    return parser.parse_args()


def main():
    options = arguments()
    parts = options.only.split(",")
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    if not OURS.exists():
        sys.exit("the package is missing: make python")
    data = pathlib.Path(os.environ["TACET_DATA"]).resolve()
    missed = []
    if "utility" in parts:
        found, missed = utility(data, options.seeds)
        tables.save("speed/python_utility", found)
        keep("utility", "Scores beside diffprivlib",
             f"Medians of {options.seeds} seeds; tacet {found['tacet']['version']}, diffprivlib "
             f"{found['diffprivlib']['version']} with scikit-learn "
             f"{found['diffprivlib']['scikit-learn']}.\n\n" + tables.markdown(found["rows"]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "speed" in parts:
            values, runs = speed(options.program, data, folder)
            missed += judged(values)
            keep("speed", "Speed", tables.markdown(pairs(values)) + "\n\nThe fits, seconds:\n\n"
                 + tables.markdown([{"fit": name, **run} for name, each in runs.items()
                                    for run in each]))
        if "memory" in parts:
            values, sides = memory(folder)
            missed += judged(values)
            keep("memory", "Memory", [{"what": name, "of the encoded records": values[name], **each}
                                      for name, each in sides.items()])
    for line in missed:
        print(f"does not hold: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
