#!/usr/bin/env python3
"""What numbers around their middle do to methods and losses other than the default.

    TACET_DATA=FOLDER bench/utility/encoding.py [--program FILE] [--only WORD] [--seeds N]

Every cell is the median over seeds 1 to 5 of a metric on records that were not trained on, once
with the schema pinned to `encoding = 1` (the rules of version 0.1.0) and once as it is shipped. The
sets are split as in bench/utility/utility.py. Then the seconds of a pass over Adult, with splines and
without, by stored number. The table is bench/utility/tables/encoding.md.
"""

import argparse
import csv
import gzip
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import tomllib

import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

REPLACE = ["--adjacency", "replace_one"]
PURE = ["--delta", "0"]

# name, set, options, metric, epsilons
ROWS = [
    ("gradient, replace_one: adult", utility.ADULT, REPLACE, "accuracy", (0.1, 0.5, 1, 4)),
    ("gradient, replace_one: california", utility.CALIFORNIA, REPLACE, "r2", (0.1, 0.5, 1, 4)),
    ("gradient, replace_one: wine", utility.WINE, REPLACE, "r2", (0.1, 0.5, 1, 4)),
    ("hinge: adult", utility.ADULT, ["--loss", "hinge"], "accuracy", (0.1, 1, 4)),
    ("hinge: covertype", utility.COVERTYPE, ["--loss", "hinge"], "accuracy", (0.1, 1, 4)),
    ("huber: california", utility.CALIFORNIA, ["--loss", "huber"], "mae", (0.1, 1, 4)),
    ("absolute: california", utility.CALIFORNIA, ["--loss", "absolute"], "mae", (0.1, 1, 4)),
    ("absolute: wine", utility.WINE, ["--loss", "absolute"], "mae", (0.1, 1, 4)),
    ("objective: adult", utility.ADULT, ["--method", "objective"], "accuracy", (0.1, 1, 4)),
    ("objective, pure: adult", utility.ADULT, ["--method", "objective", *PURE], "accuracy",
     (0.1, 1, 4)),
    ("objective: bank", utility.BANK, ["--method", "objective"], "auc", (0.1, 1, 4)),
    ("output: adult", utility.ADULT, ["--method", "output"], "accuracy", (0.1, 1, 4)),
    ("output: california", utility.CALIFORNIA, ["--method", "output"], "r2", (1, 4)),
    ("regularized-output: adult", utility.ADULT, ["--method", "regularized-output"], "accuracy",
     (0.1, 1, 4)),
    ("regularized-output: california", utility.CALIFORNIA, ["--method", "regularized-output"],
     "r2", (1, 4)),
    ("ladder, pure: adult", utility.ADULT, ["--method", "ladder", *PURE], "accuracy", (0.1, 1, 4)),
    ("ladder, pure: california", utility.CALIFORNIA, ["--method", "ladder", *PURE], "r2", (1, 4)),
    ("several classes: mnist", ("mnist", "mnist/train-images-idx3-ubyte.gz",
                                "mnist/t10k-images-idx3-ubyte.gz"), [], "accuracy", (1,)),
    ("units of a day: bike", ("bike_hour_days", "bike_hour/hour.csv.gz", None),
     ["--max-records-per-unit", "24"], "r2", (1, 4)),
    ("units of a day, around middles: bike",
     ("bike_hour_days_middles", "bike_hour/hour.csv.gz", None), ["--max-records-per-unit", "24"], "r2",
     (1, 4)),
    ("77 classes of text: banking77", ("banking77", "banking77/banking77.train.csv.gz",
                                       "banking77/banking77.test.csv.gz"), [], "accuracy", (4,)),
]
# Where the clipping norm of the default is not taken; each is tried with it.
UNRULED = {"hinge: adult": True, "hinge: covertype": True, "huber: california": False,
           "absolute: california": False, "absolute: wine": False,
           "several classes: mnist": True, "units of a day: bike": False,
           "units of a day, around middles: bike": False,
           "77 classes of text: banking77": True}  # of classes


