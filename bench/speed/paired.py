#!/usr/bin/env python3
"""Two builds of the benchmarks side by side, one after the other in turns.

    bench/speed/paired.py BEFORE AFTER [--rounds N]

BEFORE and AFTER are folders with bench_epoch, random_bench, accountant_bench and solver_bench
(build/bench/bench of two checkouts). Each round runs both; a row is the median over rounds of
"after over before" in time, with its quartiles, so that what else a machine does falls on both.
Below 1 is faster. The file is Markdown; its rows are grouped by what they measure, and the end of
each group is the median over its rows.
"""

import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin  # noqa: E402



def epoch(folder, work):
    """Seconds of processor time a row."""
    text = subprocess.run([folder / "bench_epoch", "--benchmark_format=json",
                           "--benchmark_min_time=0.3"], check=True, capture_output=True, text=True)
    return {row["name"]: row["cpu_time"] for row in json.loads(text.stdout)["benchmarks"]}


def own_rows(program, *words):
    def measure(folder, work):
        result = work / "rows.json"
        subprocess.run([folder / program, result, *words], check=True, capture_output=True)
        rows = json.loads(result.read_text(encoding="utf-8"))
        rows = rows["rows"] if isinstance(rows, dict) else rows
        return {row["name"]: 1 / row["value"] if row["unit"].endswith("/s") else row["value"]
                for row in rows if row["unit"] in ("s", "ms") or row["unit"].endswith("/s")}
    return measure


def solver(folder, work):
    text = subprocess.run([folder / "solver_bench"], check=True, capture_output=True, text=True)
    return {f"certified to {name}": float(seconds) for name, seconds
            in re.findall(r"certified to (\S+): ([\d.]+) s", text.stdout)}


GROUPS = {"epochs": epoch, "noise and samples": own_rows("random_bench"),
          "accountant": own_rows("accountant_bench", "3"), "certified solver": solver}


def quartiles(values):
    return statistics.quantiles(values, n=4) if len(values) > 1 else [values[0]] * 3


def table(ratios, rounds):
    source = origin.origin()
    lines = ["# Time after over time before", "",
             f"{source['machine']['cpu']}, {rounds} rounds in turns, {source['date']}.", "",
             "| | quarter | median | three quarters |", "|---|---:|---:|---:|"]
    for group, rows in ratios.items():
        for name, values in sorted(rows.items()):
            lines.append(f"| {name} | " + " | ".join(f"{v:.3f}" for v in quartiles(values)) + " |")
        middle = statistics.median(statistics.median(values) for values in rows.values())
        lines.append(f"| **{group}, median of {len(rows)}** | | **{middle:.3f}** | |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    ratios = {group: collections.defaultdict(list) for group in GROUPS}
    with tempfile.TemporaryDirectory() as work:
        for _ in range(options.rounds):
            for group, measure in GROUPS.items():
                before = measure(options.before, pathlib.Path(work))
                after = measure(options.after, pathlib.Path(work))
                for name in before.keys() & after.keys():
                    ratios[group][name].append(after[name] / before[name])
    text = table(ratios, options.rounds)
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
