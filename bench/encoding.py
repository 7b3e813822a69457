#!/usr/bin/env python3
"""What numbers around their middle do to methods and losses other than the default.

    TACET_DATA=FOLDER bench/encoding.py [--program FILE] [--only WORD] [--output FILE] [--seeds N]

Every cell is the median over seeds 1 to 5 of a metric on records that were not trained on, once
with the schema pinned to `encoding = 1` (the rules of version 0.1.0) and once as it is shipped. The
sets are split as in bench/utility.py. The result goes to bench/results/encoding.json, its table to
encoding.md beside it.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

import origin
import utility

REPLACE = ["--adjacency", "replace_one"]
PURE = ["--delta", "0"]

# name, set, options, metric, epsilons
ROWS = [
    ("gradient, replace_one: adult", utility.ADULT, REPLACE, "accuracy", (0.1, 0.5, 1, 4)),
    ("gradient, replace_one: california", utility.CALIFORNIA, REPLACE, "r2", (0.1, 0.5, 1, 4)),
    ("gradient, replace_one: wine", utility.WINE, REPLACE, "r2", (0.1, 0.5, 1, 4)),
    ("hinge: adult", utility.ADULT, ["--loss", "hinge"], "accuracy", (0.1, 1, 4)),
    ("hinge: covertype", utility.COVERTYPE, ["--loss", "hinge"], "accuracy", (0.1, 1, 4)),
    ("huber: california", utility.CALIFORNIA, ["--loss", "huber"], "mae", (0.1, 1, 4)),
    ("absolute: california", utility.CALIFORNIA, ["--loss", "absolute"], "mae", (0.1, 1, 4)),
    ("absolute: wine", utility.WINE, ["--loss", "absolute"], "mae", (0.1, 1, 4)),
    ("objective: adult", utility.ADULT, ["--method", "objective"], "accuracy", (0.1, 1, 4)),
    ("objective, pure: adult", utility.ADULT, ["--method", "objective", *PURE], "accuracy",
     (0.1, 1, 4)),
    ("objective: bank", utility.BANK, ["--method", "objective"], "auc", (0.1, 1, 4)),
    ("output: adult", utility.ADULT, ["--method", "output"], "accuracy", (0.1, 1, 4)),
    ("output: california", utility.CALIFORNIA, ["--method", "output"], "r2", (1, 4)),
    ("regularized-output: adult", utility.ADULT, ["--method", "regularized-output"], "accuracy",
     (0.1, 1, 4)),
    ("regularized-output: california", utility.CALIFORNIA, ["--method", "regularized-output"],
     "r2", (1, 4)),
    ("ladder, pure: adult", utility.ADULT, ["--method", "ladder", *PURE], "accuracy", (0.1, 1, 4)),
    ("ladder, pure: california", utility.CALIFORNIA, ["--method", "ladder", *PURE], "r2", (1, 4)),
    ("several classes: mnist", ("mnist", "mnist/train-images-idx3-ubyte.gz",
                                "mnist/t10k-images-idx3-ubyte.gz"), [], "accuracy", (1,)),
    ("units of a day: bike", ("bike_hour_days", "bike_hour/hour.csv.gz", None),
     ["--records-a-unit", "24"], "r2", (1, 4)),
]


class Encodings(utility.Bench):
    """Adds two schemas that are not shipped: another unit, another set."""

    def schema(self, name, first):
        if name != "bike_hour_days":
            return super().schema(name, first)
        text = (utility.SCHEMAS / "bike_hour.toml").read_text("utf-8")
        if first:
            text = "".join(line for line in text.splitlines(keepends=True)
                           if not line.startswith(utility.NEWER_KEYS))
        file = self.folder / f"bike_hour_days_{first}.toml"
        head = 'unit = "dteday"\n' + ("encoding = 1\n" if first else "")
        file.write_text(head + text.replace('"dteday", ', ""), encoding="utf-8")
        return file


def compare(bench, only):
    for name, (schema, train, test), options, metric, epsilons in ROWS:
        if only not in name:
            continue
        sources = [bench.data / t for t in ((train,) if isinstance(train, str) else train)]
        missing = [source for source in sources if not source.exists()]
        if missing:
            print(f"{name}: {missing[0]} is not below TACET_DATA; left out", file=sys.stderr)
            continue
        files = {first: bench.schema(schema, first) for first in (True, False)}
        common = list(options)
        if test is None:
            *parts, count = utility.split(sources, files[True].read_text("utf-8"), bench.folder)
            common += ["--public-row-count", str(count)]
        else:
            parts = [sources[0], bench.data / test]
        for epsilon in epsilons:
            before, after = (bench.score(files[first], *parts, common, epsilon, metric)
                             for first in (True, False))
            print(f"{name:36} epsilon {epsilon:<5} {metric:9} {before:8.4f} {after:8.4f}",
                  flush=True)
            yield {"row": name, "epsilon": epsilon, "metric": metric, "encoding_1": before,
                   "encoding_2": after}


def table(rows):
    lines = ["| | epsilon | metric | encoding 1 | encoding 2 |", "|---|---|---|---|---|"]
    lines += [f"| {row['row']} | {row['epsilon']:g} | {row['metric']} | {row['encoding_1']:.4f} "
              f"| {row['encoding_2']:.4f} |" for row in rows]
    return "\n".join(["# Before and after: encoding 1 and 2", "",
                      "Medians of seeds 1 to 5, delta 1e-5 or pure; `bench/encoding.py`.", "",
                      *lines]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int, default=len(utility.SEEDS))
    parser.add_argument("--output", type=pathlib.Path,
                        default=utility.ROOT / "bench/results/encoding.json")
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    with tempfile.TemporaryDirectory() as folder:
        bench = Encodings(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                          pathlib.Path(folder), tuple(range(1, options.seeds + 1)))
        rows = list(compare(bench, options.only))
    if options.only:
        return 0
    options.output.write_text(json.dumps({**origin.origin(), "seeds": bench.seeds, "rows": rows},
                                         indent=1) + "\n", encoding="utf-8")
    options.output.with_suffix(".md").write_text(table(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
