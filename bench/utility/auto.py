#!/usr/bin/env python3
"""What `tacet train` chooses when nothing is given but epsilon, delta and the adjacency.

    TACET_DATA=FOLDER bench/utility/auto.py [--program FILE] [--only WORD,..] [--ways NAME,..]
                                    [--laws NAME,..] [--epsilons E,..] [--seeds N] [--rows FILE]
                                    [--others FILE] [--tables-only]

A cell is a data set, a law (adjacency and delta), a way to train and an epsilon: the median over
seeds 1 to 5 of a metric (accuracy or R2) on records that were not trained on, split as in
bench/utility/utility.py. The way `auto` gives no method at all; the others are candidates with hindsight.
Sets without a bar are those that the rules of `auto` were chosen on; their schemas, where none is
shipped, are in bench/utility/schemas.

A cell is appended to --rows (build/auto.jsonl) as soon as it is known, and not measured again: a
run that was interrupted goes on. With --tables-only, or when a whole run is done, the tables and
every bar are written to bench/utility/tables/auto.md; a cell that --rows does not have keeps what
build/results has, and so does the best way of one whose ways were not all measured again. Bars are
those of the sets: within 0.5 points of accuracy or 0.02 of R2 of the best way with hindsight (epsilon
0.5 and above), and never below the best constant by more than 0.05 of R2 (0.1 at 0.1) or a point of
accuracy. --others names the rows of
bench/utility/methods.py, whose methods count as ways. A bar that is missed is exit code 1.
"""

import argparse
import collections
import csv
import gzip
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

import methods
import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin, tables  # noqa: E402

EPSILONS = (0.1, 0.5, 1, 4)
SCHEMAS = utility.ROOT / "bench/utility/schemas"
LAWS = {"add_remove": ["--adjacency", "add_remove", "--delta", "1e-5"],
        "replace_one": ["--adjacency", "replace_one", "--delta", "1e-6"],
        "pure": ["--delta", "0"]}

# Candidates: what may be given by hand instead. None of them is tried by `auto` itself.
DESCENT = ["--method", "gradient"]
WAYS = {
    "auto": [],
    "gradient": DESCENT,
    "gradient, standardised": [*DESCENT, "--standardise", "auto"],
    "gradient, selected columns": [*DESCENT, "--feature-selection", "auto"],
    "gradient, projected": [*DESCENT, "--projection", "auto"],
    "gradient, lines": [*DESCENT, "--knots", "none"],
    "adassp": ["--method", "adassp"],
    "objective": ["--method", "objective"],
    "regularized-output": ["--method", "regularized-output"],
    "ladder": ["--method", "ladder"],
    "phased-erm": ["--method", "phased-erm"],
    "localized": ["--method", "localized"],
    "growth": ["--method", "growth"],
}

Set = collections.namedtuple("Set", "name source metric laws bars", defaults=({},))


def bars(*values):
    return dict(zip(EPSILONS, values))


BOTH = ("add_remove", "replace_one")
BANKING = ("banking77", "banking77/banking77.train.csv.gz", "banking77/banking77.test.csv.gz")
MNIST = ("mnist", "mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz")
WHITE = ("wine_quality", "wine_quality/winequality-white.csv.gz", None)
KDD = ("kddcup99", "kddcup99/kddcup99_10pct.train.csv.gz", "kddcup99/kddcup99_corrected.test.csv.gz")
A9A = ("a9a", "a9a/a9a.train.libsvm.gz", "a9a/a9a.test.libsvm.gz")
# a9a has Adult's records, in the same two parts: features of 14 attributes, none of which is a number.
A9A_ATTRIBUTES = (5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 41)
LISTED = ("a9a_listed", *A9A[1:])

