#!/usr/bin/env python3
"""What it is worth to count categories of two classes, and from which noise on.

    TACET_DATA=FOLDER bench/utility/auto_counts.py [--program FILE] [--seeds N]

Two ways of descent, add_remove, delta 1e-5: numbers standardised by their released means, and the same
with the categories counted in that release (docs/explanations/step-rule.md). The rule was chosen on
a9a with each of its attributes as a column, which are Adult's records, and looked at on PUMS, NHANES I
and German credit; bank marketing, KDD Cup 1999 and heart were measured when it stood. A number behind a
name is that of records sampled for training. Where nu = sqrt(d) s / N is below the rule's bound, tables
with numbers are counted by neither way and are left out; a9a, which has none, is counted wherever that is
asked for. Given are means over the seeds with their standard errors, on records that were not trained on.
"""

import argparse
import concurrent.futures
import gzip
import itertools
import math
import os
import pathlib
import random
import statistics
import sys
import tempfile

import auto
import methods
import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1, 2, 4)
PLAIN = ["--method", "gradient"]
COUNTED = [*PLAIN, "--standardise", "private"]
MEANS = [*PLAIN, "--standardise", "means"]
METRICS = ("accuracy", "auc", "log_loss")
SETS = (("a9a listed", 2000), ("a9a listed", 8000), ("a9a listed", None), ("pums married", None),
        ("nhanes1", None), ("german credit", None),
        ("bank", 4000), ("bank", 12000), ("kddcup99", 5000), ("kddcup99", 50000), ("heart", None))


def sampled(bench, found, count):
    """(schema, training file, test file, options) of a set, of so many records where that is given."""
    rules, train, test, options = bench.files(found)
    if count is None:
        return rules, train, test, options
    opened = gzip.open if train.suffix == ".gz" else open
    with opened(train, "rt", encoding="utf-8") as stream:
        lines = list(stream)
    head = [] if "header = false" in rules.read_text("utf-8") else [lines.pop(0)]
    file = bench.folder / f"sampled-{count}.csv"
    file.write_text("".join([*head, *random.Random(7).sample(lines, count)]), encoding="utf-8")
    return rules, file, test, ["--public-row-count", count]


def score(bench, words, train, test, seed):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.json"
        methods.train(bench, [train, *words, "--threads", 1, "--seed", seed, "--output", model], 300)
        said = bench.call("evaluate", model, test, "--public")
        return [said[name] for name in METRICS]


def cell(bench, pool, name, files, epsilon, seeds):
    """Noise and a line of the table, or None where neither way counts."""
    rules, train, test, options = files
    words = ["--schema", rules, *options, "--adjacency", "add_remove", "--delta", 1e-5,
             "--epsilon", epsilon]
    if not any("each category occurs" in reason
               for reason in bench.call("plan", *words, *COUNTED)["reasons"]):
        return None
    plain = bench.call("plan", *words, *PLAIN)
    noise = (math.sqrt(plain["columns"]) * plain["noise_multiplier"] / math.sqrt(plain["steps"]) /
             plain["public_row_count"])
    shown = []
    for way in (PLAIN if name.startswith("a9a") else MEANS, COUNTED):
        runs = list(pool.map(score, itertools.repeat(bench),
                             itertools.repeat([*words, *way]), itertools.repeat(train),
                             itertools.repeat(test), range(1, seeds + 1)))
        for values in zip(*runs):
            error = statistics.pstdev(values) / math.sqrt(seeds)
            shown.append(f"{statistics.mean(values):.4f} +- {error:.4f}")
    pairs = [text for k in range(len(METRICS)) for text in (shown[k], shown[k + len(METRICS)])]
    line = f"| {name} | {epsilon} | {noise:.4f} | " + " | ".join(pairs) + " |"
    print(line, flush=True)
    return noise, line


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bench = auto.Auto(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                          pathlib.Path(folder))
        lines = []
        for name, count in SETS:
            files = sampled(bench, next(each for each in auto.SETS if each.name == name), count)
            shown = name if count is None else f"{name}, {count}"
            lines += [cell(bench, pool, shown, files, epsilon, options.seeds)
                      for epsilon in EPSILONS]
    heads = [text for name in METRICS for text in (name.replace("_", " "), "counted")]
    tables.keep_page("utility/auto_counts", "\n".join([
        "# Counted categories", "",
        f"Means of {options.seeds} seeds on records that were not trained on, add_remove, delta 1e-5,",
        "in the order of nu: `auto` counts from 0.01 on.", "",
        "| data | epsilon | nu | " + " | ".join(heads) + " |",
        "|---|---:|---:|" + "---:|" * len(heads),
        *(line for _, line in sorted(found for found in lines if found))]),
        "bench/utility/auto_counts.py")


if __name__ == "__main__":
    main()
