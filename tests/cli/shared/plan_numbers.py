"""Reads the table of `tacet report --plan --json`.

    plan_numbers.py REPORT FIELD...           one line an epsilon
    plan_numbers.py REPORT noise MODEL...     the noise of any coefficient beside what models of these plans state
"""
import json
import sys

FIELDS = ["epsilon", "delta", "method", "usual", "any", "steps", "excess", "records", "test", "alarm"]


def figures(blocks):
    for block in blocks:
        if "figure" in block:
            yield block
        yield from figures(block.get("blocks", []))


def rows_of(report, name="epsilon-buys"):
    found = [one for section in report["sections"] for one in figures(section["blocks"]) if one["figure"] == name]
    return [one["numbers"]["rows"] for one in found][0]


if __name__ == "__main__":
    rows = [dict(zip(FIELDS, row)) for row in rows_of(json.load(open(sys.argv[1])))]
    if sys.argv[2] == "noise":
        for row, name in zip(rows, sys.argv[3:], strict=True):
            stated = json.load(open(name))["model"]["noise_stddevs"]
            far = [s for s in stated if abs(s / row["any"] - 1) > 1e-9]
            print("same" if stated and not far else f"{row['any']} beside {stated[:3]}")
    else:
        for row in rows:
            print(*[row[field] for field in sys.argv[2:]])
