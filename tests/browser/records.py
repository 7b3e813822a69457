"""Invented records with fixed seeds, for reports that somebody looks at."""
import csv
import random
import tomllib


def _write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(header)
        out.writerows(rows)


def census(path, schema):
    """6,000 records with the columns of the census of 1994, whose schema the tree has."""
    columns = [one for one in tomllib.loads(schema.read_text())["column"]]
    generator = random.Random(1994)
    rows = []
    for _ in range(6000):
        row, score = [], generator.gauss(-1.5, 1)
        for column in columns:
            if column["kind"] == "categorical":
                place = min(int(generator.expovariate(0.4)), len(column["categories"]) - 1)
                row.append(column["categories"][place])
                score += 0.8 if row[-1] in ("Married-civ-spouse", "Bachelors", "Exec-managerial") else 0
            elif column.get("log1p"):
                row.append(generator.randint(1000, 20000) if generator.random() < 0.08 else 0)
                score += 2 if row[-1] else 0
            else:
                low, high = column["lower"], column["upper"]
                row.append(round(low + (high - low) * generator.betavariate(2, 3)))
                if column["name"] == "age":
                    score -= ((row[-1] - 48) / 18) ** 2
        rows.append([*row, ">50K" if score > 0 else "<=50K"])
    _write(path, [*(one["name"] for one in columns), "income"], rows)


PATIENTS = """name = "stays"
description = "Days in hospital after an operation"
public_row_count = 4000
[target]
column = "days"
lower = 0
upper = 40
[[column]]
name = "age"
kind = "numeric"
lower = 18
upper = 95
[[column]]
name = "ward"
kind = "categorical"
categories = ["surgery", "orthopaedics", "cardiology & intensive care"]
[[column]]
name = "emergency"
kind = "categorical"
categories = ["no", "yes"]
"""

OUTCOMES = PATIENTS.replace('name = "stays"', 'name = "outcomes"').replace(
    'column = "days"\nlower = 0\nupper = 40', 'column = "outcome"\nclasses = ["home", "nursing home", "transferred"]').replace(
    "public_row_count = 4000", 'public_row_count = 4000\ninteractions = [["ward", "emergency"]]')

ADMISSIONS = PATIENTS.replace('name = "stays"', 'name = "readmissions"').replace(
    'column = "days"\nlower = 0\nupper = 40', 'column = "back"\npositive = "yes"\nnegative = "no"')


def patients(path):
    """4,000 invented stays, with a number, three outcomes and a yes or no as targets."""
    generator = random.Random(7)
    rows = []
    for _ in range(4000):
        age = round(min(max(generator.gauss(62, 16), 18), 95))
        ward = generator.choice(["surgery", "orthopaedics", "cardiology & intensive care"])
        emergency = generator.choice(["no", "no", "yes"])
        days = max(0, generator.gauss(4 + age / 12 + (6 if emergency == "yes" else 0), 4))
        far = generator.random()
        outcome = "transferred" if far < 0.1 else "nursing home" if far < (age - 30) / 100 else "home"
        back = "yes" if generator.random() < age / 200 + (0.2 if emergency == "yes" else 0) else "no"
        rows.append([age, ward, emergency, round(min(days, 40), 1), outcome, back])
    _write(path, ["age", "ward", "emergency", "days", "outcome", "back"], rows)
