"""Draws 1000 records out of the table by which a report lets a reader compute a prediction, adds them up as the report
says, and compares with `tacet predict`. Features are cut to multiples of 1/2048, which is all that may differ."""
import csv
import json
import math
import random
import subprocess
import sys

name = sys.argv[1]
model = json.load(open(f"{name}.json"))
[section] = json.load(open(f"{name}.report.json"))["sections"]


def tables(blocks):
    for block in blocks:
        if "table" in block:
            yield block["table"]
        yield from tables(block.get("blocks", []))


table = [one for one in tables(section["blocks"]) if one["caption"].startswith("What each value of each")][-1]
by_length = table["header"][-1] == "squared length"
rows = {}
for column, value, *numbers in table["rows"]:
    rows.setdefault(column, []).append((value, numbers))
[intercept] = rows.pop("(intercept)")
pairs = rows.pop("town and car")
words = " ".join(block.get("text", "") for block in section["blocks"])
longest = float(words.split("multiply it by ")[1].split(";")[0]) if by_length else 1


def spelt(value):
    """As a file has it; nothing where no file says it exactly."""
    if value == "(missing)":
        return ""
    if value in ("(other)", "(any other)"):
        return "Genf"
    return None if value.startswith("below ") else value.removeprefix("from ")


generator = random.Random(8)
records, sums = [], []
while len(records) < 1000:
    record, parts, chosen = {}, [intercept[1]], {}
    for column, values in rows.items():
        value, numbers = generator.choice([one for one in values if spelt(one[0]) is not None])
        record[column], chosen[column] = spelt(value), value
        parts.append(numbers)
    for value, numbers in pairs:
        if value == f"{chosen['town']} & {chosen['car']}":
            parts.append(numbers)
    added = [sum(part) for part in zip(*parts)]
    if by_length:
        factor = longest / max(1, math.sqrt(added.pop()))
        added = [one * factor for one in added]
    records.append(record)
    sums.append(added)

with open("drawn.csv", "w", newline="") as file:
    out = csv.DictWriter(file, [*rows, "note"], restval="")
    out.writeheader()
    out.writerows(records)
regression = name == "number"
said = subprocess.run(["tacet", "predict", f"{name}.json", "drawn.csv", "--quiet", *([] if regression else ["--proba"])],
                      check=True, capture_output=True, text=True).stdout.splitlines()[1:]
most = max(abs(one) for one in model["model"]["coefficients"])
room = 10 * most / 2048  # at most ten features of a record differ from 0
softmax = model["model"]["loss"] == "softmax"
wrong = 0
for added, line in zip(sums, said, strict=True):
    if regression:
        wrong += abs(min(max(150 + added[0], -50), 350) - float(line)) > room * 200 + 1e-6
        continue
    found = [float(one) for one in line.split(",")]
    if len(found) == 2:
        found, shares = found[1:], [1 / (1 + math.exp(-added[0]))]
    else:
        each = [math.exp(one) if softmax else 1 / (1 + math.exp(-one)) for one in added]
        shares = [one / sum(each) for one in each]
    wrong += any(abs(a - b) > room + 1e-5 for a, b in zip(found, shares, strict=True))
print(f"{name}: {wrong} of 1000 records differ" if wrong else f"{name}: 1000 records agree")
