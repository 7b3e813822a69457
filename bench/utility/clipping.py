#!/usr/bin/env python3
"""What the clipping norm of the default does where it is not taken: other losses, classes, units.

    TACET_DATA=FOLDER bench/utility/clipping.py [--program FILE] [--only WORD] [--seeds N]

Every cell is the median over seeds 1 to 5 of a metric on records that were not trained on, once
as shipped and once with the clipping norm that two classes or numbers would have. The
sets are split as in bench/utility/utility.py. Then the seconds of a pass over Adult, with splines and
without, by stored number. The table is bench/utility/tables/clipping.md.
"""

import argparse
import csv
import gzip
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

HINGE = ["--loss", "hinge"]
ABSOLUTE = ["--loss", "absolute"]
DAYS = ["--max-records-per-unit", "24"]

# name, set, options, metric, epsilons, whether it has classes
ROWS = [
    ("hinge: adult", utility.ADULT, HINGE, "accuracy", (0.1, 1, 4), True),
    ("hinge: covertype", utility.COVERTYPE, HINGE, "accuracy", (0.1, 1, 4), True),
    ("huber: california", utility.CALIFORNIA, ["--loss", "huber"], "mae", (0.1, 1, 4), False),
    ("absolute: california", utility.CALIFORNIA, ABSOLUTE, "mae", (0.1, 1, 4), False),
    ("absolute: wine", utility.WINE, ABSOLUTE, "mae", (0.1, 1, 4), False),
    ("several classes: mnist", ("mnist", "mnist/train-images-idx3-ubyte.gz",
                                "mnist/t10k-images-idx3-ubyte.gz"), [], "accuracy", (1,), True),
    ("units of a day: bike", ("bike_hour_days", "bike_hour/hour.csv.gz", None), DAYS, "r2", (1, 4),
     False),
    ("units of a day, around middles: bike",
     ("bike_hour_days_middles", "bike_hour/hour.csv.gz", None), DAYS, "r2", (1, 4), False),
    ("77 classes of text: banking77", ("banking77", "banking77/banking77.train.csv.gz",
                                       "banking77/banking77.test.csv.gz"), [], "accuracy", (4,),
     True),
]


def ruled_norm(bench, schema, options, epsilon, classes):
    """The clipping norm that the rule has for two classes or numbers, by the plan's noise."""
    plan = bench.call("plan", "--schema", schema, "--epsilon", epsilon, *options, "--delta", "1e-5")
    values = plan["columns"] * plan.get("outputs", 1)
    one_release = plan["noise_multiplier"] / math.sqrt(plan["steps"])
    noise = math.sqrt(values) * one_release / plan["public_row_count"]
    norm = 0.5 * math.sqrt(0.01 / noise) if classes else 0.25 * (0.005 / noise) ** 0.3
    return min(max(norm, 0.5 if classes else 0.125), 1 if classes else 0.5)


class Clipping(utility.Bench):
    """Adds schemas that are not shipped: another unit, another set."""

    def schema(self, name, options=()):
        if name == "banking77":
            return self.banking(self.data / "banking77/banking77.train.csv.gz")
        if not name.startswith("bike_hour_days"):
            return super().schema(name, options)
        text = (utility.SCHEMAS / "bike_hour.toml").read_text("utf-8")
        if name.endswith("middles"):  # of readings, which count from 0 as shipped
            text = text.replace('"windspeed"]\n', '"windspeed"]\ntypical = 0.5\n')
        file = self.folder / f"{name}.toml"
        file.write_text('unit = "dteday"\n' + text.replace('"dteday", ', ""), encoding="utf-8")
        return file


def compare(bench, only):
    for name, (schema, train, test), options, metric, epsilons, classes in ROWS:
        if only not in name:
            continue
        sources = [bench.data / t for t in ((train,) if isinstance(train, str) else train)]
        missing = [source for source in sources if not source.exists()]
        if missing:
            print(f"{name}: {missing[0]} is not below TACET_DATA; left out", file=sys.stderr)
            continue
        file = bench.schema(schema)
        common = list(options)
        if test is None:
            *parts, count = utility.split(sources, file.read_text("utf-8"), bench.folder)
            common += ["--public-row-count", str(count)]
        else:
            parts = [sources[0], bench.data / test]
        for epsilon in epsilons:
            shipped = bench.score(file, *parts, common, epsilon, metric)
            norm = ruled_norm(bench, file, common, epsilon, classes)
            ruled = bench.score(file, *parts, [*common, "--clipping-norm", f"{norm}"], epsilon,
                                metric)
            print(f"{name:36} epsilon {epsilon:<5} {metric:9} {shipped:10.4f} {ruled:10.4f} "
                  f"(clipping norm {norm:.3f})", flush=True)
            yield {"row": name, "epsilon": epsilon, "metric": metric, "default": shipped,
                   "with_clipping_rule": ruled, "clipping_norm": norm}


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
    schema = bench.schema("adult")
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
    lines = ["| | epsilon | metric | default | with the clipping rule |", "|---|---|---|---|---|"]
    lines += [f"| {row['row']} | {row['epsilon']:g} | {row['metric']} | {row['default']:.4f} "
              f"| {row['with_clipping_rule']:.4f} |" for row in rows]
    return "\n".join(["# The clipping norm where it is not the default", "",
                      "Medians of seeds 1 to 5, add_remove, delta 1e-5; `bench/utility/clipping.py`.", "",
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
        bench = Clipping(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                         pathlib.Path(folder), tuple(range(1, options.seeds + 1)))
        rows = list(compare(bench, options.only))
        epoch = epochs(bench) if options.only in ("", "epoch") else None
    if options.only:
        return 0
    tables.save("utility/clipping", {"rows": rows, "epoch": epoch})
    of_epoch = tables.markdown([{"what": name, "value": value} for name, value in epoch.items()])
    tables.keep_page("utility/clipping", f"{table(rows)}\nAn epoch:\n\n{of_epoch}",
                     "bench/utility/clipping.py")
    return 0 if epoch["ratio_by_stored_number"] <= epoch["most"] else 1


if __name__ == "__main__":
    sys.exit(main())
