#!/usr/bin/env python3
"""Private linear models of Arora, Bassily, Guzman, Menart, Ullah (2022) and their peers, measured.

    TACET_DATA=FOLDER bench/utility/glm.py [--program FILE] [--part PART,..] [--only WORD] [--seeds N]
                                  

PART is one of
  bars       the methods' own bars on public data, medians of seeds 1 to 5, nothing tuned
  synthetic  known problems: few columns, many columns of rank 5, as many columns as records
  sparse     sparse logistic regression on 50,000 columns
  claims     the paper's calibrations beside ours: what each claims and what is proved for its noise
  radius     a radius that is not known, chosen privately, beside each radius at its share of the budget
             on the same number of records; and boosting

Sets are split as in bench/utility/utility.py. The table is bench/utility/tables/glm.md. A bar or an
acceptance line that is missed ends the program with code 1.

Output perturbation is to beat descent on a ball where columns are as many as records. That is said
of descent whose noise is made for every slope that the ball allows (B X + Y = 3), which is measured
as such; the product's own descent cuts slopes at a fraction of that, on a ball as well, needs that
much less noise, and is ahead of both.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import utility

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import problems, tables  # noqa: E402

ABOUT = "Generalised linear models: AdaSSP, projections, radius search, claims of calibrations"
PARTS = ("bars", "synthetic", "sparse", "claims", "radius")
TITLES = {"bars": "Bars", "synthetic": "Synthetic problems", "sparse": "Sparse problem",
          "claims": "Claims", "radius": "Radius search"}
CALIFORNIA = ("california_housing", "california_housing/housing.csv.gz", "r2")
WINE = ("wine_quality", "wine_quality/winequality-white.csv.gz", "r2")
BIKE = ("bike_hour", "bike_hour/hour.csv.gz", "r2")
PUBLISHED = ["--method", "adassp", "--calibration", "wang2018"]
# Shipped schemas, replace_one, delta 1e-6: name, set, options, {epsilon: bar}.
BARS = [
    ("adassp, published shrinkage", CALIFORNIA, PUBLISHED, {1: 0.44, 4: 0.55}),
    ("adassp", CALIFORNIA, ["--method", "adassp"], {1: 0.51, 4: 0.59}),
    ("adassp", WINE, ["--method", "adassp"], {0.5: None, 1: None, 4: None}),
    ("adassp", BIKE, ["--method", "adassp"], {0.1: None, 0.5: None, 1: None, 4: None}),
    ("gradient", CALIFORNIA, ["--method", "gradient"], {0.1: None, 0.5: None, 1: None, 4: None}),
    ("gradient", WINE, ["--method", "gradient"], {0.5: None, 1: None, 4: None}),
    ("gradient", BIKE, ["--method", "gradient"], {0.1: None, 0.5: None, 1: None, 4: None}),
]
# Descent on the ball of radius 2 as the table of the problems has it: slopes are bounded by what
# the ball allows, B X + Y = 3, instead of being cut.
BALL = "gradient, ball, slopes of 3"
# rows, columns, rank (0: full).
PROBLEMS = {"20 columns": (5000, 20, 0), "400 columns of rank 5": (5000, 400, 5),
            "3000 columns of rank 5": (3000, 3000, 5)}
RIVALS = {
    BALL: ["--method", "gradient", "--radius", "2", "--clipping-norm", "3"],
    "gradient, ball": ["--method", "gradient", "--radius", "2"],
    "gradient": ["--method", "gradient"],
    "regularized-output": ["--method", "regularized-output", "--radius", "2"],
    "adassp": ["--method", "adassp"],
    "adassp, published": PUBLISHED,
}
# Projected rivals of the problems with many columns; widths follow from public facts.
PROJECTED_RIVALS = {
    "gradient, ball, projected": ["--method", "gradient", "--radius", "2", "--projection",
                                  "gaussian"],
    "gradient, projected": ["--method", "gradient", "--projection", "gaussian"],
    "regularized-output, projected": ["--method", "regularized-output", "--radius", "2",
                                      "--projection", "gaussian"],
    "adassp, projected": ["--method", "adassp", "--projection", "gaussian"],
}
# Methods that solve for a matrix of all pairs of columns: minutes a seed where they are thousands.
MATRICES = ("adassp",)
WIDEST_MATRIX = 1000


class Refused(Exception):
    pass


def scores(bench, schema, files, options, epsilon, metric):
    """A score a seed; a refusal's own words where a method is not offered."""
    found = []
    for seed in bench.seeds if epsilon != "inf" else bench.seeds[:1]:
        model = bench.folder / "model.json"
        words = ["train", files[0], "--schema", schema, "--epsilon", epsilon, *options,
                 "--output", model, "--force", "--json", "--quiet"]
        if epsilon != "inf":
            words += ["--seed", seed]
        run = subprocess.run([str(bench.program), *map(str, words)], check=False,
                             capture_output=True, text=True)
        if run.returncode in (2, 5, 6):
            raise Refused(run.stderr.strip().splitlines()[-1])
        if run.returncode != 0:
            sys.exit(f"glm: {' '.join(map(str, words))} failed:\n{run.stderr}")
        found.append(bench.call("evaluate", model, files[1], "--public")[metric])
    return found


