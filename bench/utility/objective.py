#!/usr/bin/env python3
"""Objective perturbation and noise on the minimiser beside noisy gradient descent and the optimum.

    TACET_DATA=FOLDER bench/utility/objective.py [--program FILE] [--only WORD]

Every row is one data set, method and epsilon: the median accuracy over seeds 1 to 5 on records that
were not trained on, nothing tuned. Adjacency replace_one for all methods; delta 9.4e-10 (1/n^2) on
the Adult census, 1e-6 elsewhere, 0 in the rows that are called pure. The sets are split as in
bench/utility/utility.py. The table is bench/utility/tables/objective.md.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile

import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

USUAL = (0.1, 1, 4)
SETS = [  # name, schema, training file, test file (None: split), delta, epsilons
    ("adult", "adult", "adult/adult.train.csv.gz", "adult/adult.test.csv.gz", "9.4e-10",
     (0.1, 0.316, 1, 3.16, 10)),
    ("bank", "bank_marketing", "bank_marketing/bank-additional-full.csv.gz", None, "1e-6", USUAL),
    ("covertype", "covtype", "covtype93k/covtype93k.csv.gz", None, "1e-6", USUAL),
    ("german credit", "german_credit", "german_credit/german.csv.gz", None, "1e-6", USUAL),
    ("pima diabetes", "pima_diabetes", "pima_diabetes/pima-indians-diabetes.csv.gz", None, "1e-6",
     USUAL),
]
METHODS = [  # name, options, whether delta is 0
    ("objective", ["--method", "objective"], False),
    ("objective, pure", ["--method", "objective"], True),
    ("regularized-output", ["--method", "regularized-output"], False),
    ("gradient", ["--method", "gradient", "--adjacency", "replace_one"], False),
]


def accuracy(bench, schema, files, options):
    model = bench.folder / "model.json"
    bench.call("train", files[0], "--schema", schema, *options, "--output", model, "--force")
    return bench.call("evaluate", model, files[1], "--public")["accuracy"]


def rows(bench, only):
    for name, schema_name, train, test, delta, epsilons in SETS:
        if only not in name:
            continue
        schema = utility.SCHEMAS / f"{schema_name}.toml"
        if not (bench.data / train).exists():
            print(f"{name}: {train} is not below TACET_DATA; left out", file=sys.stderr)
            continue
        common = []
        if test is None:
            *files, count = utility.split([bench.data / train], schema.read_text("utf-8"),
                                          bench.folder)
            common = ["--public-row-count", str(count)]
        else:
            files = [bench.data / train, bench.data / test]
        best = accuracy(bench, schema, files, [*common, "--epsilon", "inf"])
        for epsilon in epsilons:
            for method, options, pure in METHODS:
                scores = [accuracy(bench, schema, files,
                                   [*common, *options, "--epsilon", epsilon, "--delta",
                                    "0" if pure else delta, "--seed", seed])
                          for seed in utility.SEEDS]
                value = statistics.median(scores)
                print(f"{name:14} epsilon {epsilon:<6} {method:20} {value:.4f}   "
                      f"unprotected {best:.4f}", flush=True)
                yield {"data": name, "epsilon": epsilon, "delta": 0 if pure else float(delta),
                       "method": method, "accuracy": value, "unprotected": best}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    with tempfile.TemporaryDirectory() as folder:
        bench = utility.Bench(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                              pathlib.Path(folder))
        found = list(rows(bench, options.only))
    if not options.only:
        tables.save("utility/objective", found)
        tables.keep("utility/objective", "Objective perturbation, replace_one, medians of five seeds",
                    "bench/utility/objective.py", {"Accuracy": found})


if __name__ == "__main__":
    main()
