#!/usr/bin/env python3
"""How close the private summary of the Adult census and noisy figures of a model come.

    TACET_DATA=FOLDER bench/utility/describe.py [--program FILE]

Epsilon 1, add_remove, with the default delta and with delta 0; medians over seeds 1 to 20 of the
error of every quartile, as a share of the column's declared range, and of every category's share.
Then, at epsilon 0.5, the noisy accuracy of a model on the census's 16,281 test records and the
noisy R2 of one that predicts age. Ends with code 1 where a quartile is off by more than 2 % of the
range, a share or an accuracy by more than .01.
The table is bench/utility/tables/describe.md.
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import tomllib

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402


ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "data" / "schemas" / "adult.toml"
SEEDS = range(1, 21)
QUARTILE_BAR, SHARE_BAR, ACCURACY_BAR = 0.02, 0.01, 0.01


def summary(program, data, delta, seed):
    words = [program, "describe", data, "--schema", SCHEMA, "--epsilon", "1", "--delta", delta,
             "--seed", seed, "--json", "--quiet"]
    run = subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True)
    return {column["name"]: column for column in json.loads(run.stdout)["columns"]}


def quartile(values, level):
    """The smallest value that at least the share `level` of the values does not exceed."""
    return sorted(values)[max(0, -(-int(level * len(values) * 4) // 4) - 1)]


def errors(records, schema, found):
    """(what, error) of all quartiles and shares of one summary."""
    for column in schema["column"]:
        name, kind = column["name"], column["kind"]
        values = [record[name] for record in records]
        if kind == "numeric":
            width = column["upper"] - column["lower"]
            numbers = [min(max(float(v), column["lower"]), column["upper"]) for v in values]
            for level, answer in zip((0.25, 0.5, 0.75), found[name]["quartiles"]):
                yield f"{name} at {level}", abs(answer - quartile(numbers, level)) / width
        elif kind == "categorical":
            for entry in found[name]["values"]:
                if entry["value"] in column["categories"]:
                    share = values.count(entry["value"]) / len(values)
                    yield f"{name}={entry['value']}", abs(entry["share"] - share)


def measure(program, data, delta):
    schema = tomllib.loads(SCHEMA.read_text("utf-8"))
    with gzip.open(data, "rt", encoding="utf-8", newline="") as stream:
        records = list(csv.DictReader(stream))
    runs = [dict(errors(records, schema, summary(program, data, delta, s))) for s in SEEDS]
    medians = {what: statistics.median(run[what] for run in runs) for what in runs[0]}
    quartiles = {what: error for what, error in medians.items() if " at " in what}
    shares = {what: error for what, error in medians.items() if " at " not in what}
    worst = {"quartile": max(quartiles, key=quartiles.get), "share": max(shares, key=shares.get)}
    return {"delta": delta, "worst_quartile": worst["quartile"],
            "worst_quartile_error": quartiles[worst["quartile"]], "worst_share": worst["share"],
            "worst_share_error": shares[worst["share"]]}


def call(program, *words):
    run = subprocess.run([str(program), *map(str, words), "--json", "--quiet"], check=True,
                         capture_output=True, text=True)
    return json.loads(run.stdout)


def of_age(text):
    """The same census as a number to predict."""
    start = text.index("[[column]]\nname = \"age\"")
    end = text.index("[[column]]", start + 1)
    target = text.index("[target]")
    return (text[:target] + "[target]\ncolumn = \"age\"\nlower = 17\nupper = 90\n"
            + text[text.index("[[column]]"):start]
            + text[end:] + "\n[[column]]\nname = \"income\"\nkind = \"categorical\"\n"
            "categories = [\">50K\", \"<=50K\", \">50K.\", \"<=50K.\"]\n")


def evaluations(program, folder):
    """Medians of the errors of noisy figures at epsilon 0.5, and of the noise that they state."""
    age = pathlib.Path(folder) / "age.toml"
    age.write_text(of_age(SCHEMA.read_text("utf-8")), encoding="utf-8")
    data = pathlib.Path(os.environ["TACET_DATA"]) / "adult"
    model = pathlib.Path(folder) / "model.json"
    for schema, figure in ((SCHEMA, "accuracy"), (age, "r2")):
        call(program, "train", data / "adult.train.csv.gz", "--schema", schema, "--epsilon", 1,
             "--delta", "1e-5", "--seed", 1, "--output", model, "--force")
        test = data / "adult.test.csv.gz"
        exact = call(program, "evaluate", model, test, "--public")[figure]
        for adjacency in ("add_remove", "replace_one"):
            noisy = [call(program, "evaluate", model, test, "--epsilon", 0.5, "--delta", "1e-5",
                          "--adjacency", adjacency, "--seed", seed)[figure] for seed in SEEDS]
            yield {"figure": figure, "adjacency": adjacency, "exact": exact,
                   "median_error": statistics.median(abs(n["value"] - exact) for n in noisy),
                   "stated_noise": statistics.median(n["noise_sd"] for n in noisy)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    options = parser.parse_args()
    data = pathlib.Path(os.environ.get("TACET_DATA", "")) / "adult" / "adult.train.csv.gz"
    if not data.exists():
        sys.exit("the Adult census is not below TACET_DATA")
    rows = [measure(options.program, data, delta) for delta in ("1e-6", "0")]
    with tempfile.TemporaryDirectory() as folder:
        noisy = list(evaluations(options.program, folder))
    tables.save("utility/describe", {"rows": rows, "evaluations": noisy})
    tables.keep("utility/describe", "Private summaries and private evaluation beside exact figures",
                "bench/utility/describe.py", {"Summaries": rows, "Evaluations": noisy})
    missed = False
    for row in rows:
        print(f"delta {row['delta']}: worst quartile {row['worst_quartile']} off by "
              f"{row['worst_quartile_error']:.4f} of the range, worst share {row['worst_share']} "
              f"off by {row['worst_share_error']:.4f}")
        missed |= row["worst_quartile_error"] > QUARTILE_BAR
        missed |= row["worst_share_error"] > SHARE_BAR
    for row in noisy:
        print(f"{row['figure']} under {row['adjacency']}, epsilon 0.5: {row['exact']:.4f}, off by "
              f"{row['median_error']:.4f}, stated noise {row['stated_noise']:.4f}")
        missed |= row["figure"] == "accuracy" and row["median_error"] > ACCURACY_BAR
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