def measured(bench, name, where, options, epsilon, metric):
    row = {"problem": where[0], "method": name, "epsilon": epsilon, "metric": metric}
    try:
        found = scores(bench, where[1], where[2:], options, epsilon, metric)
        row |= {"value": statistics.median(found), "mean": statistics.mean(found), "seeds": found}
    except Refused as reason:
        row["refused"] = str(reason)
    print(f"{where[0]:32} {name:28} epsilon {epsilon:<4} "
          f"{row.get('value', row.get('refused'))}", flush=True)
    return row


def bars(bench, only):
    for name, (schema, file, metric), options, wanted in BARS:
        if only not in f"{name} {schema}":
            continue
        source = bench.data / file
        if not source.exists():
            print(f"{name}: {source} is not below TACET_DATA; left out", file=sys.stderr)
            continue
        own = utility.SCHEMAS / f"{schema}.toml"
        *files, count = utility.split([source], own.read_text("utf-8"), bench.folder)
        common = ["--public-row-count", count, "--adjacency", "replace_one", "--delta", "1e-6"]
        for epsilon, bar in wanted.items():
            row = measured(bench, name, (schema, own, *files), [*options, *common], epsilon,
                           metric)
            if bar is not None:
                row |= {"bar": bar, "holds": row.get("value", -math.inf) >= bar}
            yield row


def synthetic(bench, only):
    for name, shape in PROBLEMS.items():
        if only not in name:
            continue
        where = (name, *problems.write_problem(bench.folder, name, shape, seed=1))
        common = ["--adjacency", "replace_one", "--delta", "1e-6"]
        rows = [measured(bench, "unprotected", where, ["--method", "gradient"], "inf", "r2")]
        rivals = {rival: options for rival, options in RIVALS.items()
                  if shape[1] <= WIDEST_MATRIX or options[1] not in MATRICES}
        rivals |= PROJECTED_RIVALS if shape[1] > 100 else {}
        for epsilon in (0.5, 1, 4):
            rows += [measured(bench, rival, where, [*options, *common], epsilon, "r2")
                     for rival, options in rivals.items()]
        yield from rows


def sparse(bench, only):
    if only not in "sparse":
        return
    where = ("sparse logistic", *problems.write_sparse(bench.folder, seed=1))
    common = ["--adjacency", "replace_one", "--delta", "1e-6"]
    yield measured(bench, "unprotected", where, ["--l2", "1e-4"], "inf", "accuracy")
    rivals = {rival: ["--method", rival] for rival in ("regularized-output", "gradient")}
    rivals |= {f"{rival}, countsketch {width}": [*options, "--projection", "countsketch", *(
        [] if width == "auto" else ["--projection-width", width])]
               for rival, options in tuple(rivals.items()) for width in ("256", "auto")}
    rivals["gradient, selected columns"] = ["--method", "gradient", "--feature-selection", "auto"]
    for epsilon in (1, 4, 16):
        for rival, options in rivals.items():
            yield measured(bench, rival, where, [*options, *common], epsilon, "accuracy")


def accept(rows):
    """The acceptance lines of the synthetic problems, on means over the seeds."""
    mean = {(r["problem"], r["method"], r["epsilon"]): r["mean"] for r in rows if "mean" in r}
    for (problem, method, epsilon), value in mean.items():
        if method == "adassp" and problem in PROBLEMS:
            yield (f"adassp not below the published shrinkage: {problem}, epsilon {epsilon}",
                   value >= mean[problem, "adassp, published", epsilon] - 0.01)
        if problem.startswith("3000") and method == "regularized-output" and epsilon <= 1:
            yield (f"output perturbation above descent on a ball with the ball's own bound of "
                   f"slopes: {problem}, epsilon {epsilon}", value > mean[problem, BALL, epsilon])


def claims(bench, only):
    """Plans alone: no record is read."""
    if only not in "claims":
        return
    ball = ["--radius", "5", "--adjacency", "replace_one"]
    ways = {"gradient": ("adult", ball), "regularized-output": ("adult", ball),
            "adassp": ("adult", ball[2:]),
            "gradient, projected": ("sms_spam", [*ball, "--projection", "gaussian"])}
    for name, (data, options) in ways.items():
        schema = utility.SCHEMAS / f"{data}.toml"
        method = name.split(",")[0]
        for calibration in CLAIMED[name]:
            for epsilon in (0.5, 1, 4, 8):
                run = subprocess.run(
                    [str(bench.program), "plan", "--schema", str(schema), "--method", method,
                     "--calibration", calibration, "--epsilon", str(epsilon), "--delta", "1e-6",
                     "--json", *options], check=False, capture_output=True, text=True)
                row = {"problem": data, "method": name, "calibration": calibration,
                       "epsilon": epsilon}
                if run.returncode != 0:
                    row["refused"] = run.stderr.strip().splitlines()[-1]
                else:
                    plan = json.loads(run.stdout)
                    row |= {"claimed_epsilon": plan.get("claimed_epsilon"),
                            "proved_epsilon": plan["epsilon"],
                            "noise_multiplier": plan["noise_multiplier"],
                            "steps": plan.get("steps")}
                    if "projection" in plan:
                        row["projection_width"] = plan["projection_width"]
                print(row, flush=True)
                yield row


