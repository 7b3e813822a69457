"""Public tables for the benchmark of method inference: columns with bounds, and a target.

`untouched` had no part in the estimator's constants, `known` were looked at when they were set.
"""

import gzip
import math

import numpy as np


class Table:
    """Columns with bounds and a target: numbers, whose names say what they are."""

    def __init__(self, columns, target, kind, lower=0.0, upper=1.0):
        self.names = list(columns)
        self.bounds = [bounds for _, bounds in columns.values()]
        self.x = np.column_stack([
            np.clip(np.asarray(values, float), *bounds) for values, bounds in columns.values()])
        self.y = np.clip(np.asarray(target, float), lower, upper)
        self.kind, self.lower, self.upper = kind, lower, upper

    unit = None  # whose record it is
    known = False  # the truth is a fit

    def schema(self, rows):
        import tacet
        columns = [tacet.numeric(name, *bounds) for name, bounds in zip(self.names, self.bounds)]
        target = {"logistic": lambda: tacet.binary("y", positive="1"),
                  "linear": lambda: tacet.number("y", self.lower, self.upper),
                  "poisson": lambda: tacet.count("y", self.upper)}[self.kind]()
        unit = {} if self.unit is None else {"unit": "person"}
        return tacet.Schema(columns, target=target, public_row_count=rows, **unit)

    def part(self, chosen):
        """The chosen rows, bounded as before."""
        columns = {name: (self.x[chosen, k], self.bounds[k]) for k, name in enumerate(self.names)}
        return Table(columns, self.y[chosen], self.kind, self.lower, self.upper)

    def frame(self, chosen=slice(None)):
        found = {name: self.x[chosen, k] for k, name in enumerate(self.names)}
        found["y"] = (np.where(self.y[chosen] > 0.5, "1", "0") if self.kind == "logistic"
                      else self.y[chosen])
        if self.unit is not None:
            found["person"] = self.unit[chosen]
        return found


def csv(path, header=True, separator=","):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").replace('"', "").split(separator) for line in lines]
    names = rows[0] if header else [str(k) for k in range(len(rows[0]))]
    body = rows[1:] if header else rows
    return {name: np.array([row[k] for row in body]) for k, name in enumerate(names)}


def number(column):
    return np.where(column == "", "nan", column).astype(float)


def filled(column):
    values = number(column)
    return np.where(np.isnan(values), np.nanmedian(values), values)


def flag(condition):
    return condition.astype(float), (0, 1)


def logged(values, lower, upper):
    return np.log1p(values), (math.log1p(lower), math.log1p(upper))


