#!/usr/bin/env python3
"""All methods of the product side by side, untouched, on public data sets.

    TACET_DATA=FOLDER bench/utility/methods.py [--program FILE] [--only WORD,..] [--methods NAME,..]
                                       [--epsilons E,..] [--deltas D,..] [--seeds N]
                                       [--limit SECONDS] [--limit-unprotected SECONDS]
                                       [--rows FILE] [--tables-only]

A cell is a data set, a method, an epsilon and a delta: the median over seeds 1 to 5 of a metric on
records that were not trained on (accuracy or R2), beside the model without privacy. Shipped schemas
and the default loss (softmax where the name says so), nothing tuned, adjacency replace_one for all.
A method that is not offered for a problem has the program's own reason instead; one with a
training that takes longer than --limit, in seconds of one processor, has that as its reason, and
its larger epsilons are not tried.
The sets are split as in bench/utility/utility.py.

Each cell is appended to --rows (build/methods.jsonl) as soon as it is known, with the commit that
it was measured at; a run that was interrupted goes on where it ended: cells found there, or in
--output, are not measured again. Delete both files to begin anew. When no cell is missing, or with
--tables-only, the tables bench/utility/tables/methods.md, and pictures where matplotlib is
installed, are made of all cells.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin, tables  # noqa: E402

EPSILONS = (0.1, 0.5, 1, 2, 4)
DELTAS = ("0", "1e-6")
NAMES = ("gradient", "output", "phased", "objective", "regularized-output", "inverse-sensitivity",
         "ladder", "localized", "growth", "phased-erm", "adassp")
METHODS = {name: ["--method", name] for name in NAMES}
# Ways to very many columns, for the set that has them.
KEPT, PROJECTED = ["--feature-selection", "auto"], ["--projection", "auto"]
WIDE = {f"{name}, selected columns": ["--method", name, *KEPT]
        for name in ("gradient", "output", "objective", "regularized-output", "adassp")}
WIDE |= {f"{name}, projected": ["--method", name, *PROJECTED]
         for name in ("gradient", "objective", "regularized-output")}
WIDE["adassp, projected to 1024"] = ["--method", "adassp", "--projection", "countsketch",
                                     "--projection-width", "1024"]
MNIST = ("mnist", "mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz")
WHITE = ("wine_quality", "wine_quality/winequality-white.csv.gz", None)

Problem = collections.namedtuple("Problem", "name source metrics options methods",
                                 defaults=([], METHODS))
PROBLEMS = [  # source: schema, training file, test file (None: split)
    Problem("adult", utility.ADULT, ("accuracy",)),
    Problem("bank", utility.BANK, ("accuracy", "auc")),
    Problem("covertype", utility.COVERTYPE, ("accuracy",)),
    Problem("california housing", utility.CALIFORNIA, ("r2",)),
    Problem("white wine", WHITE, ("r2",)),
    Problem("bike", utility.BIKE, ("r2",)),
    Problem("medical", utility.MEDICAL, ("r2",)),
    Problem("kin8nm", utility.KIN8NM, ("r2",)),
    Problem("pol", utility.POL, ("r2",)),
    Problem("sms spam", utility.SMS, ("accuracy",), [], METHODS | WIDE),
    Problem("mnist, one against rest", MNIST, ("accuracy",)),
    Problem("mnist, softmax", MNIST, ("accuracy",), ["--loss", "softmax"]),
]


class Refused(Exception):
    pass


class TooSlow(Exception):
    pass


class Rows:
    """The cells that are known, in a file of a JSON object a line."""

    def __init__(self, path):
        self.path = path
        self.known = {}
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    continue  # a line that an interrupted run did not finish: measured again
                self.known[self.key(row)] = row

    @staticmethod
    def key(row):
        return row["data"], row["method"], row["delta"], row["epsilon"]

    def add(self, row):
        self.known[self.key(row)] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+", encoding="utf-8") as file:
            file.seek(0, os.SEEK_END)
            if file.tell() > 0:
                file.seek(file.tell() - 1)
                if file.read(1) != "\n":
                    file.write("\n")
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())


def train(bench, words, limit):
    seconds = math.ceil(limit)  # of the processor: what else runs on the machine decides nothing
    run = subprocess.run([str(bench.program), "train", *map(str, words), "--json", "--quiet"],
                         check=False, capture_output=True, text=True,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU,
                                                               (seconds, seconds + 5)))
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TooSlow(f"a training takes more than {seconds} s of a processor")
    if run.returncode in (2, 5, 6):  # usage, guarantee or numbers refused: said by the plan
        raise Refused(run.stderr.strip().splitlines()[-1].removeprefix("tacet train: ").strip())
    if run.returncode != 0:
        sys.exit(f"methods: {' '.join(map(str, words))} failed:\n{run.stderr}")


def scores(bench, problem, files, words, seeds, limit):
    """{metric: a score a seed} of trainings that differ by their seeds."""
    model = bench.folder / "model.json"
    found = {metric: [] for metric in problem.metrics}
    for seed in seeds:
        seeded = [] if seed is None else ["--seed", seed]
        train(bench, [files[0], "--schema", utility.SCHEMAS / f"{problem.source[0]}.toml",
                      *problem.options, *words, *seeded, "--output", model, "--force"], limit)
        said = bench.call("evaluate", model, files[1], "--public")
        for metric in problem.metrics:
            found[metric].append(said[metric])
    return found


def measured(bench, problem, files, cell, words, limits):
    """The row of a cell: scores, or why there are none."""
    row = {"data": problem.name, **cell, "commit": bench.commit}
    start = time.monotonic()
    try:
        seeds = bench.seeds if cell["epsilon"] != "inf" else (None,)
        row["scores"] = scores(bench, problem, files, words, seeds, limits)
    except Refused as reason:
        row["refused"] = str(reason)
    except TooSlow as reason:
        row["slow"] = str(reason)
    row["seconds"] = round(time.monotonic() - start, 2)
    shown = row.get("refused", row.get("slow"))
    if "scores" in row:
        shown = f"{statistics.median(row['scores'][problem.metrics[0]]):.4f}"
    print(f"{problem.name:24} {row['method']:30} delta {row['delta']:<5g} "
          f"epsilon {row['epsilon']:<4} {shown} ({row['seconds']:.1f} s)", flush=True)
    return row


def files_of(bench, problem):
    """Training and test file and the options that a split needs; None where data are missing."""
    schema, train_file, test = problem.source
    source = bench.data / train_file
    if not source.exists():
        print(f"{problem.name}: {source} is not there; left out", file=sys.stderr)
        return None
    if test is not None:
        return source, bench.data / test, []
    text = (utility.SCHEMAS / f"{schema}.toml").read_text("utf-8")
    *files, count = utility.split([source], text, bench.folder)
    return *files, ["--public-row-count", count]


def cells(options, problem):
    """All cells of a problem in the order of measuring, the one without privacy first."""
    yield {"method": "unprotected", "epsilon": "inf", "delta": 0.0}, []
    for method, words in problem.methods.items():
        if options.methods and method not in options.methods:
            continue
        for delta in options.deltas:
            for epsilon in options.epsilons:
                yield ({"method": method, "epsilon": epsilon, "delta": float(delta)},
                       [*words, "--adjacency", "replace_one", "--epsilon", epsilon,
                        "--delta", delta, "--threads", 1])


def measure(bench, options, rows, problem):
    missing = [(cell, words) for cell, words in cells(options, problem)
               if Rows.key({"data": problem.name, **cell}) not in rows.known]
    files = files_of(bench, problem) if missing else None
    if files is None:
        return
    slow = {}  # of a method and delta, why larger epsilons are not tried
    for cell, words in missing:
        plain = cell["epsilon"] == "inf"
        limit = options.limit_unprotected if plain else options.limit
        group = cell["method"], cell["delta"]
        if group in slow:
            rows.add({"data": problem.name, **cell, "commit": bench.commit, "slow": slow[group]})
            continue
        words = [*words, *files[2], *(["--epsilon", "inf"] if plain else [])]
        row = measured(bench, problem, files[:2], cell, words, limit)
        if "slow" in row:
            slow[group] = f"not tried: at epsilon {cell['epsilon']} {row['slow']}"
        rows.add(row)


def line_of(rows, method, metric):
    """A row of a table: medians, or one reason in words where no cell has a number."""
    if not any("scores" in row for row in rows):
        reasons = [row.get("refused", row.get("slow")) for row in rows if row] or ["not measured"]
        return f"| {method} | {reasons[0]} |" + " |" * (len(rows) - 1)
    values = [f"{statistics.median(row['scores'][metric]):.4f}" if "scores" in row
              else "too slow" if "slow" in row else "refused" if "refused" in row
              else "not measured" for row in rows]
    return f"| {method} | " + " | ".join(values) + " |"


def value(row, metric):
    return statistics.median(row["scores"][metric]) if row and "scores" in row else None


def page(rows):
    lines = ["# All methods side by side", "",
             "Medians over five seeds on records that were not trained on; nothing tuned;",
             "adjacency replace_one. Made by `bench/utility/methods.py`. A reason in place of numbers is the",
             "program's own, or a limit of time. R2 below 0 is worse than the mean of the labels.",
             "Without privacy is the exact minimiser on the columns as the schema has them; `gradient`",
             "adds splines to numbers where its rule says so, and can be above it.", ""]
    for problem in PROBLEMS:
        of_problem = {key[1:]: row for key, row in rows.known.items() if key[0] == problem.name}
        plain = of_problem.pop(("unprotected", 0.0, "inf"), None)
        if not of_problem:
            continue
        for metric in problem.metrics:
            best = value(plain, metric)
            said = f"{best:.4f}" if best is not None else (plain or {}).get(
                "refused", (plain or {}).get("slow", "not measured"))
            for delta in map(float, DELTAS):
                if not any(key[1] == delta for key in of_problem):
                    continue
                lines += [f"## {problem.name}, {metric}, delta {delta:g}", "",
                          f"Without privacy: {said}", "",
                          "| method | " + " | ".join(f"epsilon {e}" for e in EPSILONS) + " |",
                          "|---|" + "---:|" * len(EPSILONS)]
                lines += [line_of([of_problem.get((method, delta, e), {}) for e in EPSILONS],
                                  method, metric)
                          for method in problem.methods
                          if any(key[:2] == (method, delta) for key in of_problem)]
                lines.append("")
    return "\n".join(lines)


def draw(rows, folder):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("methods: no matplotlib, no pictures", file=sys.stderr)
        return
    for problem in PROBLEMS:
        metric = problem.metrics[0]
        best = value(rows.known.get((problem.name, "unprotected", 0.0, "inf")), metric)
        figure, axes = pyplot.subplots(1, len(DELTAS), figsize=(12, 5), sharey=True)
        for axis, delta in zip(axes, map(float, DELTAS)):
            for method in problem.methods:
                found = [(e, value(rows.known.get((problem.name, method, delta, e)), metric))
                         for e in EPSILONS]
                points = [(e, v) for e, v in found if v is not None]
                if points:
                    axis.plot(*zip(*points), marker="o", label=method)
            if best is not None:
                axis.axhline(best, color="black", linestyle=":")
                axis.set(ylim=(min(0, best) if metric == "r2" else 0.5, best + 0.05))
            axis.set(title=f"{problem.name}, delta {delta:g}", xlabel="epsilon", xscale="log")
            axis.legend(fontsize=7)
        figure.savefig(folder / f"methods-{problem.name.replace(' ', '-').replace(',', '')}.png")


def write_results(rows):
    tables.keep_page("utility/methods", page(rows), "bench/utility/methods.py")
    draw(rows, tables.raw("utility/methods").parent)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: [word for word in text.split(",") if word]
    numbers = lambda text: [next(e for e in EPSILONS if e == float(word)) for word in words(text)]
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--only", type=words, default=[], help="problems by parts of their names")
    parser.add_argument("--methods", type=words, default=[])
    parser.add_argument("--epsilons", type=numbers, default=EPSILONS)
    parser.add_argument("--deltas", type=words, default=DELTAS)
    parser.add_argument("--seeds", type=int, default=len(utility.SEEDS))
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--limit-unprotected", type=float, default=1800)
    parser.add_argument("--rows", type=pathlib.Path, default=utility.ROOT / "build/methods.jsonl")
    parser.add_argument("--tables-only", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    rows = Rows(options.rows)
    if options.tables_only:
        write_results(rows)
        return
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    with tempfile.TemporaryDirectory() as folder:
        # A copy: hours later the tree may have been built anew.
        program = shutil.copy2(options.program, pathlib.Path(folder) / "tacet")
        bench = utility.Bench(program, pathlib.Path(os.environ["TACET_DATA"]),
                              pathlib.Path(folder), tuple(range(1, options.seeds + 1)))
        bench.commit = origin.origin()["commit"]
        for problem in PROBLEMS:
            if not options.only or any(word in problem.name for word in options.only):
                measure(bench, options, rows, problem)
    # A full run alone makes the tables by itself: parts wait in --rows for the others.
    if not (options.only or options.methods):
        write_results(rows)


if __name__ == "__main__":
    main()