SETS = [
    # The rules were chosen on these.
    Set("elevators", ("elevators", "elevators/elevators.csv.gz", None), "r2", (*BOTH, "pure")),
    Set("kin40k", ("kin40k", "kin40k/kin40k.csv.gz", None), "r2", (*BOTH, "pure")),
    Set("boston", ("boston", "boston/housing.csv.gz", None), "r2", (*BOTH, "pure")),
    Set("abalone", utility.ABALONE, "r2", (*BOTH, "pure")),
    Set("pums income", ("pums_income", "pums1000/pums_california_1000.csv.gz", None), "r2",
        (*BOTH, "pure")),
    Set("pums married", ("pums_married", "pums1000/pums_california_1000.csv.gz", None), "accuracy",
        (*BOTH, "pure")),
    Set("nhanes1", ("nhanes1", "nhanes1", None), "accuracy", (*BOTH, "pure")),
    Set("breast cancer", ("breast_cancer", "breast_cancer_original/breast-cancer-wisconsin.csv.gz",
                          None), "accuracy", (*BOTH, "pure")),
    Set("a9a", A9A, "accuracy", (*BOTH, "pure")),
    Set("a9a listed", LISTED, "accuracy", BOTH),
    Set("kddcup99", KDD, "accuracy", ("add_remove",)),
    Set("banking77", BANKING, "accuracy", BOTH),
    # The rest was measured when they stood.
    Set("adult", utility.ADULT, "accuracy", (*BOTH, "pure"),
        {"add_remove": bars(.846, .853, .854, .855), "pure": {1: .838}}),
    Set("covertype", utility.COVERTYPE, "accuracy", BOTH,
        {"add_remove": bars(.763, .771, .772, .772)}),
    Set("california", utility.CALIFORNIA, "r2", (*BOTH, "pure"),
        {"add_remove": bars(.64, .68, .685, .69),
         "replace_one": bars(.409 + .1, .602 - .01, .617 - .01, .634 - .01)}),
    Set("bike", utility.BIKE, "r2", (*BOTH, "pure"),
        {"add_remove": bars(.615, .685, .69, .695),
         "replace_one": bars(.300 + .1, .654 - .01, .678 - .01, .688 - .01)}),
    Set("wine", utility.WINE, "r2", BOTH, {"add_remove": bars(.18, .26, .285, .285)}),
    Set("white wine", WHITE, "r2", (*BOTH, "pure"),
        {"replace_one": bars(-.063 - .01, -.028 - .01, .107 - .01, .274 - .01)}),
    Set("medical", utility.MEDICAL, "r2", (*BOTH, "pure"),
        {"add_remove": bars(.62, .68, .69, .705),
         "replace_one": bars(.332 - .01, .614 - .01, .628 - .01, .688 - .01)}),
    Set("sms spam", utility.SMS, "accuracy", BOTH, {"add_remove": {1: .915, 4: .95}}),
    Set("mnist", MNIST, "accuracy", ("add_remove",), {"add_remove": bars(.85, .878, .885, .90)}),
    Set("kin8nm", utility.KIN8NM, "r2", (*BOTH, "pure")),
    Set("pol", utility.POL, "r2", BOTH),
    Set("parkinsons", utility.PARKINSONS, "r2", BOTH),
    Set("bank", utility.BANK, "accuracy", BOTH, {"add_remove": {.1: .896, 1: .899, 4: .899}}),
    Set("german credit", utility.GERMAN, "accuracy", BOTH),
    Set("pima", utility.PIMA, "accuracy", BOTH),
    Set("heart", ("heart_cleveland", "heart_cleveland/processed.cleveland.csv.gz", None),
        "accuracy", BOTH),
]


CHOSEN_ON = {"german credit"} | {found.name for found in SETS[:12]}
SMALL = ("boston", "pums income", "pums married", "breast cancer", "german credit", "pima", "heart")