def ruled_norm(bench, schema, options, epsilon, classes):
    """The clipping norm that the rule has for two classes or numbers, by the plan's noise."""
    words = [*options] if "--delta" in options else [*options, "--delta", "1e-5"]
    plan = bench.call("plan", "--schema", schema, "--epsilon", epsilon, *words)
    values = plan["columns"] * plan.get("outputs", 1)
    one_release = plan["noise_multiplier"] / math.sqrt(plan["steps"])
    noise = math.sqrt(values) * one_release / plan["public_row_count"]
    norm = 0.5 * math.sqrt(0.01 / noise) if classes else 0.25 * (0.005 / noise) ** 0.3
    return min(max(norm, 0.5 if classes else 0.125), 1 if classes else 0.5)


class Encodings(utility.Bench):
    """Adds schemas that are not shipped: another unit, another set."""

    def banking(self, first):
        with gzip.open(self.data / "banking77/banking77.train.csv.gz", "rt", encoding="utf-8",
                       newline="") as stream:
            records = list(csv.DictReader(stream))
        classes = sorted({record["category"] for record in records})
        file = self.folder / f"banking77_{first}.toml"
        file.write_text(("encoding = 1\n" if first else "")
                        + f"public_row_count = {len(records)}\n[target]\ncolumn = \"category\"\n"
                        f"classes = {json.dumps(classes)}\nunknown = {json.dumps(classes[0])}\n"
                        "[[column]]\nname = \"text\"\nkind = \"text\"\nbits = 12\n",
                        encoding="utf-8")
        return file

    def schema(self, name, first):
        if name == "banking77":
            return self.banking(first)
        if not name.startswith("bike_hour_days"):
            return super().schema(name, [utility.FIRST] if first else [])
        text = (utility.SCHEMAS / "bike_hour.toml").read_text("utf-8")
        if name.endswith("middles"):  # of readings, which count from 0 as shipped
            text = text.replace('"windspeed"]\n', '"windspeed"]\ntypical = 0.5\n')
        if first:
            text = "".join(line for line in text.splitlines(keepends=True)
                           if not line.startswith(utility.NEWER_KEYS))
        file = self.folder / f"{name}_{first}.toml"
        head = 'unit = "dteday"\n' + ("encoding = 1\n" if first else "")
        file.write_text(head + text.replace('"dteday", ', ""), encoding="utf-8")
        return file


def compare(bench, only):
    for name, (schema, train, test), options, metric, epsilons in ROWS:
        if only not in name:
            continue
        sources = [bench.data / t for t in ((train,) if isinstance(train, str) else train)]
        missing = [source for source in sources if not source.exists()]
        if missing:
            print(f"{name}: {missing[0]} is not below TACET_DATA; left out", file=sys.stderr)
            continue
        files = {first: bench.schema(schema, first) for first in (True, False)}
        common = list(options)
        if test is None:
            *parts, count = utility.split(sources, files[True].read_text("utf-8"), bench.folder)
            common += ["--public-row-count", str(count)]
        else:
            parts = [sources[0], bench.data / test]
        for epsilon in epsilons:
            before, after = (bench.score(files[first], *parts, common, epsilon, metric)
                             for first in (True, False))
            ruled = norm = None
            if name in UNRULED:
                norm = ruled_norm(bench, files[False], common, epsilon, UNRULED[name])
                ruled = bench.score(files[False], *parts, [*common, "--clipping-norm", f"{norm}"],
                                    epsilon, metric)
            tried = "" if ruled is None else f"{ruled:10.4f} (clipping norm {norm:.3f})"
            print(f"{name:36} epsilon {epsilon:<5} {metric:9} {before:10.4f} {after:10.4f} {tried}",
                  flush=True)
            yield {"row": name, "epsilon": epsilon, "metric": metric, "encoding_1": before,
                   "encoding_2": after, "with_clipping_rule": ruled, "clipping_norm": norm}


