#!/usr/bin/env python3
"""What released means are worth where a person, a day or a place has several records.

    TACET_DATA=FOLDER bench/utility/units.py [--program FILE] [--only WORD] [--seeds N]
                                     [--epsilons E,..] [--rows FILE] [--tables-only]

Public data sets with a unit of several records: hours of a day (bike), districts of a place, which is
a tenth of a degree (California), recordings of a person (Parkinson's), and records in the order of
the file by three or four, which have nothing in common (kin8nm, Adult). Every fifth unit tests. The
declared number is that of units. add_remove, delta 1e-5, `gradient` without curves: the median of a
metric without standardising and with `--standardise private`.

The protocol, written down before the first run:

- The release itself is that of records: nothing of it is chosen here. What is chosen is whether
  `auto` uses it for units up to the noise up to which it uses it for records, and whether `gradient`
  keeps the weight norm of standardised numbers then.
- Days and kin8nm decide. The mean change must be above 0, and no cell may lose more than .01.
- Places, persons and Adult are looked at once, when the rule stands.

A cell is appended to --rows (build/units.jsonl) and not measured again. The table is
bench/utility/tables/units.md.
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import statistics
import sys
import tempfile
import tomllib

import methods
import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

WAYS = {"none": [], "private": ["--standardise", "private"]}
EPSILONS = (0.5, 1, 4)


def in_turn(count):
    return lambda number, record, place: number // count


def column(name):
    return lambda number, record, place: record[place[name]]


def tenth_of_degree(_, record, place):
    return "/".join(f"{float(record[place[name]]):.1f}" for name in ("latitude", "longitude"))


# name, schema, file, whose a record is, records of each that take part, metric
SETS = (
    ("bike, days", "bike_hour", "bike_hour/hour.csv.gz", column("dteday"), 24, "r2"),
    ("kin8nm, by four", "kin8nm", "kin8nm/kin8nm.csv.gz", in_turn(4), 4, "r2"),
    ("california, places", "california_housing", "california_housing/housing.csv.gz",
     tenth_of_degree, 10, "r2"),
    ("adult, by three", "adult", "adult/adult.train.csv.gz", in_turn(3), 3, "accuracy"),
    ("parkinsons, persons", "parkinsons", "parkinsons/parkinsons.csv.gz", column("subject"), 100,
     "r2"),
)


class Rows(methods.Rows):
    @staticmethod
    def key(row):
        return row["data"], row["way"], row["epsilon"], row["seed"]


class Bench:
    """Files of each set, with a column that says whose a record is, split by units."""

    def __init__(self, program, data, folder):
        self.bench = utility.Bench(program, data, folder)
        self.folder = folder
        self.data = data

    def files(self, name, schema, source, whose):
        text = (utility.SCHEMAS / f"{schema}.toml").read_text("utf-8")
        with gzip.open(self.data / source, "rt", encoding="utf-8", newline="") as stream:
            records = [record for record in csv.reader(stream) if record]
        head = None if "header = false" in text else records.pop(0)
        names = head or tomllib.loads(text)["format"]["names"]
        place = {column.strip(): k for k, column in enumerate(names)}
        units = {}
        parts = {}
        for part in ("train", "test"):
            parts[part] = self.folder / f"{schema}-{part}.csv"
        with open(parts["train"], "w", encoding="utf-8", newline="") as train, \
                open(parts["test"], "w", encoding="utf-8", newline="") as test:
            writers = csv.writer(train), csv.writer(test)
            if head is not None:
                for writer in writers:
                    writer.writerow(["whose", *head])
            for number, record in enumerate(records):
                unit = units.setdefault(whose(number, record, place), len(units))
                writers[unit % 5 == 4].writerow([unit, *record])
        own = self.folder / f"{schema}.toml"
        own.write_text('unit = "whose"\n' + text.replace("\nnames = [", '\nnames = ["whose", ', 1)
                       if head is None else 'unit = "whose"\n' + text, encoding="utf-8")
        count = sum(unit % 5 != 4 for unit in units.values())
        return own, parts["train"], parts["test"], count


def measure(bench, options, rows):
    for name, schema, source, whose, most, metric in SETS:
        if options.only not in name or not (bench.data / source).exists():
            continue
        rules, train, test, count = bench.files(name, schema, source, whose)
        for epsilon in options.epsilons:
            for way, words in WAYS.items():
                for seed in range(1, options.seeds + 1):
                    if (name, way, epsilon, seed) in rows.known:
                        continue
                    found = bench.bench.evaluations(
                        rules, train, test,
                        [*words, "--max-records-per-unit", most, "--public-row-count", count,
                         "--threads", 1], epsilon, (seed,))
                    row = {"data": name, "units": count, "records": most, "way": way,
                           "epsilon": epsilon, "seed": seed, "metric": metric,
                           "value": found[0][metric]}
                    print(json.dumps(row), flush=True)
                    rows.add(row)


def lines_of(rows):
    of = {}
    for (data, way, epsilon, _), row in rows.known.items():
        of.setdefault((data, epsilon), {}).setdefault(way, []).append(row)
    order = [found[0] for found in SETS]
    for (data, epsilon), ways in sorted(of.items(), key=lambda at: (order.index(at[0][0]), at[0][1])):
        one = ways["none"][0]
        line = {"data": data, "units": one["units"], "records of each": one["records"],
                "epsilon": epsilon, "metric": one["metric"]}
        for way in WAYS:
            line[way] = round(statistics.median(row["value"] for row in ways[way]), 4)
        line["change"] = round(line["private"] - line["none"], 4)
        yield line


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilons", type=lambda text: [float(e) for e in text.split(",")],
                        default=list(EPSILONS))
    parser.add_argument("--rows", type=pathlib.Path, default=utility.ROOT / "build/units.jsonl")
    parser.add_argument("--tables-only", action="store_true")
    options = parser.parse_args()
    rows = Rows(options.rows)
    if not options.tables_only:
        if "TACET_DATA" not in os.environ:
            sys.exit("TACET_DATA must name the folder of public data sets")
        with tempfile.TemporaryDirectory() as folder:
            measure(Bench(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                          pathlib.Path(folder)), options, rows)
    tables.keep_page("utility/units", "\n".join([
        "# Units of several records", "",
        f"Medians of up to {options.seeds} seeds on units that were not trained on, add_remove, delta "
        "1e-5: without standardising and with `--standardise private`.", "",
        tables.markdown(list(lines_of(rows)))]), "bench/utility/units.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