class Auto(utility.Bench):
    """Files of a set, prepared once."""

    def __init__(self, *words):
        super().__init__(*words)
        self.commit = origin.git("rev-parse", "--short=12", "HEAD") or "unknown"
        self.of = {}

    def nhanes(self):
        """The records beside whether they died within ten years, in one file."""
        folder = self.data / "nhanes1"
        read = lambda name: gzip.open(folder / name, "rt", encoding="utf-8", newline="")
        file = self.folder / "nhanes1.csv.gz"
        with read("NHANESI_subset_X.csv.gz") as rows, read("NHANESI_subset_y.csv.gz") as times, \
                gzip.open(file, "wt", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            times = list(csv.reader(times))[1:]
            head, *records = csv.reader(rows)
            writer.writerow([*head[1:], "died"])
            for record, (_, years) in zip(records, times):
                writer.writerow([*record[1:], int(0 < float(years) <= 10)])
        return file

    def listed(self, parts):
        """a9a as a table of its attributes: schema and files."""
        starts = [sum(A9A_ATTRIBUTES[:k]) for k in range(len(A9A_ATTRIBUTES))]
        column = {start + k + 1: (place, f"v{k + 1}") for place, (start, size)
                  in enumerate(zip(starts, A9A_ATTRIBUTES)) for k in range(size)}
        names = [f"c{place + 1}" for place in range(len(starts))]
        files = [self.folder / f"listed-{k}.csv" for k in range(2)]
        counts = []
        for part, file in zip(parts, files):
            with gzip.open(part, "rt", encoding="utf-8") as lines, \
                    file.open("w", encoding="utf-8", newline="") as out:
                writer = csv.writer(out, lineterminator="\n")
                writer.writerow([*names, "y"])
                counts.append(0)
                for line in lines:
                    label, *features = line.split()
                    values = dict(column[int(word.split(":")[0])] for word in features)
                    writer.writerow([*(values.get(k, "") for k in range(len(names))), label])
                    counts[-1] += 1
        rules = self.folder / "listed.toml"
        rules.write_text(
            f"public_row_count = {counts[0]}\n[target]\ncolumn = \"y\"\npositive = \"+1\"\n"
            "negative = \"-1\"\n" + "".join(
                f"[[column]]\nname = \"{name}\"\nkind = \"categorical\"\n"
                f"categories = {json.dumps([f'v{k + 1}' for k in range(size)])}\n"
                for name, size in zip(names, A9A_ATTRIBUTES)), encoding="utf-8")
        return (rules, *files, [])

    def files(self, found):
        """(schema, training file, test file, options) of a set; None where data are missing."""
        if found.name in self.of:
            return self.of[found.name]
        schema, train, test = found.source
        sources = [self.data / t for t in ((train,) if isinstance(train, str) else train)]
        if not all(source.exists() for source in sources):
            print(f"{found.name}: {sources[0]} is not there; left out", file=sys.stderr)
            return None
        if schema == "a9a_listed":
            self.of[found.name] = self.listed((sources[0], self.data / test))
            return self.of[found.name]
        if schema == "nhanes1":
            sources = [self.nhanes()]
        rules = utility.SCHEMAS / f"{schema}.toml"
        rules = rules if rules.exists() else SCHEMAS / f"{schema}.toml"
        if schema == "banking77":
            rules = self.banking(sources[0])
        options = []
        parts = [sources[0], self.data / test] if test else None
        if parts is None:
            *parts, count = utility.split(sources, rules.read_text("utf-8"), self.folder)
            kept = [self.folder / f"{found.name}-{part.name}" for part in parts]
            for part, path in zip(parts, kept):
                part.rename(path)
            parts, options = kept, ["--public-row-count", count]
        self.of[found.name] = (rules, *parts, options)
        return self.of[found.name]


class Rows(methods.Rows):
    @staticmethod
    def key(row):
        return row["data"], row["law"], row["way"], row["epsilon"]


def measured(bench, found, law, way, epsilon, limit):
    """The row of a cell: scores, or why there are none."""
    row = {"data": found.name, "law": law, "way": way, "epsilon": epsilon, "commit": bench.commit}
    rules, train, test, options = bench.files(found)
    model = bench.folder / "model.json"
    begun = os.times()
    try:
        row["scores"] = []
        for seed in bench.seeds:
            methods.train(bench, [train, "--schema", rules, *options, *LAWS[law], *WAYS[way],
                                  "--epsilon", epsilon, "--threads", 1, "--seed", seed,
                                  "--output", model, "--force"], limit)
            said = bench.call("evaluate", model, test, "--public")
            row["scores"].append(said[found.metric])
            row["constant"] = said.get("majority_share", 0)
        ran = json.loads(model.read_text("utf-8"))["receipt"]
        row["method"] = ran["algorithm"]
    except methods.Refused as reason:
        row["refused"] = str(reason)
    except methods.TooSlow as reason:
        row["slow"] = str(reason)
    ended = os.times()
    row["cpu_seconds"] = round(ended.children_user - begun.children_user, 2)
    shown = row.get("refused", row.get("slow"))
    if shown is None:
        shown = f"{statistics.median(row['scores']):.4f} (constant {row['constant']:.4f})"
    else:
        row.pop("scores", None)
    print(f"{found.name:14} {law:11} {way:24} epsilon {epsilon:<4} {shown} "
          f"({row['cpu_seconds']:.1f} s)", flush=True)
    return row


def ways_of(found, law):
    """What is worth trying by hand: the rest is refused, or was behind everywhere."""
    if law == "pure":
        return ("auto", "objective", "regularized-output", "ladder", "phased-erm", "localized",
                "growth")
    if found.source[0] in ("sms_spam", "banking77"):
        return "auto", "gradient", "gradient, selected columns", "gradient, projected"
    if found.source[0] in ("mnist", "kddcup99"):
        return "auto", "gradient"
    classes = ("objective",) if found.metric == "accuracy" else ()
    return ("auto", "gradient", "gradient, standardised", "gradient, lines", "adassp", *classes)


def cells(options, found):
    for law in found.laws:
        if options.laws and law not in options.laws:
            continue
        for way in ways_of(found, law):
            if options.ways and way not in options.ways:
                continue
            for epsilon in options.epsilons:
                yield law, way, epsilon


def measure(bench, options, rows):
    for found in SETS:
        if options.only and not any(word == found.name for word in options.only):
            continue
        slow = {}
        for law, way, epsilon in cells(options, found):
            if (found.name, law, way, epsilon) in rows.known or bench.files(found) is None:
                continue
            if (law, way) in slow:
                continue
            row = measured(bench, found, law, way, epsilon, options.limit)
            if "slow" in row:
                slow[law, way] = True
            rows.add(row)


NAMES = {"california": "california housing", "wine": None}  # as bench/utility/methods.py calls them


def others(path):
    """Rows of bench/utility/methods.py as ways: {(data, law, epsilon): {method: median}}."""
    found = collections.defaultdict(dict)
    if not path.exists():
        return found
    for row in methods.Rows(path).known.values():
        law = {1e-6: "replace_one", 0.0: "pure"}.get(row["delta"])
        if "scores" not in row or law is None or row["method"] == "unprotected":
            continue
        metric = next(iter(row["scores"]))
        found[row["data"], law, row["epsilon"]][row["method"]] = statistics.median(
            row["scores"][metric])
    return found


def judged(rows, found, law, epsilon, extra, before):
    """What `auto` has in a cell, beside its bar, the constant and the best way with hindsight; what
    was judged `before` where it was not measured."""
    row = rows.known.get((found.name, law, "auto", epsilon))
    if row is None:
        return before
    if "scores" not in row:
        return None
    ways = dict(extra.get((NAMES.get(found.name, found.name), law, epsilon), {}))
    for way in WAYS:
        other = rows.known.get((found.name, law, way, epsilon))
        if way != "auto" and other and "scores" in other:
            ways[way] = statistics.median(other["scores"])
    if before and before["best"] is not None:
        ways.setdefault(before["best"], before["best_value"])
    best = max(ways, key=ways.get, default=None)
    value = statistics.median(row["scores"])
    numbers = found.metric == "r2"
    out = {"data": found.name, "law": law, "epsilon": epsilon, "metric": found.metric,
           "method": row["method"], "value": value, "constant": row["constant"],
           "bar": found.bars.get(law, {}).get(epsilon), "best": best,
           "best_value": ways.get(best), "chosen_on": not found.bars and found.name in CHOSEN_ON}
    misses = []
    if out["bar"] is not None and value < out["bar"] - 1e-9:
        misses.append("the bar")
    if law != "pure":
        least = 1 if found.name in SMALL else 0.1
        below = 0.05 if epsilon >= 0.5 else 0.1
        if epsilon >= least and value < row["constant"] - (below if numbers else 0.01) - 1e-9:
            misses.append("the constant")
        near = 0.02 if numbers else 0.005
        if found.bars and epsilon >= 0.5 and best and value < ways[best] - near - 1e-9:
            misses.append("hindsight")
    out["misses"] = misses
    return out


def table(judgements):
    lines = ["# `auto`, nothing given but epsilon, delta and adjacency", "",
             "Medians of seeds 1 to 5 on records that were not trained on; made by `bench/utility/auto.py`.",
             "add_remove at delta 1e-5, replace_one at 1e-6, pure at 0. `best` is the best of the ways",
             "tried by hand, with hindsight. Sets marked * are those that the rules were chosen on.", "",
             "| data | law | epsilon | metric | method | auto | bar | constant | best | by | misses |",
             "|---|---|---:|---|---|---:|---:|---:|---:|---|---|"]
    shown = lambda value: "" if value is None else f"{value:.4f}"
    for row in judgements:
        lines.append(f"| {row['data']}{'*' if row['chosen_on'] else ''} | {row['law']} "
                     f"| {row['epsilon']} | {row['metric']} | {row['method']} "
                     f"| {shown(row['value'])} | {shown(row['bar'])} | {shown(row['constant'])} "
                     f"| {shown(row['best_value'])} | {row['best'] or ''} "
                     f"| {', '.join(row['misses'])} |")
    return "\n".join(lines) + "\n"


def write_results(rows, options):
    extra = others(options.others)
    before = tables.raw("utility/auto")
    known = json.loads(before.read_text("utf-8")) if before.exists() else []
    old = {(row["data"], row["law"], row["epsilon"]): row for row in known}
    judgements = [found for each in SETS for law in each.laws for epsilon in EPSILONS
                  if (found := judged(rows, each, law, epsilon, extra,
                                      old.get((each.name, law, epsilon)))) is not None]
    tables.save("utility/auto", judgements)
    tables.keep_page("utility/auto", table(judgements), "bench/utility/auto.py")
    missed = [row for row in judgements if row["misses"]]
    print(f"{len(judgements)} cells, {len(missed)} miss something")
    for row in missed:
        print(f"does not hold: {row['data']}, {row['law']}, epsilon {row['epsilon']}: "
              f"{row['value']:.4f}, bar {row['bar']}, constant {row['constant']:.4f}, best "
              f"{row['best_value']} ({row['best']}): {', '.join(row['misses'])}", file=sys.stderr)
    return 1 if missed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: [word for word in text.split(",") if word]
    numbers = lambda text: [next(e for e in EPSILONS if e == float(word)) for word in words(text)]
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--only", type=words, default=[], help="names of sets")
    parser.add_argument("--ways", type=lambda text: text.split(";"), default=[],
                        help="names with ; between them")
    parser.add_argument("--laws", type=words, default=[], help=", ".join(LAWS))
    parser.add_argument("--epsilons", type=numbers, default=EPSILONS)
    parser.add_argument("--seeds", type=int, default=len(utility.SEEDS))
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--rows", type=pathlib.Path, default=utility.ROOT / "build/auto.jsonl")
    parser.add_argument("--others", type=pathlib.Path,
                        default=utility.ROOT / "build/methods.jsonl")
    parser.add_argument("--tables-only", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    rows = Rows(options.rows)
    if not options.tables_only:
        if "TACET_DATA" not in os.environ:
            sys.exit("TACET_DATA must name the folder of public data sets")
        with tempfile.TemporaryDirectory() as folder:
            # A copy: hours later the tree may have been built anew.
            program = shutil.copy2(options.program, pathlib.Path(folder) / "tacet")
            measure(Auto(program, pathlib.Path(os.environ["TACET_DATA"]), pathlib.Path(folder),
                         tuple(range(1, options.seeds + 1))), options, rows)
        if options.only or options.ways or options.laws or tuple(options.epsilons) != EPSILONS:
            return 0
    return write_results(rows, options)


if __name__ == "__main__":
    sys.exit(main())
