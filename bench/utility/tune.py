#!/usr/bin/env python3
"""Adult through `tacet tune` with 12 candidates, beside a naive grid of the same ones at one total.

    bench/utility/tune.py PROGRAM DATA [--seeds N]

DATA is the folder of public data sets. The naive grid trains every candidate on the same 70 % of the
records, each with the share of the budget at which all twelve together keep the total (mu / sqrt 12),
and keeps the one that is best on the other 30 %, counted exactly, which favours it. Prints a table:
medians of test accuracy. The CPU time of a tuning beside that of its trainings is held to 1.1 by the
test TuneLong.AddsAtMostATenthToTheTimeOfItsTrainings.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DELTA = 1e-5
VALUES = {"clipping-norm": (0.25, 0.5, 1), "steps": (50, 200), "momentum": (0.5, 0.9)}
GRID = "[values]\n" + "".join(f"{name} = {list(values)}\n" for name, values in VALUES.items())


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: {done.stderr}")
    return done.stdout + done.stderr


def accuracy(program, model, data):
    return float(re.search(r"accuracy\s+([\d.]+)", run(program, "evaluate", model, data, "--public")).group(1))


def share(program, epsilon, count):
    """The epsilon of one of `count` runs whose Gaussian noise together costs epsilon."""
    noise = float(re.search(r"noise_multiplier\s+([\d.]+)",
                            run(program, "account", "--mechanism", "gaussian", "--target-epsilon", epsilon,
                                "--delta", DELTA, "--steps", count)).group(1))
    return float(re.search(r"\nepsilon\s+([\d.]+)", run(program, "account", "--mechanism", "gaussian",
                                                      "--noise-multiplier", noise, "--delta", DELTA)).group(1))


def candidates():
    for clip in VALUES["clipping-norm"]:
        for steps in VALUES["steps"]:
            for momentum in VALUES["momentum"]:
                yield ("--clipping-norm", clip, "--steps", steps, "--momentum", momentum)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    program = options.program
    train, test = (options.data / "adult" / f"adult.{part}.csv.gz" for part in ("train", "test"))
    schema = SOURCE / "data/schemas/adult.toml"
    common = ("--schema", schema, "--delta", DELTA, "--threads", 1, "--force", "--quiet")
    print("| epsilon | tune | naive grid | train, settings by rule |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "grid.toml").write_text(GRID)
        model = folder / "m.json"
        for epsilon in (0.5, 1, 4):
            each = share(program, epsilon, 12)
            found = {"tune": [], "naive": [], "train": []}
            for seed in range(1, options.seeds + 1):
                run(program, "tune", train, "--grid", folder / "grid.toml", "--epsilon", epsilon,
                    "--seed", seed, "--output", model, *common)
                found["tune"].append(accuracy(program, model, test))
                run(program, "train", train, "--epsilon", epsilon, "--seed", seed, "--output", model, *common)
                found["train"].append(accuracy(program, model, test))
                run(program, "split", train, "--train-output", folder / "a.csv", "--test-output",
                    folder / "b.csv", "--test", 0.3, "--seed", seed, "--force")
                best = (0, 0)
                for number, settings in enumerate(candidates()):
                    run(program, "train", folder / "a.csv", "--epsilon", each, "--public-row-count", 22793,
                        "--seed", 100 * seed + number, "--output", model, *settings, *common)
                    best = max(best, (accuracy(program, model, folder / "b.csv"), accuracy(program, model, test)))
                found["naive"].append(best[1])
            medians = {name: statistics.median(values) for name, values in found.items()}
            print(f"| {epsilon} | {medians['tune']:.4f} | {medians['naive']:.4f} "
                  f"| {medians['train']:.4f} |", flush=True)


if __name__ == "__main__":
    main()
