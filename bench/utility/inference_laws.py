"""Simulated records for the benchmark of method inference, and what is compared with it.

Laws with a right model (the truth is the law's own), and with wrong ones, where the truth is a fit
of many records; classes that are separated or rare; columns that nearly repeat each other; units of
several records.
"""

import math

import numpy as np

from inference_tables import Table


def expit(eta):
    return 1 / (1 + np.exp(-np.clip(eta, -40, 40)))


class Law:
    """A third of the columns are rare indicators, the others clipped normal numbers; correlated by
    `rho` below both. Every third number and every second indicator has no effect."""

    known = True  # `truth` is what is estimated

    def __init__(self, kind, slopes, rho, constant=None, spread=None):
        self.kind, self.slopes, self.rho = kind, slopes, rho
        self.rare = max(1, round(0.27 * slopes))
        places = np.arange(slopes)
        effects = np.where(places % 3 == 2, 0.0, np.where(places % 2 == 0, 1.0, -0.7))
        effects[slopes - self.rare:] = np.where(np.arange(self.rare) % 2 == 0, 0.6, 0.0)
        x = self.columns(np.random.default_rng(1), 20_000)
        logistic = kind == "logistic"
        spread = spread or (1.2 if logistic else 0.14)
        first = constant if constant is not None else (-1.0 if logistic else 0.05)
        self.truth = np.concatenate([[first], effects * spread / (x @ effects).std()])

    def columns(self, random, rows):
        normal = (math.sqrt(1 - self.rho) * random.standard_normal((rows, self.slopes))
                  + math.sqrt(self.rho) * random.standard_normal((rows, 1)))
        numbers = self.slopes - self.rare
        return np.column_stack([np.clip(0.4 * normal[:, :numbers], -1, 1),
                                normal[:, numbers:] > 1.6449]).astype(float)

    def labels(self, random, x):
        eta = self.truth[0] + x @ self.truth[1:]
        if self.kind == "logistic":
            return random.random(len(x)) < expit(eta)
        return np.clip(eta + 0.14 * random.standard_normal(len(x)), -1, 1)

    def draw(self, rows, run):
        random = np.random.default_rng([11, run])
        x = self.columns(random, rows)
        return Table({f"x{k}": (x[:, k], (-1, 1)) for k in range(self.slopes)},
                     self.labels(random, x), self.kind, -1, 1)


class Wrong(Law):
    """A square and a product are left out, and the spread of errors depends on a column. Runs draw
    from a table of many records with replacement, so that its fit is the truth exactly."""

    known = False
    size = 80_000
    table = None

    def labels(self, random, x):
        eta = self.truth[0] + x @ self.truth[1:]
        missing = x[:, 0] ** 2 - 0.16 - x[:, 0] * x[:, 1]
        if self.kind == "logistic":
            return random.random(len(x)) < expit(eta + 3 * missing)
        errors = 0.14 * random.standard_normal(len(x)) * (0.5 + 1.5 * np.abs(x[:, 0]))
        return np.clip(eta + 0.3 * missing + errors, -1, 1)

    def population(self):
        if self.table is None:
            self.table = super().draw(self.size, 10**6)
        return self.table

    def draw(self, rows, run):
        chosen = np.random.default_rng([17, run, rows]).integers(0, self.size, rows)
        return self.population().part(chosen)


class Alike(Wrong):
    """Columns that nearly repeat each other, with a model that is wrong."""

    def columns(self, random, rows):
        normal = (math.sqrt(1 - self.rho) * random.standard_normal((rows, self.slopes - 1))
                  + math.sqrt(self.rho) * random.standard_normal((rows, 1)))
        return np.column_stack([np.clip(0.35 * normal, -1, 1), random.random(rows) < 0.3])


class Separated(Wrong):
    """The first column decides the class, but for a share of the records."""

    def __init__(self, share):
        super().__init__("logistic", 4, 0)
        self.share = share

    def labels(self, random, x):
        return (x[:, 0] > 0) ^ (random.random(len(x)) < self.share)


class Skewed(Law):
    """Errors with a long tail above: a gamma law's, of mean 0."""

    def labels(self, random, x):
        errors = 0.1 * (random.gamma(1.0, size=len(x)) - 1)
        return np.clip(self.truth[0] + x @ self.truth[1:] + errors, -1, 1)


class Units(Law):
    """Units of one to five records, which share what none of the columns says.

    One record of each unit takes part, so that units weigh alike. The truth is a fit of one record
    of each of many units.
    """

    known = False

    def draw(self, rows, run):
        random = np.random.default_rng([13, run])
        counts = random.integers(1, 6, rows)
        unit = np.repeat(np.arange(rows), counts)
        own = random.standard_normal((rows, 1))[unit]
        # Columns are alike within a unit too, and units with many records have other effects.
        x = np.clip(0.7 * self.columns(random, len(unit)) + 0.25 * own, -1, 1)
        eta = self.truth[0] + x @ self.truth[1:] + 0.1 * (counts[unit] - 3) * x[:, 0]
        effect = random.standard_normal(rows)[unit]
        if self.kind == "logistic":
            y = random.random(len(unit)) < expit(eta + 1.5 * effect)
        else:
            y = np.clip(eta + 0.1 * effect + 0.1 * random.standard_normal(len(unit)), -1, 1)
        table = Table({f"x{k}": (x[:, k], (-1, 1)) for k in range(self.slopes)}, y, self.kind, -1, 1)
        table.unit = unit
        return table

    def population(self):
        table = self.draw(200_000, 10**6)
        first = np.flatnonzero(np.diff(table.unit, prepend=-1))
        place = np.random.default_rng(5).random(len(first))
        counts = np.diff(np.append(first, len(table.unit)))
        return table.part(first + (place * counts).astype(int))


class UnitsIgnored(Units):
    """The same records, each taken for a unit of its own: three times as many."""

    def draw(self, rows, run):
        table = super().draw(rows // 3, run)
        table.unit = None
        return table

    def population(self):
        return self.draw(450_000, 10**6)
