#!/usr/bin/env python3
"""What curves are worth, beside what `auto` does without them, and what they cost.

    TACET_DATA=FOLDER bench/utility/auto_curves.py [--program FILE] [--only NAME,..]
                  [--laws NAME,..] [--epsilons E,..] [--seeds N] [--one-in K,..] [--jobs N]
                  [--rows FILE] [--tables-only]

Each data set with a number to predict that `auto` was measured on (bench/utility/auto.py), its
split, one thread a training: median R2 of records that were not trained on and median seconds of one
processor, with `--curves none` and with `--curves auto`. add_remove is at delta 1e-5, replace_one at
1e-6. With --one-in K the training records are every K-th one.

The protocol, written down before the first run:

- The constants of curves are those of docs/methods/curves.md: nothing of them is chosen here.
- What is chosen is where `auto` uses curves when nothing is given: a bound on the noise `a`, and
  public facts of the schema where noise alone does not separate gains from losses.
- DECIDE lists the sets that decide: those that the constants were chosen on, whole and one record in
  five and in twenty of the four larger ones. add_remove decides.
- CONFIRM lists those that are looked at once, when the rule stands; so is replace_one.
- The rule must not lose more than .01 to `--curves none` in any cell of a whole set where it uses
  curves, and must reach the bars below.

A cell is appended to --rows (build/auto_curves.jsonl) as soon as it is known, and not measured
again. With --tables-only, or when a run is done, the table is written to
bench/utility/tables/auto_curves.md: `a` is the noise that the rule goes by, `used` says whether
`auto` uses curves there. A loss or a missed bar is exit code 1.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading

import auto
import methods
import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

WAYS = {"none": ["--curves", "none"], "auto": ["--method", "gradient", "--curves", "auto"]}
LARGEST_LOSS = .01
LAWS = ("add_remove", "replace_one")
DECIDE = ("elevators", "abalone", "boston", "medical", "kin8nm", "wine", "pol", "california")
CONFIRM = ("bike", "kin40k", "parkinsons", "pums income")
BARS = {
    "kin8nm": (.41, .61, .70, .77),
    "kin40k": (.40, .67, .73, .84),
    "california": (.69, .735, .75, .765),
    "pol": (.73, .885, .905, .918),
    "bike": (.62, .745, .78, .86),
    "wine": (.23, .28, .32, .36),
    "abalone": (.40, .545, .555, .59),
    "elevators": (.80, .815, .825, .84),
    "boston": (.356, .626, .662, .77),
    "medical": (.608, .668, .674, .784),
    "parkinsons": (.096, .184, .315, .411),
    "pums income": (-.045, .168, .244, .273),
}


class Rows(methods.Rows):
    @staticmethod
    def key(row):
        return row["data"], row["one_in"], row["law"], row["way"], row["epsilon"], row["seed"]


class Sets:
    """Files of a set or of a part of it, prepared once."""

    def __init__(self, program, data, folder):
        self.bench = auto.Auto(program, data, folder)
        self.folder = folder
        self.lock = threading.Lock()
        self.parts = {}

    def files(self, found, one_in):
        whole = self.bench.files(found)
        if whole is None or one_in == 1:
            return whole
        if (found.name, one_in) in self.parts:
            return self.parts[found.name, one_in]
        rules, train, test, options = whole
        part = self.folder / f"{found.name}-{one_in}{train.suffix}"
        lines = train.read_text("utf-8").splitlines(keepends=True)
        head = 0 if "header = false" in rules.read_text("utf-8") else 1
        records = lines[head::one_in]
        part.write_text("".join(lines[:head] + records), encoding="utf-8")
        self.parts[found.name, one_in] = rules, part, test, ["--public-row-count", len(records)]
        return self.parts[found.name, one_in]

    def words(self, found, one_in, law, epsilon):
        with self.lock:
            rules, train, test, options = self.files(found, one_in)
        return train, test, ["--schema", rules, *options, *auto.LAWS[law], "--epsilon", epsilon]


def noise_of(sets, cell):
    """`a`, where curves are possible; and whether `auto` uses them."""
    _, _, words = sets.words(*cell)
    asked = sets.bench.call("plan", *words, *WAYS["auto"])
    used = "whitening_noise_multiplier" in sets.bench.call("plan", *words)
    if "whitening_noise_multiplier" not in asked:
        return None, used
    one = asked["whitening_noise_multiplier"] * .05 ** .5
    return round(one / .9 ** .5 / asked["public_row_count"], 6), used


def measured(sets, cell, way, seed):
    found, one_in, law, epsilon = cell
    train, test, words = sets.words(*cell)
    model = sets.folder / f"model-{threading.get_ident()}.json"
    run = subprocess.Popen([str(w) for w in (
        sets.bench.program, "train", train, *words, *WAYS[way], "--threads", 1, "--seed", seed,
        "--output", model, "--force", "--quiet")], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode != 0:
        sys.exit(f"auto_curves: {' '.join(map(str, run.args))} failed")
    said = sets.bench.call("evaluate", model, test, "--public")
    row = {"data": found.name, "one_in": one_in, "law": law, "way": way, "epsilon": epsilon,
           "seed": seed, "r2": said["r2"], "cpu_seconds": round(usage.ru_utime, 2),
           "commit": sets.bench.commit}
    print(json.dumps(row), flush=True)
    return row


def cells_of(sets, options):
    for found in auto.SETS:
        if found.name not in DECIDE + CONFIRM or (options.only and found.name not in options.only):
            continue
        if sets.bench.files(found) is None:
            continue
        for one_in in options.one_in:
            for law in options.laws:
                for epsilon in options.epsilons:
                    yield found, one_in, law, epsilon


def measure(sets, options, rows, noises):
    cells = list(cells_of(sets, options))
    lock = threading.Lock()

    def look(cell):
        found, one_in, law, epsilon = cell
        noises[found.name, one_in, law, epsilon] = noise_of(sets, cell)

    def run(seed, cell, way):
        found, one_in, law, epsilon = cell
        if (found.name, one_in, law, way, epsilon, seed) in rows.known:
            return
        if way == "auto" and noises[found.name, one_in, law, epsilon][0] is None:
            return
        row = measured(sets, cell, way, seed)
        with lock:
            rows.add(row)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(look, cells))
        for seed in range(1, options.seeds + 1):
            waiting = [pool.submit(run, seed, cell, way) for cell in cells for way in WAYS]
            for one in waiting:
                one.result()


def lines_of(rows, noises):
    """A line per cell that was measured."""
    of = {}
    for (data, one_in, law, way, epsilon, _), row in rows.known.items():
        of.setdefault((data, one_in, law, epsilon), {}).setdefault(way, []).append(row)
    order = [found.name for found in auto.SETS]
    lines = []
    for cell in sorted(of, key=lambda cell: (cell[2], cell[1], order.index(cell[0]), cell[3])):
        data, one_in, law, epsilon = cell
        noise, used = noises.get(cell, (None, False))
        line = {"data": data + ("" if one_in == 1 else f", one in {one_in}"), "law": law,
                "epsilon": epsilon, "a": "" if noise is None else noise,
                "used": "yes" if used else "no"}
        median = lambda way, what: statistics.median(row[what] for row in of[cell][way])
        for way, name in (("none", "without"), ("auto", "with")):
            known = way in of[cell]
            line[f"{name} curves"] = round(median(way, "r2"), 4) if known else ""
            line[f"{name}, s"] = round(median(way, "cpu_seconds"), 2) if known else ""
        line["`auto`"] = line["with curves" if used else "without curves"]
        bar = law == "add_remove" and one_in == 1 and epsilon in auto.EPSILONS
        line["bar"] = BARS[data][auto.EPSILONS.index(epsilon)] if bar else ""
        missed = [word for word, holds in (
            ("loss", line["`auto`"] < line["without curves"] - LARGEST_LOSS),
            ("bar", bar and line["`auto`"] < line["bar"])) if holds]
        line["misses"] = ", ".join(missed)
        lines.append(line)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    numbers = lambda kind: lambda text: [kind(word) for word in words(text)]
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--only", type=words, default=[])
    parser.add_argument("--laws", type=words, default=["add_remove"])
    parser.add_argument("--epsilons", type=numbers(float), default=list(auto.EPSILONS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--one-in", type=numbers(int), default=[1])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rows", type=pathlib.Path,
                        default=utility.ROOT / "build/auto_curves.jsonl")
    parser.add_argument("--tables-only", action="store_true")
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    rows = Rows(options.rows)
    noises = {}
    with tempfile.TemporaryDirectory() as folder:
        sets = Sets(options.program, pathlib.Path(os.environ["TACET_DATA"]), pathlib.Path(folder))
        if not options.tables_only:
            measure(sets, options, rows, noises)
        by_name = {found.name: found for found in auto.SETS}
        for data, one_in, law, _, epsilon, _ in rows.known:
            if (data, one_in, law, epsilon) not in noises:
                noises[data, one_in, law, epsilon] = noise_of(
                    sets, (by_name[data], one_in, law, epsilon))
    lines = lines_of(rows, noises)
    seeds = max((key[-1] for key in rows.known), default=0)
    tables.keep_page("utility/auto_curves", "\n".join([
        "# Curves", "",
        f"Median R2 of up to {seeds} seeds on records that were not trained on; add_remove at delta 1e-5, "
        "replace_one at 1e-6.",
        "Seconds are those of one processor, reading included. "
        f"Sets that decided where `auto` uses curves: {', '.join(DECIDE)}; "
        f"that were looked at when the rule stood: {', '.join(CONFIRM)}.", "",
        tables.markdown(lines)]), "bench/utility/auto_curves.py")
    missed = [line for line in lines if line["misses"]]
    for line in missed:
        print(f"{line['data']}, {line['law']}, epsilon {line['epsilon']}: {line['misses']} "
              f"({line['`auto`']}; without curves {line['without curves']})", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