def half_squares(rows):
    """Half the mean squared error of each seed, from the root that was measured."""
    for row in rows:
        if "seeds" in row:
            row["risks"] = [value * value / 2 for value in row["seeds"]]
            row["risk"] = statistics.mean(row["risks"])
    return rows


def radius(bench, only):
    """Half the squared error on the test half of 6,000 records in 20 columns."""
    if only not in "radius":
        return
    shape = (6000, 20, 0)
    schema, *files, part = problems.write_problem(bench.folder, "radius", shape, 1, (0.7,))
    where = ("radius", schema, *files)
    common = ["--adjacency", "replace_one", "--delta", "1e-6"]
    auto = ["--method", "gradient", "--radius", "auto", *common]
    paper = ["--method", "regularized-output", "--radius", "auto", "--calibration", "arora2022",
             *common]
    for epsilon in (0.5, 1, 4):
        plan = bench.call("plan", "--schema", schema, "--epsilon", epsilon, *auto)
        ways = {"radius-search": (where, auto, epsilon), "published search": (where, paper, epsilon),
                "boosting": (where, ["--method", "gradient", "--boost", "0.05", *common], epsilon),
                "boosting, radius 2": (where, ["--method", "gradient", "--radius", "2", "--boost",
                                               "0.05", *common], epsilon),
                "radius 2, all records": (where, ["--method", "gradient", "--radius", "2", *common],
                                          epsilon)}
        share = ["--adjacency", "replace_one", "--delta", repr(plan["run_delta"]),
                 "--public-row-count", str(plan["run_row_count"])]
        for value in plan["radii"].split():
            ways[f"share, radius {value}"] = (
                ("radius", schema, part, files[1]),
                ["--method", "gradient", "--radius", value, *share], plan["run_epsilon"])
        rows = [measured(bench, way, files_of, options, e, "rmse") | {"epsilon": epsilon}
                for way, (files_of, options, e) in ways.items()]
        yield from half_squares(rows)


def accept_radius(rows):
    """The choice is at most a tenth worse than the best radius at its share, from epsilon 1 on."""
    for epsilon in sorted({row["epsilon"] for row in rows}):
        risk = {row["method"]: row["risk"] for row in rows
                if row["epsilon"] == epsilon and "risk" in row}
        best = min(value for way, value in risk.items() if way.startswith("share"))
        if epsilon >= 1:
            yield (f"the radius chosen within 1.1 of the best at its share: epsilon {epsilon}",
                   risk["radius-search"] <= 1.1 * best)


CLAIMED = {"gradient": ("tight", "wang2021", "arora2022"),
           "regularized-output": ("tight", "arora2022"), "adassp": ("tight", "wang2018"),
           "gradient, projected": ("tight", "arora2022")}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=utility.ROOT / "build/release/tacet")
    parser.add_argument("--part", default=",".join(PARTS))
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int, default=len(utility.SEEDS))
    options = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = utility.Bench(options.program, pathlib.Path(os.environ["TACET_DATA"]),
                              pathlib.Path(folder), tuple(range(1, options.seeds + 1)))
        for part in options.part.split(","):
            found[part] = list({"bars": bars, "synthetic": synthetic, "sparse": sparse,
                                "claims": claims, "radius": radius}[part](bench, options.only))
    lines = [{"line": line, "holds": holds} for line, holds in accept(found.get("synthetic", []))]
    searched = [{"line": line, "holds": holds}
                for line, holds in accept_radius(found.get("radius", []))]
    missed = [row for row in found.get("bars", []) + lines + searched if row.get("holds") is False]
    for row in missed:
        print(f"missed: {row}", file=sys.stderr)
    if not options.only:
        tables.save("utility/glm_" + "_".join(found), found)
        verdicts = {"synthetic": lines, "radius": searched}
        for part, rows in found.items():  # parts may be measured apart
            shown = [{key: value for key, value in row.items() if key != "risks"} for row in rows]
            text = [tables.markdown(rows) for rows in (shown, verdicts.get(part)) if rows is not None]
            tables.keep("utility/glm", ABOUT, f"bench/utility/glm.py --part {part}",
                        {TITLES[part]: "\n\n".join(text)})
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
