"""Writes 2000 invented records with numbers, categories and flags as CSV, or a schema of them: `two` classes,
`three` classes or a `number`."""
import random
import sys

COLUMNS = """
[[column]]
name = "age"
kind = "numeric"
lower = 20
upper = 100
knots = 5

[[column]]
name = "hours"
kind = "numeric"
lower = 0
upper = 80
bins = 4
missing_indicator = true

[[column]]
name = "town"
kind = "categorical"
categories = ["Bern", "Basel", "Chur"]
other = "column"

[[column]]
name = "car"
kind = "categorical"
categories = ["none", "one"]

[[column]]
name = "note"
kind = "ignored"
"""
TARGETS = {
    "two": 'column = "bought"\npositive = "yes"\nnegative = "no"\n',
    "three": 'column = "kind"\nclasses = ["a", "b", "c"]\n',
    "number": 'column = "price"\nlower = -50\nupper = 350\n',
}

if len(sys.argv) > 1:
    kind = sys.argv[1]
    scaling = "const" if kind == "number" else "clip1"
    print(f'name = "mixed"\npublic_row_count = 2000\nrow_scaling = "{scaling}"\n'
          f'interactions = [["town", "car"]]\n[target]\n{TARGETS[kind]}{COLUMNS}')
    sys.exit()
generator = random.Random(4)
print("age,hours,town,car,note,bought,kind,price")
for i in range(2000):
    age = generator.randint(20, 100)
    hours = "" if i % 9 == 0 else generator.randint(0, 80)
    town = generator.choice(["Bern", "Basel", "Chur", "Genf"])
    car = generator.choice(["none", "one"])
    score = (age - 60) / 20 + (town == "Bern") - (car == "one" and town == "Chur") + generator.gauss(0, 1)
    kind = "a" if score < -0.5 else "b" if score < 0.7 else "c"
    note = "MARKED-VALUE" if i == 1234 else "quiet"
    print(f"{age},{hours},{town},{car},{note},{'yes' if score > 0 else 'no'},{kind},{100 + 40 * score:.2f}")
