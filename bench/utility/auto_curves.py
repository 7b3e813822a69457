#!/usr/bin/env python3
"""What curves are worth, beside what `auto` does without them, and what they cost.

    TACET_DATA=FOLDER bench/utility/auto_curves.py [--program FILE] [--only WORD,..]
                                                   [--epsilons E,..] [--seeds N]

Each data set with a number to predict that `auto` was measured on (bench/utility/auto.py), its split,
add_remove, delta 1e-5: median R2 of records that were not trained on, with `--curves none` and with
`--curves auto`, and the median seconds of one processor that a training takes. `a` is the noise that the
rule goes by; `used` says whether `auto` uses curves there when nothing is given. The constants of
the rule were chosen on elevators, abalone, Boston, medical, kin8nm, wine, pol and California and
looked at on bike and kin40k; parkinsons and PUMS had no part in it.
A set where `auto` with curves loses more than .01 is exit code 1.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile

import auto
import methods
import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

WAYS = ("none", "auto")
LARGEST_LOSS = .01


def trained(bench, words, train, test, seeds):
    """Median R2 and seconds of a processor."""
    scores, seconds = [], []
    model = bench.folder / "model.json"
    for seed in range(1, seeds + 1):
        begun = os.times()
        methods.train(bench, [train, *words, "--threads", 1, "--seed", seed, "--output", model,
                              "--force"], 600)
        ended = os.times()
        seconds.append(ended.children_user - begun.children_user)
        scores.append(bench.call("evaluate", model, test, "--public")["r2"])
    return statistics.median(scores), statistics.median(seconds)


def row_of(bench, found, epsilon, seeds):
    rules, train, test, options = bench.files(found)
    words = ["--schema", rules, *options, *auto.LAWS["add_remove"], "--epsilon", epsilon]
    plan = bench.call("plan", *words)
    # Where `auto` itself leaves curves out, they are asked for with the rule's share.
    asked = bench.call("plan", *words, "--method", "gradient", "--curves", "auto")
    row = {"data": found.name, "epsilon": epsilon, "a": None,
           "used": "yes" if "whitening_noise_multiplier" in plan else "no"}
    curved = "whitening_noise_multiplier" in asked
    if curved:
        one = asked["whitening_noise_multiplier"] * .05 ** .5
        row["a"] = round(one / .9 ** .5 / asked["public_row_count"], 6)
    for way in WAYS:
        if way == "auto" and not curved:
            continue
        score, seconds = trained(bench, [*words, *(["--method", "gradient"] if way == "auto" else []),
                                         "--curves", way], train, test, seeds)
        row["without" if way == "none" else "with curves"] = round(score, 4)
        row[f"{'without' if way == 'none' else 'with'}, s"] = round(seconds, 2)
    print(row, flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    parser.add_argument("--epsilons", type=lambda text: [float(e) for e in text.split(",")],
                        default=list(auto.EPSILONS))
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bench = auto.Auto(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                          pathlib.Path(folder))
        for found in auto.SETS:
            if found.metric != "r2" or found.name == "white wine" or bench.files(found) is None:
                continue
            if options.only and found.name not in options.only:
                continue
            rows += [row_of(bench, found, epsilon, options.seeds) for epsilon in options.epsilons]
    tables.keep_page("utility/auto_curves", "\n".join([
        "# Curves", "",
        f"Median R2 of {options.seeds} seeds on records that were not trained on, add_remove, delta 1e-5.",
        "Seconds are those of one processor, reading included.", "", tables.markdown(rows)]),
        "bench/utility/auto_curves.py")
    lost = [row for row in rows if row["used"] == "yes" and row.get("with curves") is not None
            and row["with curves"] < row["without"] - LARGEST_LOSS]
    for row in lost:
        print(f"{row['data']} at {row['epsilon']}: {row['with curves']} with curves, "
              f"{row['without']} without", file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
