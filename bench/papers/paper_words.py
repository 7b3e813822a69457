#!/usr/bin/env python3
"""The experiment of Zhang, Mironov and Hejazinia (2021), section 6, with what is proved beside it.

    TACET_DATA=FOLDER bench/papers/paper_words.py [--program FILE] [--set SET,..] [--tables N,..]
        [--setting NAME,..] [--epochs N] [--seeds N] [--texts FOLDER] [--missing]

SET is brown-paper or shakespeare, prepared by bench/common/words.py as their section 6.2 says; TABLES 1
(their shared table) or 2. Each run of paper_words_bench gives the loss of training and of test
pairs after every epoch. Runs are added to build/results/papers/paper_words.json, with
--missing those alone that are not there; from all runs bench/papers/tables/paper_words.md is written
anew. A folder that is named keeps the prepared texts.

The paper tunes on a validation set that it takes to be public. Nothing is tuned here: settings are
those of its Table 1. Noise multipliers of "equal epsilon" rows are those at which 3.53 is proved
for 20 epochs. Brown's text is for evaluation only and no part of it is in the results.
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
from common import origin, tables  # noqa: E402


ROOT = pathlib.Path(__file__).resolve().parents[2]
SETS = ("brown-paper", "shakespeare")
SETTINGS = {
    "unprotected": "without privacy (a)",
    "dp-sgd-0.32": "DP-SGD, noise 0.32 (b)",
    "dp-sgd-0.5": "DP-SGD, noise 0.5 (c)",
    "exponential": "sparse exponential, noise 0.5 (d)",
    "sparse-vector": "sparse vector, noise 0.5 (e)",
    "uniform": "sparse uniform, noise 0.5 (f)",
    "dp-sgd-0.4654": "equal epsilon: DP-SGD, noise 0.4654",
    "exponential-masked": "equal epsilon: exponential, clipped on the chosen numbers",
    "uniform-masked": "equal epsilon: uniform, clipped on the chosen numbers",
    "adafest": "equal epsilon: AdaFEST, clipped on the chosen rows",
}


def split(text):
    return text.split(",")


def key_of(run):
    return tuple(run[part] for part in ("set", "setting", "tables", "epochs", "seed"))


def measure(given, folder):
    path = tables.raw("papers/paper_words")
    runs = json.loads(path.read_text("utf-8"))["runs"] if path.exists() else []
    wanted = [(name, setting, int(count), given.epochs, seed) for name in given.set
              for count in given.tables for setting in given.setting
              for seed in range(1, given.seeds + 1)]
    if given.missing:
        done = set(map(key_of, runs))
        wanted = [key for key in wanted if key not in done]
    for name, *words in wanted:
        if not (folder / name / "test.txt").exists():
            subprocess.run([sys.executable, str(ROOT / "bench/common/words.py"), name, str(folder / name)],
                           check=True, stdout=subprocess.DEVNULL)
        out = subprocess.run([str(given.program), str(folder / name), *map(str, words)],
                             check=True, capture_output=True, text=True).stdout
        run = {"set": name, **json.loads(out), "commit": origin.origin()["commit"]}
        runs = [other for other in runs if key_of(other) != key_of(run)] + [run]
        path.write_text(json.dumps({"origin": origin.origin(), "runs": runs}, indent=1) + "\n",
                        encoding="utf-8")
        print(name, *words, run["test_loss"][-1], flush=True)
    return runs


def shown(value, digits=2):
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def groups_of(runs):
    """Runs of one set, number of tables and number of epochs, by setting."""
    groups = {}
    for run in runs:
        group = groups.setdefault((run["set"], run["tables"], run["epochs"]), {})
        group.setdefault(run["setting"], []).append(run)
    return dict(sorted(groups.items()))


def median(runs, part, epoch):
    return statistics.median(run[part][epoch] for run in runs)


def epsilon_of(runs):
    proved = runs[0]["proved_epsilon"]
    return "" if proved == "none" else shown(proved)


def page(runs):
    lines = ["# Word vectors as in Zhang, Mironov and Hejazinia (2021), section 6", "",
             "Written by `bench/papers/paper_words.py`; medians where there are several seeds. Losses are",
             "means over pairs with eight negatives each; the constant 0 for all scores has",
             "9 ln 2 = 6.238. Epsilon is at delta 1e-5 for add_remove of one pair; an empty claim",
             "means that the paper makes none, an empty proof that nothing is promised.", ""]
    for (name, tables_used, epochs), settings in groups_of(runs).items():
        shared = "one shared table" if tables_used == 1 else "two tables, biases"
        lines += [f"## {name}, {shared}, {epochs} epochs", "",
                  "| setting | claimed epsilon | proved epsilon | training loss | test loss "
                  "| best test loss (epoch) | CPU s |", "|---|---|---|---|---|---|---|"]
        for setting in (key for key in SETTINGS if key in settings):
            found = settings[setting]
            tests = [median(found, "test_loss", k) for k in range(epochs)]
            best = min(range(epochs), key=tests.__getitem__)
            lines.append(
                f"| {SETTINGS[setting]} | {shown(found[0].get('claimed_epsilon', ''), 0)} "
                f"| {epsilon_of(found)} | {median(found, 'training_loss', -1):.4f} "
                f"| {tests[-1]:.4f} | {tests[best]:.4f} ({best + 1}) "
                f"| {statistics.median(run['cpu_seconds'] for run in found):.0f} |")
        lines += ["", "Training and test loss by epoch:", "",
                  "| epoch | " + " | ".join(key for key in SETTINGS if key in settings) + " |",
                  "|---|" + "---|" * len(settings)]
        for epoch in range(epochs):
            cells = [f"{median(settings[key], 'training_loss', epoch):.3f} / "
                     f"{median(settings[key], 'test_loss', epoch):.3f}"
                     for key in SETTINGS if key in settings]
            lines.append(f"| {epoch + 1} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=ROOT / "build/bench/bench/paper_words_bench")
    parser.add_argument("--set", type=split, default=SETS)
    parser.add_argument("--tables", type=split, default=("1", "2"))
    parser.add_argument("--setting", type=split, default=tuple(SETTINGS))
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--texts", type=pathlib.Path)
    parser.add_argument("--missing", action="store_true")
    given = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    with tempfile.TemporaryDirectory() as folder:
        runs = measure(given, given.texts or pathlib.Path(folder))
    tables.keep_page("papers/paper_words", page(runs), "bench/papers/paper_words.py")


if __name__ == "__main__":
    main()
