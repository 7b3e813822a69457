#!/usr/bin/env python3
"""The rule for nets of numbers and short lists of categories: layers, steps, clipping, hat functions.

    TACET_DATA=FOLDER bench/utility/nets.py [--part attempts,confirm] [--program FILE] [--seeds N]
                                    [--minutes M] [--rows FILE] [--tables-only]

It is for `--model wide` on tables without ids and texts; add_remove at delta 1e-5, accuracy or R2 of
records that were not trained on.

The protocol. The first one, written down before any run, let covertype and kin40k decide among three
numbers of steps, and California, pol and Adult confirm. Its first runs showed that clipping, hat
functions and layers matter as much, so these were tried too. Bike and kin8nm joined the deciding half,
elevators the other.

- Attempts are on the deciding sets, by one seed. Of values that are less than .01 of R2 or .005 of
  accuracy apart on average, the one that reads fewer records or has fewer weights is taken.
- The rule may follow public facts: records, columns, kind of target, noise multiplier of one release.
- Adult has cells that no rule may lose (wide_tables.py), so it was looked at among the attempts.
- The confirming sets are looked at once, when the rule stands. It does if the mean over their cells is
  above that of the program until now, and no cell loses more than .01 to it.
- `auto` gets nets in place of curves only where they win on every confirming set.

Part `attempts` makes the runs of ATTEMPTS, with every option given; part `confirm` beside each other
the program's defaults, its defaults until now, and what `auto` does without a net. A run is appended
to --rows (build/nets.jsonl) as soon as it is known, and not made again; after --minutes it ends, and
another call goes on. Tables are made of what there is.
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
import rules
import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

DECIDE = ("kin40k", "covertype", "kin8nm", "bike")
CONFIRM = (("california", 1), ("pol", 1), ("elevators", 1), ("adult", 1))
EPSILONS = (1, 4)
NET = ["--model", "wide"]
UNTIL_NOW = [*NET, "--hidden", "16", "--knots", "none", "--clipping-norm", 1]
WAYS = {"until now": UNTIL_NOW, "net": NET, "auto": []}
NAMES = ("knots", "hidden", "steps", "batch-size", "clipping-norm", "step-size")


def attempts_of(data, one_in, epsilon, *tried):
    """Cells of a set at an epsilon; `tried` are values of NAMES."""
    return [(data, one_in, epsilon, *values) for values in tried]


# What was tried, in the order of NAMES. California, pol and elevators were run when the rule stood, with
# its options or with 400 steps, and with what the program took until now.
ATTEMPTS = [
    *attempts_of("adult", 1, 1,
                ("none", "16", 400, 8141, 1, 0.025),
                ("none", "16", 400, 8141, 1, 0.05),
                (8, "16", 400, 8141, 1, 0.025),
                (8, "16", 400, 8141, 1, 0.05),
                (8, "16", 1000, 8141, 1, 0.0316228)),
    *attempts_of("adult", 1, 4,
                (8, "16", 400, 8141, 1, 0.025)),
    *attempts_of("bike", 1, 1,
                ("none", "32,16", 400, 8000, 0.1, 0.025),
                ("none", "32,16", 400, 8000, 1, 0.025),
                ("none", "32,16", 400, 8000, 0.1, 0.0125),
                ("none", "16", 400, 8000, 0.1, 0.025),
                ("none", "32,16", 400, 8000, 0.1, 0.05),
                ("none", "32,16", 400, 8000, 0.05, 0.025),
                ("none", "32,16", 1000, 8000, 0.1, 0.015811)),
    *attempts_of("bike", 1, 4,
                ("none", "32,16", 400, 8000, 0.1, 0.025),
                ("none", "32,16", 400, 8000, 0.3, 0.025)),
    *attempts_of("california", 1, 1,
                (8, "32,16", 400, 8000, 0.1, 0.025),
                ("none", "16", 194, 8000, 1, 0.0359)),
    *attempts_of("california", 1, 4,
                (8, "32,16", 1000, 8000, 0.1, 0.0158114),
                (8, "32,16", 400, 8000, 0.1, 0.025),
                ("none", "16", 194, 8000, 1, 0.0359)),
    *attempts_of("covertype", 1, 1,
                ("none", "32,16", 400, 18593, 1, 0.05),
                ("none", "32,16", 400, 18593, 1, 0.025),
                ("none", "32,16", 400, 8000, 1, 0.05),
                ("none", "32,16", 1000, 8000, 1, 0.0316)),
    *attempts_of("covertype", 1, 4,
                ("none", "32,16", 400, 18593, 1, 0.05)),
    *attempts_of("covertype", 4, 0.1,
                ("none", "32,16", 400, 8000, 1, 0.05),
                ("none", "32,16", 400, 8000, 1, 0.025)),
    *attempts_of("covertype", 4, 1,
                ("none", "32,16", 400, 8000, 1, 0.025),
                ("none", "32,16", 400, 4650, 1, 0.025),
                ("none", "32,16", 400, 18593, 1, 0.025),
                ("none", "32,16", 400, 8000, 0.3, 0.025),
                ("none", "32,16", 400, 8000, 1, 0.0125),
                ("none", "32,16", 400, 8000, 1, 0.05),
                ("none", "32,16", 1600, 8000, 1, 0.0125),
                ("none", "32,16", 400, 4650, 1, 0.1),
                ("none", "32,16", 400, 4650, 1, 0.05),
                ("none", "32,16", 1600, 4650, 1, 0.025),
                ("none", "16", 400, 4650, 1, 0.05),
                ("none", "64,32", 400, 4650, 1, 0.05)),
    *attempts_of("covertype", 4, 4,
                ("none", "32,16", 400, 4650, 1, 0.05),
                ("none", "32,16", 400, 4650, 1, 0.025)),
    *attempts_of("elevators", 1, 1,
                ("none", "32,16", 400, 8000, 0.1, 0.025)),
    *attempts_of("elevators", 1, 4,
                (8, "32,16", 400, 8000, 0.1, 0.025),
                ("none", "16", 241, 8000, 1, 0.0322),
                (8, "32,16", 1000, 8000, 0.1, 0.0158114)),
    *attempts_of("kin40k", 1, 0.1,
                ("none", "32,16", 400, 8000, 0.1, 0.025)),
    *attempts_of("kin40k", 1, 0.5,
                (8, "32,16", 400, 8000, 0.1, 0.025),
                ("none", "32,16", 400, 8000, 0.1, 0.025)),
    *attempts_of("kin40k", 1, 1,
                (8, "32,16", 400, 8000, 1, 0.025),
                ("none", "32,16", 400, 8000, 1, 0.025),
                ("none", "32,16", 400, 8000, 0.3, 0.025),
                ("none", "32,16", 400, 8000, 1, 0.0125),
                ("none", "32,16", 400, 8000, 1, 0.05),
                ("none", "32,16", 1600, 8000, 1, 0.0125),
                (8, "32,16", 1600, 8000, 1, 0.0125),
                (8, "32,16", 400, 32000, 1, 0.025),
                (8, "32,16", 400, 8000, 0.3, 0.025),
                (8, "32,16", 400, 8000, 1, 0.0125),
                (8, "32,16", 400, 8000, 0.1, 0.025),
                (8, "32,16", 400, 8000, 0.15, 0.04),
                (8, "32,16", 400, 8000, 0.15, 0.025),
                (8, "32,16", 400, 8000, 0.3, 0.05),
                (8, "32,16", 400, 8000, 0.3, 0.0125),
                (8, "32,16", 1600, 8000, 0.3, 0.0125),
                (8, "16", 400, 8000, 0.1, 0.025),
                (8, "64,32", 400, 8000, 0.1, 0.025),
                (8, "32,16", 1000, 8000, 0.1, 0.015811),
                ("none", "32,16", 400, 8000, 0.1, 0.025)),
    *attempts_of("kin40k", 1, 4,
                (8, "32,16", 1000, 8000, 0.1, 0.015811),
                (8, "32,16", 400, 8000, 0.1, 0.025)),
    *attempts_of("kin8nm", 1, 0.1,
                ("none", "32,16", 400, 6554, 0.1, 0.025)),
    *attempts_of("kin8nm", 1, 1,
                (8, "32,16", 400, 6554, 0.1, 0.025),
                (8, "32,16", 400, 6554, 1, 0.025),
                (8, "32,16", 400, 6554, 0.1, 0.05),
                (8, "32,16", 400, 6554, 0.1, 0.0125),
                (8, "32,16", 1000, 6554, 0.1, 0.015811),
                (8, "16", 400, 6554, 0.1, 0.025),
                ("none", "32,16", 400, 6554, 0.1, 0.025),
                ("none", "16", 400, 6554, 0.1, 0.025),
                ("none", "32,16", 1000, 6554, 0.1, 0.015811),
                ("none", "32,16", 400, 6554, 0.1, 0.05)),
    *attempts_of("kin8nm", 1, 4,
                (8, "32,16", 400, 6554, 0.1, 0.025),
                ("none", "32,16", 400, 6554, 0.1, 0.025)),
    *attempts_of("pol", 1, 1,
                ("none", "32,16", 400, 8000, 0.1, 0.025)),
    *attempts_of("pol", 1, 4,
                (8, "32,16", 400, 8000, 0.1, 0.025),
                ("none", "16", 267, 8000, 1, 0.0306),
                (8, "32,16", 1000, 8000, 0.1, 0.0158114)),
]


class Rows(methods.Rows):
    @staticmethod
    def key(row):
        return row["data"], row["one_in"], row["epsilon"], tuple(row["way"]), row["seed"]


def usual_steps(records):
    """What the program took until now."""
    batch = min(max(math.ceil(records / 4), 8000), records)
    steps = max(25 * records / batch, min(max(400 * 8000 / records, 100), 400))
    return ["--steps", round(steps), "--batch-size", batch, "--step-size",
            .05 * math.sqrt(100 / round(steps))]


def words_of(files, data, one_in, epsilon, way):
    train, test, options = files.of("nets", data, one_in)
    words = [*options, *auto.LAWS["add_remove"], "--epsilon", epsilon]
    if way == ["until now"]:
        plan = files.bench.call("plan", *words)
        return train, test, [*words, *UNTIL_NOW, *usual_steps(plan["public_row_count"])]
    if way[0] in WAYS:
        return train, test, [*words, *WAYS[way[0]]]
    given = [[f"--{name}", value] for name, value in zip(NAMES, way)]
    return train, test, [*words, *NET, *sum(given, [])]


def run(files, data, one_in, epsilon, way, seed):
    train, test, words = words_of(files, data, one_in, epsilon, way)
    model = files.folder / "model.out"
    start = time.process_time(), os.times().children_user
    methods.train(files.bench, [train, *words, "--threads", 1, "--seed", seed, "--output", model,
                                "--force"], 300)
    seconds = os.times().children_user - start[1]
    said = files.bench.call("evaluate", model, test, "--public")
    row = {"data": data, "one_in": one_in, "epsilon": epsilon, "way": way, "seed": seed,
           "value": said.get("r2", said.get("accuracy")), "seconds": round(seconds, 1),
           "commit": files.bench.commit}
    print(json.dumps(row), flush=True)
    return row


def jobs_of(parts, seeds):
    if "attempts" in parts:
        for data, one_in, epsilon, *way in ATTEMPTS:
            yield data, one_in, epsilon, way, 1
    if "confirm" in parts:
        for seed in range(1, seeds + 1):
            for data, one_in in CONFIRM:
                for epsilon in EPSILONS:
                    for way in WAYS:
                        yield data, one_in, epsilon, [way], seed


def sections_of(rows):
    attempts = []
    for data, one_in, epsilon, *way in ATTEMPTS:
        if row := rows.known.get((data, one_in, epsilon, tuple(way), 1)):
            attempts.append({"data": data, "one in": one_in, "epsilon": epsilon,
                             **dict(zip(NAMES, map(str, way))), "value": round(row["value"], 4),
                             "seconds": row["seconds"]})
    confirmed = []
    for data, one_in in CONFIRM:
        for epsilon in EPSILONS:
            line = {"data": data, "epsilon": epsilon}
            for way in WAYS:
                values = [row["value"] for row in rows.known.values() if
                          (row["data"], row["one_in"], row["epsilon"], row["way"]) ==
                          (data, one_in, epsilon, [way])]
                if values:
                    line |= {way: round(statistics.median(values), 4), f"{way}, seeds": len(values)}
            if len(line) > 2:
                confirmed.append(line)
    return {name: lines for name, lines in (("Attempts", attempts), ("Confirmed", confirmed)) if lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=lambda text: text.split(","), default=["attempts", "confirm"])
    parser.add_argument("--program", type=pathlib.Path, default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--rows", type=pathlib.Path, default=utility.ROOT / "build/nets.jsonl")
    parser.add_argument("--tables-only", action="store_true")
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    rows = Rows(options.rows)
    end = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory() as folder:
        files = rules.Files(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                            pathlib.Path(folder))
        for data, one_in, epsilon, way, seed in jobs_of(options.part, options.seeds):
            if options.tables_only or (data, one_in, epsilon, tuple(way), seed) in rows.known:
                continue
            if time.monotonic() > end:
                print("time is over: call again", flush=True)
                return
            rows.add(run(files, data, one_in, epsilon, way, seed))
    tables.keep("utility/nets", """Nets of numbers: the rule, and what it is worth

Accuracy (covertype, Adult) or R2, add_remove at delta 1e-5; attempts by seed 1, the rest medians. Seconds are those of
one processor, reading included. [nets.py](../nets.py) states the protocol.""",
                f"bench/utility/nets.py --part {','.join(options.part)}", sections_of(rows))


if __name__ == "__main__":
    main()