# --- the time of a pass

STEPS = (100, 600)
REPETITIONS = 7
KNOTS = 8


def stored_numbers(file, schema):
    """The mean number of features other than 0 in a record, without and with splines."""
    numbers = {column["name"]: column for column in schema["column"]
               if column["kind"] == "numeric"}
    plain = splines = records = 0
    with gzip.open(file, "rt", encoding="utf-8", newline="") as stream:
        for record in csv.DictReader(stream, skipinitialspace=True):
            records += 1
            plain += 1 + len(schema["column"])  # the constant, a number or a category each
            for name, rule in numbers.items():
                share = ((float(record[name]) - rule["lower"]) / (rule["upper"] - rule["lower"]))
                place = min(max(share, 0), 1) * (KNOTS - 1)
                splines += 1 if place == int(place) else 2
    return plain / records, (plain + splines) / records


def seconds_of(program, words):
    before = os.times()
    subprocess.run([str(program), *map(str, words)], check=True, capture_output=True)
    after = os.times()
    return after.children_user - before.children_user


def epochs(bench):
    """CPU seconds of a pass over Adult's records, one thread, both sides in turn."""
    file = bench.data / utility.ADULT[1]
    schema = bench.schema("adult", False)
    numbers = stored_numbers(file, tomllib.loads(schema.read_text("utf-8")))
    times = ([], [])
    for _ in range(REPETITIONS):
        for side, knots in zip(times, ("none", KNOTS)):
            few, many = (seconds_of(bench.program, [
                "train", file, "--schema", schema, "--epsilon", 1, "--delta", "1e-5", "--seed", 1,
                "--knots", knots, "--threads", 1, "--steps", steps, "--quiet", "--force",
                "--output", bench.folder / "epoch.json"]) for steps in STEPS)
            side.append((many - few) / (STEPS[1] - STEPS[0]))
    plain, splines = map(statistics.median, times)
    ratio = (splines / numbers[1]) / (plain / numbers[0])
    print(f"a pass over Adult: {plain * 1e3:.3f} ms with {numbers[0]:.1f} numbers a record, "
          f"{splines * 1e3:.3f} ms with {numbers[1]:.1f}; by stored number {ratio:.2f}")
    return {"plain_seconds": plain, "spline_seconds": splines, "plain_numbers": numbers[0],
            "spline_numbers": numbers[1], "ratio_by_stored_number": ratio, "most": 1.3}


def table(rows):
    lines = ["| | epsilon | metric | encoding 1 | encoding 2 | and the clipping rule |",
             "|---|---|---|---|---|---|"]
    for row in rows:
        ruled = row["with_clipping_rule"]
        lines.append(f"| {row['row']} | {row['epsilon']:g} | {row['metric']} "
                     f"| {row['encoding_1']:.4f} | {row['encoding_2']:.4f} "
                     + (f"| {ruled:.4f} |" if ruled is not None else "| |"))
    return "\n".join(["# Before and after: encoding 1 and 2", "",
                      "Medians of seeds 1 to 5, delta 1e-5 or pure; `bench/utility/encoding.py`.", "",
                      *lines]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int, default=len(utility.SEEDS))
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    with tempfile.TemporaryDirectory() as folder:
        bench = Encodings(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                          pathlib.Path(folder), tuple(range(1, options.seeds + 1)))
        rows = list(compare(bench, options.only))
        epoch = epochs(bench) if options.only in ("", "epoch") else None
    if options.only:
        return 0
    tables.save("utility/encoding", {"rows": rows, "epoch": epoch})
    of_epoch = tables.markdown([{"what": name, "value": value} for name, value in epoch.items()])
    tables.keep_page("utility/encoding", f"{table(rows)}\nAn epoch:\n\n{of_epoch}",
                     "bench/utility/encoding.py")
    return 0 if epoch["ratio_by_stored_number"] <= epoch["most"] else 1


if __name__ == "__main__":
    sys.exit(main())
