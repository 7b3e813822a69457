#!/usr/bin/env python3
"""What learning from devices that trust nobody is worth, on synthetic and on real people.

    TACET_DATA=FOLDER bench/local.py [--program FILE] [--study FILE] [--part synthetic|real]
                                     [--output FILE]

Synthetic (local_study, which says what the cases are): medians of 5 seeds of the excess loss, and
the assertions

    A1  the paper's constants with L2-Laplace reports move nothing: at least 0.9 of the loss of 0
    A2  known noise, L2-Laplace, |w*| = 2: at most 0.8 of it
    A3  PrivUnit, known noise or bounded: at most 0.20 of it for |w*| up to 8, 0.3 for 32
    A4  PrivUnit: at most 12 times descent with the best of 11 steps, chosen with the true risk
    A5  case B, bounded, |w*| = 8: at most 0.25 of it
    A6  case C, bounded, |w*| 2 and 8: at most 0.35 of it

Real: one pass, untuned, seeds 1 to 5, on records that were not trained on, beside the majority's
share, descent with each of five steps and what trying them costs: five steps tried on the same
people are five reports of each, 5 epsilon. Adult has bars; the rule for the batch was found on it,
so bank marketing and covertype, untouched, stand beside it without any.

The result goes to bench/results/local.json, its tables to local.md beside it. Exit code 1 when
something does not hold.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import origin
import utility

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = (1, 2, 3, 4, 5)
NORMS = (0.5, 2, 8, 32)
STEPS = (0.01, 0.03, 0.1, 0.3, 1)
SETS = (utility.ADULT, utility.BANK, utility.COVERTYPE)
# (set, epsilon): least median accuracy, largest median log loss.
BARS = {("adult", 4): (0.795, 0.42), ("adult", 8): (0.82, 0.395)}
EPSILONS = (1, 4, 8)
DESCENT_AT = {("adult", 4)}  # where steps are tried; at 8 a report takes ten times as long
BANCO = [("banco, privunit", []),
         ("banco, l2_laplace", ["--mechanism", "l2_laplace"]),
         ("banco, the paper's constants", ["--calibration", "paper"])]


def synthetic(study, cases):
    rows = []
    for case in cases:
        run = subprocess.run([str(study), case, str(len(SEEDS))], check=True, capture_output=True,
                             text=True)
        rows += [json.loads(line) for line in run.stdout.splitlines()]
    return rows


def medians(rows):
    """{(case, name, norm): median of the excess loss}"""
    out = {}
    for row in rows:
        out.setdefault((row["case"], row["name"], row["norm"]), []).append(row["excess"])
    return {key: statistics.median(values) for key, values in out.items()}


def assertions(found):
    """[(name, holds, value, bar)]"""
    out = []

    def over_zero(label, case, name, norm, most, least=0.0):
        value = found[case, name, norm] / found[case, "zero", norm]
        bar = f">= {least}" if least else f"<= {most}"
        out.append((f"{label}, case {case}, |w*| = {norm:g}, {name}", least <= value <= most,
                    value, bar))

    for norm in (0.5, 2, 8):
        over_zero("A1", "A", "paper, l2_laplace", norm, float("inf"), 0.9)
    over_zero("A2", "A", "known noise, l2_laplace", 2, 0.8)
    for name in ("known noise, privunit", "bounded, privunit"):
        for norm in NORMS:
            over_zero("A3", "A", name, norm, 0.3 if norm == 32 else 0.2)
            best = min(value for (case, other, n), value in found.items()
                       if case == "A" and other.startswith("descent") and n == norm)
            ratio = found["A", name, norm] / best
            out.append((f"A4, |w*| = {norm:g}, {name}", ratio <= 12, ratio, "<= 12"))
    over_zero("A5", "B", "bounded, privunit", 8, 0.25)
    for norm in (2, 8):
        over_zero("A6", "C", "bounded, privunit", norm, 0.35)
    return out


class People:
    def __init__(self, program, data, folder):
        self.program, self.data, self.folder = program, data, folder

    def call(self, *words):
        run = subprocess.run([str(self.program), *map(str, words), "--json", "--quiet"],
                             check=False, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"tacet {' '.join(map(str, words))} failed:\n{run.stderr}")
        return json.loads(run.stdout)

    def files(self, named):
        schema, train, test = named
        file = ROOT / "data" / "schemas" / f"{schema}.toml"
        if test:
            return file, self.data / train, self.data / test, []
        names = train if isinstance(train, tuple) else (train,)
        folder = self.folder / schema
        folder.mkdir(exist_ok=True)
        train_file, test_file, count = utility.split([self.data / n for n in names],
                                                     file.read_text("utf-8"), folder)
        return file, train_file, test_file, ["--public-row-count", count]

    def score(self, files, epsilon, options, command=("local", "simulate")):
        """Medians over the seeds, and all of them."""
        schema, train, test, count = files
        found = []
        for seed in SEEDS:
            model = self.folder / "model.json"
            self.call(*command, train, "--schema", schema, "--epsilon", epsilon, *count, *options,
                      "--seed", seed, "--output", model, "--force")
            found.append(self.call("evaluate", model, test, "--public"))
        accuracies = [f["accuracy"] for f in found]
        losses = [f["log_loss"] for f in found]
        return {"accuracy": statistics.median(accuracies), "log_loss": statistics.median(losses),
                "accuracies": accuracies, "log_losses": losses,
                "majority": found[0].get("majority_share")}

    def rows(self):
        for named in SETS:
            files = self.files(named)
            yield {"set": named[0], "name": "central, gradient", "epsilon": 1, "cost": 1,
                   **self.score(files, 1, ["--delta", "1e-5"], ("train",))}
            for epsilon in EPSILONS:
                for name, options in BANCO:
                    yield {"set": named[0], "name": name, "epsilon": epsilon, "cost": epsilon,
                           **self.score(files, epsilon, options)}
                if (named[0], epsilon) not in DESCENT_AT:
                    continue
                tried = []
                for step in STEPS:
                    row = self.score(files, epsilon, ["--learner", "local-sgd", "--step-size",
                                                      step, "--batch-size", 32])
                    tried.append({"set": named[0], "name": f"descent, step {step:g}",
                                  "epsilon": epsilon, "cost": epsilon, **row})
                best = max(tried, key=lambda row: row["accuracy"])
                yield from tried
                yield {**best, "name": "descent, best of 5 on the test set",
                       "cost": len(STEPS) * epsilon}


def bars(rows):
    out = []
    for row in rows:
        bar = BARS.get((row["set"], row["epsilon"])) if row["name"] == "banco, privunit" else None
        if bar is None:
            continue
        label = f"{row['set']}, epsilon {row['epsilon']:g}"
        out.append((f"{label}, accuracy", row["accuracy"] >= bar[0], row["accuracy"],
                    f">= {bar[0]}"))
        out.append((f"{label}, log loss", row["log_loss"] <= bar[1], row["log_loss"],
                    f"<= {bar[1]}"))
    return out


def tables(found, real, held):
    out = ["# Learning from devices that trust nobody", ""]
    for case in sorted({key[0] for key in found}):
        names = list(dict.fromkeys(key[1] for key in found if key[0] == case))
        out += [f"## Case {case}: median excess loss", "",
                "| learner | " + " | ".join(f"{norm:g}" for norm in NORMS) + " |",
                "|---|" + "---|" * len(NORMS)]
        out += [f"| {name} | "
                + " | ".join(f"{found[case, name, norm]:.3g}" for norm in NORMS) + " |"
                for name in names]
        out.append("")
    if real:
        out += ["## Real people, one report each: medians of 5 seeds", "",
                "| set | learner | epsilon | accuracy | log loss | majority | tuned: epsilon |",
                "|---|---|---|---|---|---|---|"]
        out += [f"| {r['set']} | {r['name']} | {r['epsilon']:g} | {r['accuracy']:.4f} | "
                f"{r['log_loss']:.4f} | {r['majority']:.4f} | {r['cost']:g} |" for r in real]
        out.append("")
    out += ["## What must hold", "", "| | measured | bar | |", "|---|---|---|---|"]
    out += [f"| {name} | {value:.4g} | {bar} | {'holds' if holds else 'MISSED'} |"
            for name, holds, value, bar in held]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bench/tacet")
    parser.add_argument("--study", type=pathlib.Path,
                        default=ROOT / "build/bench/bench/local_study")
    parser.add_argument("--part", choices=("synthetic", "real"))
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench/results/local.json")
    options = parser.parse_args()
    before = json.loads(options.output.read_text("utf-8")) if options.output.exists() else {}
    rows, real = before.get("synthetic", []), before.get("real", [])
    if options.part != "real":
        rows = synthetic(options.study, ("A", "B", "C"))
    if options.part != "synthetic":
        data = pathlib.Path(os.environ.get("TACET_DATA", ""))
        if not (data / "adult").is_dir():
            sys.exit("TACET_DATA names no folder with the public data sets")
        with tempfile.TemporaryDirectory() as folder:
            real = list(People(options.program, data, pathlib.Path(folder)).rows())
    found = medians(rows)
    held = (assertions(found) if found else []) + bars(real)
    options.output.write_text(json.dumps({**origin.origin(), "synthetic": rows, "real": real},
                                         indent=1) + "\n", encoding="utf-8")
    text = tables(found, real, held)
    options.output.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)
    return 0 if all(holds for _, holds, _, _ in held) else 1


if __name__ == "__main__":
    sys.exit(main())
