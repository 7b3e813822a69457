#!/usr/bin/env python3
"""What models trained with privacy are worth: the shipped rule on public data sets, untouched.

    TACET_DATA=FOLDER bench/utility/utility.py [--program FILE] [--only WORD]
                                       [--epsilons E,E,..] [--seeds N]

Every row is one data set, loss and epsilon: the median over seeds 1 to 5 of a metric on records
that were not trained on, beside the unprotected linear model. Adjacency add_remove, delta 1e-5. A
set without a published test part is split by a fixed rule: every fifth record tests.

The mean score is over the sets of SCORED: 0 for a constant, 1 for the unprotected linear model.
Rows and scores with a bar end the program with code 1 when they miss it. The result goes to
bench/utility/tables/utility.md.
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

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402


ABOUT = "The default method on public data, medians of five seeds, add_remove, delta 1e-5"
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "data" / "schemas"
SEEDS = (1, 2, 3, 4, 5)
EPSILONS = (0.1, 0.5, 1, 4)

# Metrics that are better when they are lower; their bars are upper ones.
LOWER_IS_BETTER = ("mae", "loss_ratio", "log_loss")
# A bar: a number, or a pair of a base and what is added to it. The base is the majority's share of
# the test records, or another row at the same epsilon.
NEAR_LOGISTIC = {0.1: ("adult", -0.01), 1: ("adult", -0.01)}
PRIVATE = ["--standardise", "private"]
BATCH = ["--batch-size", "256"]
KEPT = ["--feature-selection", "auto"]
PROJECTED = ["--projection", "auto"]
COUNT = "counts"  # an option of rows: the target as a count from 0 to its upper bound
MORE_SEEDS = {("medical", 0.1): 25}  # 1,070 records: at 0.1 five seeds say little


def at(*bars):
    """Bars at EPSILONS."""
    return dict(zip(EPSILONS, bars))


ADULT = ("adult", "adult/adult.train.csv.gz", "adult/adult.test.csv.gz")
COVERTYPE = ("covtype", "covtype93k/covtype93k.csv.gz", None)
BANK = ("bank_marketing", "bank_marketing/bank-additional-full.csv.gz", None)
CALIFORNIA = ("california_housing", "california_housing/housing.csv.gz", None)
BIKE = ("bike_hour", "bike_hour/hour.csv.gz", None)
WINE = ("wine_quality",
        ("wine_quality/winequality-red.csv.gz", "wine_quality/winequality-white.csv.gz"), None)
ABALONE = ("abalone", "abalone/abalone.csv.gz", None)
KIN8NM = ("kin8nm", "kin8nm/kin8nm.csv.gz", None)
MEDICAL = ("medical_cost", "medical_cost/insurance.csv.gz", None)
GERMAN = ("german_credit", "german_credit/german.csv.gz", None)
PIMA = ("pima_diabetes", "pima_diabetes/pima-indians-diabetes.csv.gz", None)
POL = ("pol", "pol/pol.csv.gz", None)
SMS = ("sms_spam", "sms_spam/SMSSpamCollection.tsv.gz", None)
PARKINSONS = ("parkinsons", "parkinsons/parkinsons.csv.gz", None)

# name, (schema, training file or files, test file or None: split), options, metric, epsilons, bars
ROWS = [
    ("adult", ADULT, [], "accuracy", EPSILONS, at(0.842, 0.849, 0.851, 0.854)),
    ("adult, log loss", ADULT, [], "log_loss", EPSILONS, {1: 0.332}),
    ("covertype", COVERTYPE, [], "accuracy", EPSILONS, at(0.745, 0.762, 0.765, 0.768)),
    ("bank", BANK, [], "auc", EPSILONS, at(0.757, 0.765, 0.766, 0.769)),
    ("bank, accuracy", BANK, [], "accuracy", EPSILONS, at(0.895, 0.896, 0.897, 0.897)),
    ("bank, log loss", BANK, [], "log_loss", EPSILONS, {1: 0.290}),
    ("california", CALIFORNIA, [], "r2", EPSILONS, at(0.61, 0.66, 0.67, 0.68)),
    ("bike", BIKE, [], "r2", EPSILONS, at(0.57, 0.65, 0.66, 0.665)),
    ("wine", WINE, [], "r2", EPSILONS, at(0.05, 0.235, 0.265, 0.28)),
    ("abalone", ABALONE, [], "r2", EPSILONS, at(0.34, 0.46, 0.49, 0.54)),
    ("kin8nm", KIN8NM, [], "r2", EPSILONS, at(0.38, 0.395, 0.40, 0.405)),
    ("medical", MEDICAL, [], "r2", EPSILONS, at(0.50, 0.66, 0.68, 0.70)),
    ("german", GERMAN, [], "accuracy", EPSILONS, at(0.675, 0.68, 0.70, 0.715)),
    ("pima", PIMA, [], "accuracy", EPSILONS, at(0.5913, 0.624, 0.6501, 0.7024)),
    ("adult, private", ADULT, PRIVATE, "accuracy", EPSILONS, at(0.845, 0.852, 0.853, 0.854)),
    ("covertype, private", COVERTYPE, PRIVATE, "accuracy", EPSILONS,
     at(0.763, 0.770, 0.771, 0.771)),
    ("bank, private", BANK, PRIVATE, "auc", EPSILONS, at(0.757, 0.765, 0.766, 0.769)),
    ("california, private", CALIFORNIA, PRIVATE, "r2", EPSILONS, at(0.64, 0.675, 0.68, 0.685)),
    ("bike, private", BIKE, PRIVATE, "r2", EPSILONS, at(0.615, 0.68, 0.685, 0.69)),
    ("wine, private", WINE, PRIVATE, "r2", EPSILONS, at(0.17, 0.255, 0.275, 0.275)),
    ("abalone, private", ABALONE, PRIVATE, "r2", EPSILONS, at(0.39, 0.50, 0.53, 0.56)),
    ("kin8nm, private", KIN8NM, PRIVATE, "r2", EPSILONS, at(0.37, 0.39, 0.40, 0.40)),
    ("medical, private", MEDICAL, PRIVATE, "r2", EPSILONS, at(0.62, 0.65, 0.67, 0.68)),
    ("pol", POL, [], "r2", EPSILONS, {}),
    ("parkinsons", PARKINSONS, [], "r2", EPSILONS, {}),
    ("adult hinge", ADULT, ["--loss", "hinge"], "accuracy", (0.1, 1, 4), NEAR_LOGISTIC),
    ("adult smoothed hinge", ADULT, ["--loss", "smoothed_hinge"], "accuracy", (0.1, 1, 4),
     NEAR_LOGISTIC),
    ("adult, batch 256", ADULT, BATCH, "accuracy", (0.1, 1, 4), {}),
    ("a9a", ("a9a", "a9a/a9a.train.libsvm.gz", "a9a/a9a.test.libsvm.gz"), [], "accuracy",
     (0.1, 1, 4), {1: 0.845}),
    ("sms spam", SMS, [], "accuracy", (1, 4), {4: ("majority", 0.03)}),
    ("sms spam, selected columns", SMS, KEPT, "accuracy", EPSILONS,
     {1: 0.915, 4: 0.95}),
    ("sms spam, projected", SMS, PROJECTED, "accuracy", EPSILONS, {}),
    ("bike, counts", BIKE, [COUNT], "r2", EPSILONS, {}),
    ("california absolute", CALIFORNIA, ["--loss", "absolute"], "mae", (0.1, 1, 4), {}),
    ("california absolute, against the best constant", CALIFORNIA, ["--loss", "absolute"],
     "loss_ratio", (0.1, 1, 4), {1: 0.75}),
    ("california huber, against the best constant", CALIFORNIA, ["--loss", "huber"],
     "loss_ratio", (0.1, 1, 4), {1: 0.75}),
    ("california pinball 0.9, against the best constant", CALIFORNIA,
     ["--loss", "pinball", "--loss-parameter", "0.9"], "loss_ratio", (0.1, 1, 4), {1: 0.8}),
    ("mnist", ("mnist", "mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz"),
     [], "accuracy", (1,), {1: 0.86}),
]

# Rows whose mean score counts, and its least value at EPSILONS.
SCORED = ("adult", "covertype", "bank", "california", "bike", "wine", "abalone", "kin8nm",
          "medical", "german", "pima", "pol", "parkinsons")
MIN_SCORES = at(0.74, 0.94, 1.03, 1.07)


def split(sources, schema_text, folder):
    """(training file, test file, training records): every fifth record tests."""
    header = "header = false" not in schema_text
    head, records = [], []
    for source in sources:
        with gzip.open(source, "rt", encoding="utf-8", newline="") as stream:
            lines = stream.readlines()
        head = lines[:1] if header else []
        if not lines[-1].endswith("\n"):
            lines[-1] += "\n"
        records += lines[len(head):]
    parts = [[r for i, r in enumerate(records) if (i % 5 == 4) == test] for test in (False, True)]
    names = []
    for name, part in zip(("train", "test"), parts):
        path = folder / f"{name}{sources[0].name.removesuffix('.gz')}"
        path.write_text("".join(head + part), encoding="utf-8")
        names.append(path)
    return names[0], names[1], len(parts[0])


class Bench:
    def __init__(self, program, data, folder, seeds=SEEDS):
        self.program, self.data, self.folder = program, data, folder
        self.seeds = seeds
        self.majority = None  # the share of the most frequent class in the last test file
        self.found = {}       # what `evaluate` said of a training: rows differ by metric alone

    def call(self, *words):
        run = subprocess.run([str(self.program), *map(str, words), "--json", "--quiet"],
                             check=False, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"tacet {' '.join(map(str, words))} failed:\n{run.stderr}")
        return json.loads(run.stdout)

    def evaluations(self, schema, train, test, options, epsilon, seeds):
        key = (str(schema), str(train), tuple(options), epsilon, tuple(seeds))
        if key in self.found:
            return self.found[key]
        found = self.found[key] = []
        for seed in seeds:
            model = self.folder / "model.json"
            # The bars are those of this method; bench/utility/auto.py has those of the default.
            method = [] if "--method" in options else ["--method", "gradient"]
            words = ["train", train, "--schema", schema, "--epsilon", epsilon, *method, *options,
                     "--output", model, "--force"]
            if epsilon != "inf":
                words += ["--seed", seed, *([] if "--delta" in options else ["--delta", "1e-5"])]
            self.call(*words)
            found.append(self.call("evaluate", model, test, "--public"))
        return found

    def score(self, schema, train, test, options, epsilon, metric, seeds=None):
        seeds = (1,) if epsilon == "inf" else seeds or self.seeds
        scores = []
        for found in self.evaluations(schema, train, test, options, epsilon, seeds):
            self.majority = found.get("majority_share")
            if metric == "loss_ratio":
                scores.append(found["loss"] / found["best_constant_loss"])
            else:
                scores.append(found[metric])
        return statistics.median(scores)

    def schema(self, name, options):
        """The shipped schema, or a copy whose target is a count."""
        file = SCHEMAS / f"{name}.toml"
        if COUNT not in options:
            return file
        counts = self.folder / f"{name}_counts.toml"
        text = file.read_text("utf-8")
        counts.write_text(text.replace("lower = 0\n", 'kind = "count"\n', 1), encoding="utf-8")
        return counts

    def rows(self, only, epsilons=None):
        for name, (schema, train, test), options, metric, own_epsilons, _ in ROWS:
            if only not in name:
                continue
            file = self.schema(schema, options)
            options = [o for o in options if o != COUNT]
            sources = [self.data / t for t in ((train,) if isinstance(train, str) else train)]
            missing = [source for source in sources if not source.exists()]
            if missing:
                print(f"{name}: {missing[0]} is not below TACET_DATA; left out", file=sys.stderr)
                continue
            train_file = sources[0]
            if test is None:
                train_file, test_file, count = split(sources, file.read_text("utf-8"),
                                                     self.folder)
                options += ["--public-row-count", str(count)]
            else:
                test_file = self.data / test
            best = None  # the exact minimiser of ten classes on 784 pixels takes many minutes
            if name != "mnist":
                plain = [o for o in options if o not in (*BATCH, *PRIVATE, *KEPT, *PROJECTED)]
                best = self.score(file, train_file, test_file, plain, "inf", metric)
            for epsilon in epsilons or own_epsilons:
                count = MORE_SEEDS.get((name.split(",")[0], epsilon))
                seeds = range(1, count + 1) if count and self.seeds == SEEDS else None
                value = self.score(file, train_file, test_file, options, epsilon, metric, seeds)
                print(f"{name:44} epsilon {epsilon:<5} {metric:9} {value:.4f}   "
                      f"unprotected {best if best is None else round(best, 4)}", flush=True)
                yield {"data": name, "epsilon": epsilon, "metric": metric, "value": value,
                       "unprotected": best, "majority_share": self.majority}

    def banking(self, source):
        """The schema of banking77, which is not shipped: its classes are those of the records."""
        with gzip.open(source, "rt", encoding="utf-8", newline="") as stream:
            records = list(csv.DictReader(stream))
        classes = sorted({record["category"] for record in records})
        file = self.folder / "banking77.toml"
        file.write_text(f"public_row_count = {len(records)}\n[target]\ncolumn = \"category\"\n"
                        f"classes = {json.dumps(classes)}\nunknown = {json.dumps(classes[0])}\n"
                        "[[column]]\nname = \"text\"\nkind = \"text\"\nbits = 12\n",
                        encoding="utf-8")
        return file


def score_of(row):
    """0 for a constant, 1 for the unprotected linear model."""
    constant = {"accuracy": row["majority_share"], "auc": 0.5, "r2": 0}[row["metric"]]
    return (row["value"] - constant) / (row["unprotected"] - constant)


def mean_scores(rows):
    """The mean score for each epsilon, over rows that were all measured."""
    scores = []
    for epsilon in EPSILONS:
        scored = [row for row in rows if row["data"] in SCORED and row["epsilon"] == epsilon]
        if len(scored) < len(SCORED):
            continue
        score = statistics.mean(map(score_of, scored))
        scores.append({"epsilon": epsilon, "value": score, "bar": MIN_SCORES[epsilon],
                       "holds": score >= MIN_SCORES[epsilon]})
        print(f"{'mean score':44} epsilon {epsilon:<5} {'':9} {score:.4f}")
    return scores


def bar_of(row, rows):
    """The number that a row has to reach; None where there is none or its base was left out."""
    bars = next(entry[-1] for entry in ROWS if entry[0] == row["data"])
    bar = bars.get(row["epsilon"])
    if not isinstance(bar, tuple):
        return bar
    base, distance = bar
    if base == "majority":
        return row["majority_share"] + distance
    for other in rows:
        if other["data"] == base and other["epsilon"] == row["epsilon"]:
            return other["value"] + distance
    return None


def add_bars(rows):
    """Gives each row its bar; the rows that miss theirs."""
    missed = []
    for row in rows:
        row["bar"] = bar_of(row, rows)
        if row["bar"] is None:
            continue
        lower = row["metric"] in LOWER_IS_BETTER
        row["holds"] = row["value"] <= row["bar"] if lower else row["value"] >= row["bar"]
        if not row["holds"]:
            missed.append(row)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    parser.add_argument("--only", default="")
    parser.add_argument("--epsilons", default="")
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                      pathlib.Path(folder), tuple(range(1, options.seeds + 1)))
        epsilons = [float(e) for e in options.epsilons.split(",") if e]
        rows = list(bench.rows(options.only, epsilons))
    missed = add_bars(rows)
    scores = mean_scores(rows)
    if not (options.only or epsilons) and options.seeds == len(SEEDS):
        tables.save("utility/utility", {"rows": rows, "mean_scores": scores})
        tables.keep("utility/utility", ABOUT, "bench/utility/utility.py",
                    {"Rows": rows, "Mean scores": scores})
    checked = sum("holds" in row for row in rows)
    print(f"{checked} rows have a bar, {len(missed)} miss it")
    for row in missed:
        print(f"does not hold: {row['data']}, epsilon {row['epsilon']}: {row['metric']} "
              f"{row['value']:.4f}, bar {row['bar']:.4f}", file=sys.stderr)
    low = [score for score in scores if not score["holds"]]
    for score in low:
        print(f"does not hold: mean score at epsilon {score['epsilon']}: {score['value']:.4f}, "
              f"bar {score['bar']}", file=sys.stderr)
    return 1 if missed or low else 0


if __name__ == "__main__":
    sys.exit(main())