def untouched(data):
    pums = csv(data / "pums1000" / "pums_california_1000.csv.gz")
    columns = {"age": (number(pums["age"]), (16, 95)), "female": flag(pums["sex"] == "1"),
               "educ": (number(pums["educ"]), (1, 16)), "white": flag(pums["race"] == "1")}
    yield "pums married", Table(columns, number(pums["married"]), "logistic")
    columns = {**columns, "married": flag(pums["married"] == "1")}
    yield "pums income", Table(columns, number(pums["income"]), "linear", 0, 250000)

    bank = csv(data / "bank_marketing" / "bank-additional-full.csv.gz")
    columns = {"age": (number(bank["age"]), (17, 98)),
               "campaign": logged(number(bank["campaign"]), 1, 60),
               "previous": (number(bank["previous"]), (0, 7)),
               "euribor": (number(bank["euribor3m"]), (0.5, 5.5)),
               "confidence": (number(bank["cons.conf.idx"]), (-55, -25)),
               "telephone": flag(bank["contact"] == "telephone"),
               "default": flag(bank["default"] == "unknown"),
               "housing": flag(bank["housing"] == "yes")}
    yield "bank", Table(columns, (bank["y"] == "yes").astype(float), "logistic")

    german = csv(data / "german_credit" / "german.csv.gz", header=False)
    columns = {"duration": (number(german["1"]), (4, 72)),
               "amount": logged(number(german["4"]), 250, 20000),
               "rate": (number(german["7"]), (1, 4)), "age": (number(german["12"]), (18, 80)),
               "no account": flag(german["0"] == "A14"), "debtor": flag(german["9"] != "A101"),
               "telephone": flag(german["18"] == "A192")}
    yield "german", Table(columns, (german["20"] == "2").astype(float), "logistic")

    shell = csv(data / "abalone" / "abalone.csv.gz", header=False)
    columns = {"infant": flag(shell["0"] == "I"), "length": (number(shell["1"]), (0, 0.85)),
               "height": (number(shell["3"]), (0, 0.3)), "weight": (number(shell["4"]), (0, 3)),
               "shell": (number(shell["7"]), (0, 1.1))}
    yield "abalone", Table(columns, number(shell["8"]), "linear", 0, 30)

    lift = csv(data / "elevators" / "elevators.csv.gz", header=False)
    bounds = {"0": (-1000, 2000), "2": (-1, 1), "5": (-20, 20), "6": (-80, 80), "8": (-10, 10),
              "17": (-0.001, 0.001)}
    columns = {f"c{k}": (number(lift[k]), ends) for k, ends in bounds.items()}
    yield "elevators", Table(columns, number(lift["18"]), "linear", -0.06, 0.06)

    bike = csv(data / "bike_hour" / "hour.csv.gz")
    columns = {"temp": (number(bike["temp"]), (0, 1)), "hum": (number(bike["hum"]), (0, 1)),
               "wind": (number(bike["windspeed"]), (0, 1)), "year": flag(bike["yr"] == "1"),
               "working": flag(bike["workingday"] == "1"), "winter": flag(bike["season"] == "1"),
               "night": flag(number(bike["hr"]) < 7)}
    yield "bike", Table(columns, number(bike["cnt"]), "linear", 0, 1000)

    red = csv(data / "wine_quality" / "winequality-red.csv.gz", header=False)
    white = csv(data / "wine_quality" / "winequality-white.csv.gz", header=False)
    wine = {name: np.concatenate([red[name], white[name]]) for name in red}
    columns = {"volatile": (number(wine["1"]), (0, 1.6)), "sugar": logged(number(wine["3"]), 0, 70),
               "ph": (number(wine["8"]), (2.7, 4.1)), "sulphates": (number(wine["9"]), (0.2, 2)),
               "alcohol": (number(wine["10"]), (8, 15)),
               "white": flag(np.arange(len(wine["0"])) >= len(red["0"]))}
    yield "wine", Table(columns, number(wine["11"]), "linear", 0, 10)


def known(data):
    parts = [csv(data / "adult" / f"adult.{part}.csv.gz") for part in ("train", "test")]
    adult = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    columns = {"age": (number(adult["age"]), (17, 90)),
               "education": (number(adult["education-num"]), (1, 16)),
               "male": flag(adult["sex"] == "Male"),
               "married": flag(np.char.startswith(adult["marital-status"], "Married")),
               "black": flag(adult["race"] == "Black"),
               "self": flag(np.char.startswith(adult["workclass"], "Self"))}
    hours = number(adult["hours-per-week"])
    yield "adult hours", Table(columns, hours, "linear", 1, 99)
    columns = {**columns, "hours": (hours, (1, 99)),
               "gain": logged(number(adult["capital-gain"]), 0, 99999)}
    rich = np.char.find(adult["income"], ">") >= 0
    yield "adult income", Table(columns, rich.astype(float), "logistic")

    people = csv(data / "nhanes1" / "NHANESI_subset_X.csv.gz")
    years = number(csv(data / "nhanes1" / "NHANESI_subset_y.csv.gz")["y"])
    columns = {"age": (filled(people["Age"]), (25, 75)), "female": flag(number(people["Sex"]) == 2),
               "black": flag(number(people["Race"]) == 2), "bmi": (filled(people["BMI"]), (12, 60)),
               "poverty": (filled(people["Poverty index"]), (0, 1000)),
               "albumin": (filled(people["Serum Albumin"]), (2, 6))}
    pressure = filled(people["Systolic BP"])
    yield "nhanes pressure", Table(columns, pressure, "linear", 80, 260)
    columns = {**columns, "pressure": (pressure, (80, 260))}
    yield "nhanes died", Table(columns, ((years > 0) & (years <= 10)).astype(float), "logistic")
    levels = {name: columns[name] for name in ("age", "female", "black", "bmi", "pressure")}
    levels = {**levels, "other": flag(number(people["Race"]) == 3)}
    yield "nhanes levels", Table(levels, ((years > 0) & (years <= 10)).astype(float), "logistic")
