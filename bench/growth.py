#!/usr/bin/env python3
"""Error against the number of records where the risk grows like |w - w*|^kappa.

    bench/growth.py [--program FILE] [--from FILE] [--repetitions N] [--output FILE]

Runs growth_bench (see there for the problem), or takes the rows it wrote before, and judges them:

 * where records are the distribution's own quantiles, so that privacy alone causes error, the slopes
   of error against the number of records lie within 0.35 of those measured by an independent program;
 * the ladder's error is below that of every algorithm as printed;
 * with 10^5 records and kappa 2 it is within 4 times that without privacy.

The result goes to bench/results/growth.json, its tables to growth.md beside it, and a picture beside
both where matplotlib is installed. Exit code 1 when something does not hold.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SLACK = 0.35
MOST_OVER_PLAIN = 4
# Pure, epsilon 0.1, 3,000 to 300,000 records: slopes that an independent program measured.
MEASURED = {("inverse-sensitivity", 1.5): -2.95, ("inverse-sensitivity", 2): -1.96,
            ("inverse-sensitivity", 3): -1.46, ("inverse-sensitivity", 8): -1.09,
            ("ladder", 1.5): -2.57, ("ladder", 2): -1.74, ("ladder", 3): -1.29,
            ("ladder", 8): -1.04}


def slope(points):
    """Least squares of log error against log rows."""
    logs = [(math.log(n), math.log(max(error, 1e-300))) for n, error in points]
    middle = [sum(values) / len(logs) for values in zip(*logs)]
    return (sum((x - middle[0]) * (y - middle[1]) for x, y in logs)
            / sum((x - middle[0]) ** 2 for x, _ in logs))


def slopes(rows, data):
    found = []
    for method, kappa, delta in dict.fromkeys((r["method"], r["kappa"], r["delta"])
                                              for r in rows if r["data"] == data):
        points = [(r["rows"], r["excess_risk"]) for r in rows
                  if (r["data"], r["method"], r["kappa"], r["delta"])
                  == (data, method, kappa, delta) and r["excess_risk"] > 0]
        if len(points) < 3:
            continue
        found.append({"data": data, "method": method, "kappa": kappa, "delta": delta,
                      "slope": slope(points), "last": slope(points[-3:]),
                      "theory": -kappa / (kappa - 1) if kappa > 1 else "-inf"})
    return found


def judge(rows, fitted):
    """[(what was asked, whether it holds)]"""
    verdicts = []
    for (method, kappa), measured in MEASURED.items():
        ours = next(f["slope"] for f in fitted if f["data"] == "quantiles" and f["delta"] == 0
                    and (f["method"], f["kappa"]) == (method, kappa))
        verdicts.append((f"{method}, kappa {kappa:g}: slope {ours:.2f}, elsewhere {measured}",
                         abs(ours - measured) <= SLACK))
    cells = {(r["kappa"], r["rows"], r["delta"], r["method"]): r["excess_risk"]
             for r in rows if r["data"] == "random"}
    for (kappa, n, delta, method), error in cells.items():
        if method.endswith("as printed"):
            ladder = cells[kappa, n, delta, "ladder"]
            verdicts.append((f"kappa {kappa:g}, {n} records, delta {delta:g}: ladder {ladder:.2g}, "
                             f"{method} {error:.2g}", ladder < error))
    for delta in sorted({r["delta"] for r in rows}):
        ladder, plain = (cells[2, 100_000, delta, name] for name in ("ladder", "without privacy"))
        verdicts.append((f"kappa 2, 100000 records, delta {delta:g}: ladder {ladder:.2g}, without "
                         f"privacy {plain:.2g}", ladder <= MOST_OVER_PLAIN * plain))
    return verdicts


def tables(rows, fitted):
    lines = ["# Error against growth", "",
             "Mean excess risk of a location; Lipschitz and growth constant 1; see growth_bench.cc.",
             ""]
    for data in ("random", "quantiles"):
        for delta in sorted({r["delta"] for r in rows}):
            part = [r for r in rows if (r["data"], r["delta"]) == (data, delta)]
            sizes = sorted({r["rows"] for r in part})
            lines += [f"## {data}, epsilon {part[0]['epsilon']:g}, delta {delta:g}", "",
                      "| kappa | method | " + " | ".join(map(str, sizes)) + " | slope |",
                      "|---|---|" + "---:|" * (len(sizes) + 1)]
            for kappa, method in dict.fromkeys((r["kappa"], r["method"]) for r in part):
                cells = {r["rows"]: r["excess_risk"] for r in part
                         if (r["kappa"], r["method"]) == (kappa, method)}
                fit = [f"{f['slope']:.2f}" for f in fitted if (f["data"], f["delta"], f["kappa"],
                                                               f["method"])
                       == (data, delta, kappa, method)]
                lines.append(f"| {kappa:g} | {method} | " + " | ".join(
                    f"{cells[n]:.1e}" if n in cells else "" for n in sizes)
                    + f" | {(fit or [''])[0]} |")
            lines.append("")
    return "\n".join(lines)


def draw(rows, path):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("growth: no matplotlib, no picture", file=sys.stderr)
        return
    part = [r for r in rows if r["data"] == "random"]
    kappas = sorted({r["kappa"] for r in part})
    deltas = sorted({r["delta"] for r in part})
    figure, axes = pyplot.subplots(len(deltas), len(kappas), sharex=True,
                                   figsize=(4 * len(kappas), 4 * len(deltas)))
    for i, delta in enumerate(deltas):
        for axis, kappa in zip(axes[i], kappas):
            for method in dict.fromkeys(r["method"] for r in part):
                points = [(r["rows"], r["excess_risk"]) for r in part
                          if (r["method"], r["kappa"], r["delta"]) == (method, kappa, delta)]
                if points:
                    bound = method.startswith("lower bound")
                    axis.loglog(*zip(*points), "k--" if bound else "o-", label=method)
            axis.set_title(f"kappa {kappa:g}, delta {delta:g}")
    axes[0][-1].legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path,
                        default=ROOT / "build/bench/bench/growth_bench")
    parser.add_argument("--from", dest="rows", type=pathlib.Path, help="rows measured before")
    parser.add_argument("--repetitions", type=int, default=14)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench/results/growth.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = options.rows or pathlib.Path(folder) / "rows.json"
        if options.rows is None:
            subprocess.run([str(options.program), str(source), str(options.repetitions)],
                           check=True)
        rows = json.loads(source.read_text(encoding="utf-8"))
    fitted = slopes(rows, "random") + slopes(rows, "quantiles")
    verdicts = judge(rows, fitted)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(
        {"rows": rows, "slopes": fitted,
         "checks": [{"asked": asked, "holds": holds} for asked, holds in verdicts]},
        indent=1) + "\n", encoding="utf-8")
    options.output.with_suffix(".md").write_text(tables(rows, fitted), encoding="utf-8")
    draw(rows, options.output.with_suffix(".png"))
    print(tables(rows, fitted))
    for asked, holds in verdicts:
        if not holds:
            print(f"FAILS: {asked}")
    print(f"{sum(holds for _, holds in verdicts)} of {len(verdicts)} checks hold")
    sys.exit(0 if all(holds for _, holds in verdicts) else 1)


if __name__ == "__main__":
    main()
