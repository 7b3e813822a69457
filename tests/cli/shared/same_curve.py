"""Compares the figure of epsilon against delta of a report with the CSV of `tacet account --curve`."""
import csv
import json
import sys

report, curve = sys.argv[1:]


def figures(blocks):
    for block in blocks:
        if "figure" in block:
            yield block
        yield from figures(block.get("blocks", []))


[section] = json.load(open(report))["sections"]
[figure] = [one for one in figures(section["blocks"]) if one["figure"] == "epsilon-delta"]
shown = [(float(row[1]), float(row[2]), float(row[3]), row[4]) for row in figure["numbers"]["rows"]]
asked = [(float(row["delta"]), float(row["epsilon_lower"]), float(row["epsilon_upper"]), row["route"])
         for row in csv.DictReader(open(curve))]
print("same" if shown == asked and len(shown) == 12 else (shown, asked))
