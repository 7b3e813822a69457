#!/usr/bin/env python3
"""Whether the stated noise of coefficients is the noise that they have.

    TACET_DATA=FOLDER bench/utility/noise.py [--program FILE] [--runs N]

Descent with its own settings on four tables at epsilon .5, 1 and 4, forty seeds each. What a
coefficient would be without noise is the mean over 20 seeds of the same descent at epsilon 50 and
delta 1/2, which has at most a fiftieth of the noise at epsilon 4. For each coefficient the stated
standard deviation (the median over runs) is divided by the root mean square of what it was off by; then the
median over coefficients is taken. Coverage is the share of all coefficients of all runs that lie
within 1.96 stated ones. The same for methods whose stated one is the law's own. Ends
with code 1 where a ratio lies outside of .9 to 2 or a coverage outside of .93 to 1 (laws: .8 to
1.25 and .9 to 1, four standard errors of forty runs in seven columns). The result goes to
bench/utility/tables/noise.md.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402


ABOUT = """Stated noise of coefficients beside what repeated runs show

Ratio is measured over stated, coverage of stated intervals of 95 %."""
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "data" / "schemas"
EPSILONS = (0.5, 1, 4)
LITTLE_NOISE = ("--delta", 0.5)
DESCENT = ("steps", "step_size", "clipping_norm", "momentum", "average")
LAWS = {"output": ("steps", "step_size", "radius"), "regularized-output": ("l2",)}


def tables_of(data):
    return {"berkeley1973": ROOT / "data" / "berkeley1973.csv",
            "german_credit": data / "german_credit" / "german.csv.gz",
            "california_housing": data / "california_housing" / "housing.csv.gz",
            "adult": data / "adult" / "adult.train.csv.gz"}


class Trainer:
    def __init__(self, program, table, name, method):
        self.words = [program, "train", table, "--schema", SCHEMAS / f"{name}.toml", "--method",
                      method, "--threads", 1, "--quiet", "--force"]

    def __call__(self, epsilon, seed, *options):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model.json"
            words = [*self.words, "--epsilon", epsilon, "--seed", seed, "--output", model, *options]
            subprocess.run([str(w) for w in words], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            return json.loads(model.read_text("utf-8"))


def named(parameters, names):
    """These settings as options, so that another epsilon does not choose others."""
    for name in names:
        if name in parameters:
            yield f"--{name.replace('_', '-')}"
            yield repr(parameters[name])


def compare(runs, exact):
    """Stated over realised in the median over coefficients, and the coverage."""
    ratios, covered = [], 0
    for j, truth in enumerate(exact):
        errors = [run["coefficients"][j] - truth for run in runs]
        stated = [run["noise_stddevs"][j] for run in runs]
        realised = statistics.fmean(e * e for e in errors) ** 0.5
        ratios.append(statistics.median(stated) / realised)
        covered += sum(abs(e) < 1.96 * s for e, s in zip(errors, stated))
    return {"coefficients": len(exact), "ratio": statistics.median(ratios),
            "min_ratio": min(ratios), "largest_ratio": max(ratios),
            "coverage": covered / (len(exact) * len(runs))}


def measure(train, epsilon, runs, names):
    found = [train(epsilon, seed) for seed in range(1, runs + 1)]
    settings = found[0]["receipt"]["parameters"]
    quiet = [train(50, seed, *LITTLE_NOISE, *named(settings, names))["model"]
             for seed in range(1, 21)]
    if quiet[0]["features"] != found[0]["model"]["features"]:
        sys.exit("less noise led to other columns: there is nothing to compare with")
    exact = [statistics.fmean(values) for values in zip(*(m["coefficients"] for m in quiet))]
    return {"epsilon": epsilon, "steps": settings.get("steps"),
            **compare([run["model"] for run in found], exact)}


def within(row):
    if row["method"] == "gradient":
        return .9 <= row["ratio"] <= 2 and .93 <= row["coverage"] <= 1
    return .8 <= row["ratio"] <= 1.25 and .9 <= row["coverage"] <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=ROOT / "build" / "release" / "tacet")
    parser.add_argument("--runs", type=int, default=40)
    arguments = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of the data sets")
    rows, missed = [], 0
    for name, table in tables_of(pathlib.Path(os.environ["TACET_DATA"])).items():
        methods = {"gradient": DESCENT, **(LAWS if name == "berkeley1973" else {})}
        for method, names in methods.items():
            train = Trainer(arguments.program, table, name, method)
            for epsilon in EPSILONS:
                row = {"data": name, "method": method,
                       **measure(train, epsilon, arguments.runs, names)}
                rows.append(row)
                good = within(row)
                missed += not good
                print(f"{name:<20} {method:<19} {epsilon:<4} {row['coefficients']:>3} columns: "
                      f"{row['ratio']:.2f} ({row['min_ratio']:.2f} to {row['largest_ratio']:.2f})"
                      f", {row['coverage']:.1%}{'' if good else '  MISSED'}", flush=True)
    tables.save("utility/noise", rows)
    tables.keep("utility/noise", ABOUT, f"bench/utility/noise.py --runs {arguments.runs}",
                {"Coefficients": rows})
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
