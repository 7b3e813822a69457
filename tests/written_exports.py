"""The invented schemas and records of exports.py."""

import datetime
import random

TARGETS = {
    "two": '[target]\ncolumn = "y2"\npositive = ["yes"]\nnegative = ["no"]\n',
    "three": '[target]\ncolumn = "y3"\nclasses = ["a", "b\'s", "c"]\n',
    "number": '[target]\ncolumn = "y"\nlower = 0\nupper = 10\n',
}
SCHEMA = """
public_row_count = 400
missing = ["", "NA", "-999"]
interactions = [["town", "code"]]
{scaling}
{target}
[[column]]
name = "age"
kind = "numeric"
lower = 17
upper = 90
knots = 0
[[column]]
name = "gain"
kind = "numeric"
lower = 0
upper = 9999
log1p = true
fill = 12
knots = 0
[[column]]
name = "curve"
kind = "numeric"
lower = -3
upper = 5
knots = 7
[[column]]
name = "case"
kind = "numeric"
lower = 0
upper = 100
bins = 10
missing_indicator = true
knots = 0
[[column]]
name = "Stunde \\"\u00fc\\""
kind = "numeric"
lower = 0
upper = 24
period = 24
[[column]]
name = "day"
kind = "date"
lower = "2011-01-01"
upper = "2013-12-31"
knots = 0
[[column]]
name = "town"
kind = "categorical"
categories = ["Bern", "Bir's", "a;b\\\\"]
other = "column"
[[column]]
name = "code"
kind = "categorical"
categories = ["1", "2.5", "30"]
"""
CURVED = """
public_row_count = 400
missing = ["", "NA", "-999"]
[target]
column = "y"
lower = 0
upper = 10
"""
CURVED_COLUMNS = {"age": """kind = "numeric"
lower = 17
upper = 90
missing_indicator = true
knots = 0
""", "gain": """kind = "numeric"
lower = 0
upper = 9999
log1p = true
knots = 0
""", "curve": """kind = "numeric"
lower = -3
upper = 5
knots = 0
""", "town": """kind = "categorical"
categories = ["Bern", "Bir's", "a;b\\\\"]
other = "column"
""", "code": """kind = "categorical"
categories = ["1", "2.5"]
coding = "sign"
"""}
WIDE = """
public_row_count = 400
[target]
column = "y3"
classes = ["a", "b's", "c"]
[[column]]
name = "town"
kind = "hashed"
bits = 3
[[column]]
name = "case"
kind = "numeric"
lower = 0
upper = 100
"""
NAMES = ["age", "gain", "curve", "case", 'Stunde "\u00fc"', "day", "town", "code"]
TEXTS = {"town", "code"}
MISSING = ["", "NA"]


def number(draw, lower, upper, whole):
    value = draw.uniform(lower - (upper - lower) / 5, upper + (upper - lower) / 5)
    value = draw.choice([value, value, value, lower, upper, -999])
    value = round(value) if whole or draw.random() < 0.3 else round(value, 4)
    return draw.choice(MISSING) if draw.random() < 0.1 else repr(value)


def date(draw):
    if draw.random() < 0.1:
        return ""
    return f"{draw.randint(2010, 2014)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"


def records(count, seed):
    draw = random.Random(seed)
    for k in range(count):
        row = {"age": number(draw, 17, 90, True), "gain": number(draw, 0, 9999, False),
               "curve": number(draw, -3, 5, False), "case": number(draw, 0, 100, True),
               NAMES[4]: number(draw, 0, 24, k % 2 == 0), "day": date(draw),
               "town": draw.choice(["Bern", "Bir's", "a;b\\", "elsewhere", "", "NA"]),
               "code": draw.choice(["1", "2.5", "30", "1.0", " 3e1", "+2.50", "1e", "x", ""])}
        noise = draw.gauss(0, 1)
        known = row["curve"] not in MISSING
        signal = noise + (min(5.0, float(row["curve"])) if known else 0) + (row["town"] == "Bern")
        row["y2"] = "yes" if signal > 1 else "no"
        row["y3"] = "a" if signal < 0 else "b's" if signal < 2 else "c"
        row["y"] = f"{min(10, max(0, signal + 3)):.3f}"
        yield row


def write_csv(path, rows):
    quoted = [['"' + text.replace('"', '""') + '"' for text in row.values()] for row in rows]
    head = ['"' + name.replace('"', '""') + '"' for name in rows[0]]
    path.write_text("".join(",".join(line) + "\n" for line in [head, *quoted]), encoding="utf-8")


def days(text):
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


# Reads records, a line each with tabs between values, and writes what a model in C says of them.
