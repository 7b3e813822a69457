"""Holds what a report says against what other commands say.

    agrees.py account REPORT.json LEDGER.json    amounts and promises of `ledger show --json`
    agrees.py table REPORT.json SHOW.json        coefficients and intervals of `show --json`
    agrees.py metrics REPORT.json METRICS.json   figures and intervals of `evaluate --json`
"""
import json
import math
import sys

what, report, other = sys.argv[1], json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))


def blocks_of(blocks):
    for block in blocks:
        yield block
        yield from blocks_of(block.get("blocks", []))


blocks = [block for section in report["sections"] for block in blocks_of(section["blocks"])]
tables = [block["table"] for block in blocks if "table" in block]
figures = [block for block in blocks if "figure" in block]
faults = []


def expect(name, shown, said):
    if shown != said:
        faults.append((name, shown, said))


def near(name, shown, said):
    """Printed in six digits, rounded up."""
    shown = float(shown)
    if shown != said and not 0 <= shown - said <= 1e-5 * said:
        faults.append((name, shown, said))


if what == "account":
    [account] = other["accounts"]
    [figure] = [one for one in figures if one["figure"] == "budget"]
    last = figure["numbers"]["rows"][-1]
    spent = account["spent"]["value"]
    if account["cap"]["currency"] == "gdp":  # mu squared adds up, and mu is shown
        expect("spent", math.isclose(last[2] ** 2, spent, rel_tol=1e-12), True)
    else:
        expect("spent", last[2], spent)
    expect("cap", last[3], account["cap"]["value"])
    [promised] = [one for one in tables if one["caption"].startswith("What that is in epsilon")]
    said = {one["delta"]: one for one in account["promises"]}
    for delta, cap, spent, _, any_time in promised["rows"]:
        near("cap", cap, said[delta]["epsilon_of_cap"])
        near("spent", spent, said[delta]["epsilon_of_spent"])
        near("any time", any_time, said[delta]["epsilon_at_any_time"])
    expect("promises", len(promised["rows"]) > 2, True)
elif what == "table":
    [shown] = [one["rows"] for one in tables if one["caption"].startswith("Coefficients")]
    said = other["table"]["coefficients"]
    expect("coefficients", len(shown), len(said))
    for row, line in zip(shown, said):
        expect(line["name"], row[:6], [line[key] for key in
                                       ("name", "estimate", "standard_error", "low", "high", "p")])
elif what == "metrics":
    [figure] = [one for one in figures if one["title"] == "Released metrics"]
    rows = {row[0].replace(" ", "_").lower(): row[1:] for row in figure["numbers"]["rows"]}
    for name in ("accuracy", "majority_share", "auc", "brier_score", "records"):
        said = other[name]
        expect(name, rows[name][:2], [said["value"], said["noise_sd"]])
        if "lower" in said:
            expect(name, rows[name][2:], [said["lower"], said["upper"]])
print("agree" if not faults else faults)
