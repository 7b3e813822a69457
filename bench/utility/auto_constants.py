#!/usr/bin/env python3
"""Three constants of `auto` on sets without a bar: up to which noise numbers are standardised, and
from which noise on half the path is taken.

    TACET_DATA=FOLDER bench/utility/auto_constants.py [--program FILE] [--seeds N] [--minutes M]
                                              [--rows FILE]

A cell is a set, a law, an epsilon and a way: the median over the seeds of accuracy or R2 on records
that were not trained on, split as in bench/utility/auto.py. Ways are numbers as they are, standardised, and
(for a number to predict) standardised with half the step size at the same number of steps, which is
half the path. Beside them nu = sqrt(d) s / N, by which the rules go. No set without a bar has more
than 38 numbers, so the third constant, 64 of them, is decided by none of them.

A run is appended to --rows (build/auto_constants.jsonl) as soon as it is known, and not made again;
after --minutes it ends, and another call goes on. The table is made of what there is.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile
import time

import auto
import methods
import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

NAMES = ("boston", "abalone", "pums income", "pums married", "breast cancer", "nhanes1",
         "elevators", "kin40k")
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1, 4)
LAWS = ("add_remove", "replace_one")
PLAIN = ["--method", "gradient", "--standardise", "none"]
STANDARDISED = ["--method", "gradient", "--standardise", "means"]
WAYS = ("as they are", "standardised", "half the path")


def options_of(way, plan):
    if way == "as they are":
        return PLAIN
    if way == "standardised":
        return STANDARDISED
    resolved = plan(STANDARDISED)
    return [*STANDARDISED, "--steps", resolved["steps"],
            "--step-size", repr(resolved["step_size"] / 2)]


def cells(seeds):
    for seed in seeds:
        for found in auto.SETS:
            if found.name not in NAMES:
                continue
            for law in LAWS:
                for epsilon in EPSILONS:
                    for way in WAYS if found.metric == "r2" else WAYS[:2]:
                        yield found, law, epsilon, way, seed


def key(row):
    return row["data"], row["law"], row["epsilon"], row["way"], row["seed"]


def run(bench, found, law, epsilon, way, seed):
    rules, train, test, options = bench.files(found)
    common = ["--schema", rules, *options, *auto.LAWS[law], "--epsilon", epsilon]
    plan = lambda words: bench.call("plan", *common, *words)
    plain = plan(PLAIN)
    model = bench.folder / "model.json"
    row = {"data": found.name, "law": law, "epsilon": epsilon, "way": way, "seed": seed,
           "metric": found.metric, "commit": bench.commit,
           "nu": math.sqrt(plain["columns"]) * plain["noise_multiplier"] /
                 math.sqrt(plain["steps"]) / plain["public_row_count"]}
    try:
        methods.train(bench, [train, *common, *options_of(way, plan), "--threads", 1, "--seed",
                              seed, "--output", model, "--force"], 120)
    except methods.Refused as reason:
        return row | {"refused": str(reason)}
    said = bench.call("evaluate", model, test, "--public")
    return row | {"score": said[found.metric], "constant": said.get("majority_share", 0)}


def table(rows):
    cells_of = {}
    for row in rows:
        cell = cells_of.setdefault((row["data"], row["law"], row["epsilon"]),
                                   {"nu": row["nu"], "metric": row["metric"]})
        if "score" in row:
            cell.setdefault(row["way"], []).append(row["score"])
            cell["constant"] = row["constant"]
    lines = ["# Constants of `auto` on sets without a bar", "",
             "Medians on records that were not trained on; made by `bench/utility/auto_constants.py`. In the",
             "order of nu.", "",
             "| data | law | epsilon | nu | metric | seeds | constant | " + " | ".join(WAYS) + " |",
             "|---|---|---:|---:|---|---:|---:|" + "---:|" * len(WAYS)]
    for (data, law, epsilon), cell in sorted(cells_of.items(), key=lambda item: item[1]["nu"]):
        scores = [cell.get(way, []) for way in WAYS]
        shown = [f"{statistics.median(score):.4f}" if score else "" for score in scores]
        lines.append(f"| {data} | {law} | {epsilon} | {cell['nu']:.3f} | {cell['metric']} | "
                     f"{max(map(len, scores))} | {cell.get('constant', 0):.4f} | "
                     f"{' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--seeds", type=int, default=len(utility.SEEDS))
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--rows", type=pathlib.Path,
                        default=utility.ROOT / "build/auto_constants.jsonl")
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    rows = [json.loads(line) for line in options.rows.open(encoding="utf-8")] \
        if options.rows.exists() else []
    known = {key(row) for row in rows}
    ends = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory() as folder, \
            options.rows.open("a", encoding="utf-8") as out:
        bench = auto.Auto(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                          pathlib.Path(folder))
        for found, law, epsilon, way, seed in cells(range(1, options.seeds + 1)):
            if (found.name, law, epsilon, way, seed) in known or bench.files(found) is None:
                continue
            if time.monotonic() > ends:
                break
            rows.append(run(bench, found, law, epsilon, way, seed))
            out.write(json.dumps(rows[-1]) + "\n")
            out.flush()
    tables.keep_page("utility/auto_constants", table(rows), "bench/utility/auto_constants.py")


if __name__ == "__main__":
    main()
