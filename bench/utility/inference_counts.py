#!/usr/bin/env python3
"""Whether intervals of `tacet.inference.Poisson` hold, for counts that follow Poisson's law and others.

    bench/utility/inference_counts.py [--runs N] [--keep FOLDER] [--seconds N]

Records of 3 and of 10 columns, with 1.5 counts on average and an upper bound of 30. Means are those
of the model. Counts follow Poisson's law, or a negative binomial law with twice its variance on
average. They are cut at the bound, or at 11 where the user says that the law is Poisson's. The truth
is the law's own coefficients.
"""

import sys

import numpy as np

from inference import DELTA, asked, keep_rows
from inference_laws import Law
from inference_tables import Table

BOUND = 30
MEAN = 1.5
# Columns, records, epsilon.
SIZES = [(3, 10_000, 1), (3, 10_000, 2), (3, 10_000, 4), (3, 20_000, 1), (3, 20_000, 2),
         (10, 10_000, 2), (10, 10_000, 4), (10, 40_000, 1), (10, 40_000, 2), (10, 40_000, 4)]


class Counts(Law):
    """Columns as for two classes; the logarithm of the mean is linear in them."""

    def __init__(self, slopes, dispersion):
        super().__init__("poisson", slopes, 0.3, 0.0, 0.5)
        self.dispersion = dispersion
        x = self.columns(np.random.default_rng(1), 200_000)
        self.truth[0] = np.log(MEAN / np.exp(x @ self.truth[1:]).mean())

    def labels(self, random, x):
        mean = np.exp(self.truth[0] + x @ self.truth[1:])
        if self.dispersion > 1:
            shape = MEAN / (self.dispersion - 1)
            mean = mean * random.gamma(shape, 1 / shape, len(x))
        return random.poisson(mean)

    def draw(self, rows, run):
        random = np.random.default_rng([19, run])
        x = self.columns(random, rows)
        return Table({f"x{k}": (x[:, k], (-1, 1)) for k in range(self.slopes)},
                     self.labels(random, x), self.kind, 0, BOUND)


class Cell:
    """One law, number of records, epsilon and cut."""

    def __init__(self, law, records, epsilon, cut):
        self.law, self.records, self.epsilon, self.cut = law, records, epsilon, cut

    def __str__(self):
        return (f"counts, {self.law.slopes} columns, dispersion {self.law.dispersion:g}, "
                f"{self.records} records, epsilon {self.epsilon:g}, cut {self.cut}")

    def run(self, seed):
        import tacet
        table = self.law.draw(self.records, seed)
        model = tacet.inference.Poisson(
            "y ~ .", table.frame(), schema=table.schema(self.records), epsilon=self.epsilon,
            delta=DELTA, random_state=seed, threads=1, count_cut=self.cut)
        try:
            plan = model.plan()
        except tacet.Error:
            return {"refused": True}
        found = model.fit()._table(0.05)
        held = [bool(line["low"] <= truth <= line["high"]) if line["identified"] else None
                for line, truth in zip(found["coefficients"], self.law.truth)]
        return {"noise": plan.relative_noise, "width": plan.expected_width, "held": held,
                "errors": [line["standard_error"] if line["identified"] else None
                           for line in found["coefficients"]]}


def row_of(cell, runs):
    first = {"columns": cell.law.slopes, "records": cell.records,
             "variance over Poisson's": cell.law.dispersion, "epsilon": cell.epsilon,
             "cut": cell.cut or BOUND}
    if "refused" in runs[0]:
        return {**first, "stated": "refused before spending"}
    columns = list(zip(*(run["held"] for run in runs)))
    stated = [[held for held in column if held is not None] for column in columns]
    every = [held for column in stated for held in column]
    errors = [run["errors"][1] for run in runs if run["errors"][1] is not None]
    return {**first, "runs": len(runs), "relative noise": round(runs[0]["noise"], 3),
            "expected width": round(runs[0]["width"], 2),
            "stated": f"{100 * len(every) / (len(runs) * len(columns)):.0f} %",
            "coverage": 100 * float(np.mean(every)) if every else None,
            "lowest": min((100 * float(np.mean(column)) for column in stated if column), default=None),
            "standard error of the first": float(np.median(errors)) if errors else None}


def main():
    cells = [Cell(Counts(slopes, dispersion), records, epsilon, cut)
             for slopes, records, epsilon in SIZES for dispersion in (1, 2) for cut in (None, 11)]
    return keep_rows("inference_counts", "Counts", asked(__doc__.splitlines()[0], 200), cells, row_of)


if __name__ == "__main__":
    sys.exit(main())
