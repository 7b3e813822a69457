#!/usr/bin/env python3
"""All methods of the product side by side, untouched, on three public data sets.

    TACET_DATA=FOLDER bench/methods.py [--program FILE] [--only WORD] [--output FILE]

Every cell is the median over seeds 1 to 5 of a metric on records that were not trained on (accuracy,
or R2 of a least-squares fit) for one data set, method, epsilon and delta, the default loss, nothing
tuned; adjacency replace_one for all methods. A method that is not offered for a problem has the
program's own reason instead. The sets are split as in bench/utility.py. The result goes to
bench/results/methods.json, its tables to methods.md beside it, and pictures of it beside both where
matplotlib is installed.
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

EPSILONS = (0.1, 0.5, 1, 2, 4)
DELTAS = ("0", "1e-6")
METHODS = ("gradient", "output", "phased", "objective", "regularized-output", "inverse-sensitivity",
           "ladder", "localized", "growth", "phased-erm")
SETS = [  # name, schema, training file, test file (None: split), metric
    ("adult", "adult", "adult/adult.train.csv.gz", "adult/adult.test.csv.gz", "accuracy"),
    ("california housing", "california_housing", "california_housing/housing.csv.gz", None, "r2"),
    ("white wine", "wine_quality", "wine_quality/winequality-white.csv.gz", None, "r2"),
]


class Refused(Exception):
    pass


def train(bench, words):
    run = subprocess.run([str(bench.program), "train", *map(str, words), "--json", "--quiet"],
                         check=False, capture_output=True, text=True)
    if run.returncode in (2, 5):  # usage, guarantee refused: settled before a record is read
        raise Refused(run.stderr.strip().splitlines()[-1].removeprefix("tacet train: ").strip())
    if run.returncode != 0:
        sys.exit(f"methods: {' '.join(map(str, words))} failed:\n{run.stderr}")


def cell(bench, schema, files, common, method, epsilon, delta, metric):
    model = bench.folder / "model.json"
    scores = []
    for seed in utility.SEEDS:
        train(bench, [files[0], "--schema", schema, *common, "--method", method, "--adjacency",
                      "replace_one", "--epsilon", epsilon, "--delta", delta, "--seed", seed,
                      "--threads", 1, "--output", model, "--force"])
        scores.append(bench.call("evaluate", model, files[1], "--public")[metric])
    return scores


def rows(bench, only):
    for name, schema_name, train_file, test, metric in SETS:
        if only not in name:
            continue
        schema = utility.SCHEMAS / f"{schema_name}.toml"
        if not (bench.data / train_file).exists():
            print(f"{name}: {train_file} is not below TACET_DATA; left out", file=sys.stderr)
            continue
        common = []
        if test is None:
            *files, count = utility.split([bench.data / train_file], schema.read_text("utf-8"),
                                          bench.folder)
            common = ["--public-row-count", str(count)]
        else:
            files = [bench.data / train_file, bench.data / test]
        best = bench.score(schema, files[0], files[1], common, "inf", metric)
        for method in METHODS:
            for delta in DELTAS:
                for epsilon in EPSILONS:
                    found = {"data": name, "metric": metric, "method": method,
                             "epsilon": epsilon, "delta": float(delta), "unprotected": best}
                    try:
                        scores = cell(bench, schema, files, common, method, epsilon, delta, metric)
                        found |= {"value": statistics.median(scores), "seeds": scores}
                    except Refused as reason:
                        found["refused"] = str(reason)
                    print(f"{name:18} {method:20} delta {delta:5} epsilon {epsilon:<4} "
                          f"{found.get('value', found.get('refused'))}", flush=True)
                    yield found


def tables(found):
    lines = ["# All methods side by side", "",
             "Medians over five seeds on records that were not trained on; nothing tuned.", ""]
    for name, metric, best in dict.fromkeys((r["data"], r["metric"], r["unprotected"])
                                            for r in found):
        for delta in map(float, DELTAS):
            lines += [f"## {name}, {metric}, delta {delta:g}; without privacy {best:.4f}", "",
                      "| method | " + " | ".join(f"epsilon {e}" for e in EPSILONS) + " |",
                      "|---|" + "---:|" * len(EPSILONS)]
            for method in METHODS:
                cells = [r for r in found if (r["data"], r["delta"], r["method"])
                         == (name, delta, method)]
                if all("refused" in r for r in cells):
                    lines.append(f"| {method} | not offered: {cells[0]['refused']} |"
                                 + " |" * (len(EPSILONS) - 1))
                    continue
                lines.append(f"| {method} | " + " | ".join(
                    "refused" if "refused" in r else f"{r['value']:.4f}" for r in cells) + " |")
            lines.append("")
    return "\n".join(lines)


def draw(found, folder):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("methods: no matplotlib, no pictures", file=sys.stderr)
        return
    for name, best in dict.fromkeys((r["data"], r["unprotected"]) for r in found):
        figure, axes = pyplot.subplots(1, len(DELTAS), figsize=(12, 5), sharey=True)
        for axis, delta in zip(axes, map(float, DELTAS)):
            for method in METHODS:
                points = [(r["epsilon"], r["value"]) for r in found
                          if (r["data"], r["delta"], r["method"]) == (name, delta, method)
                          and "value" in r]
                if points:
                    axis.plot(*zip(*points), marker="o", label=method)
            axis.axhline(best, color="black", linestyle=":")
            axis.set(title=f"{name}, delta {delta:g}", xlabel="epsilon", xscale="log",
                     ylim=(min(0, best) if best < 0.7 else 0.5, best + 0.05))
            axis.legend(fontsize=7)
        figure.savefig(folder / f"methods-{name.replace(' ', '-')}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--only", default="")
    parser.add_argument("--output", type=pathlib.Path,
                        default=utility.ROOT / "bench/results/methods.json")
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    with tempfile.TemporaryDirectory() as folder:
        bench = utility.Bench(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                              pathlib.Path(folder))
        found = list(rows(bench, options.only))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps({"origin": origin.origin(), "seeds": utility.SEEDS,
                                          "adjacency": "replace_one", "rows": found}, indent=1) + "\n", encoding="utf-8")
    options.output.with_suffix(".md").write_text(tables(found), encoding="utf-8")
    draw(found, options.output.parent)


if __name__ == "__main__":
    main()
