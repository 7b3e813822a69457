#!/usr/bin/env python3
"""How often `tacet.inference` states a table of a rare outcome, and whether its intervals hold.

    bench/utility/inference_rare.py [--runs N] [--keep FOLDER] [--seconds N]

Records of the simulated logistic law with four columns of ordinary effects: the linear predictor
has a standard deviation of 0.4. Only the share of records with the outcome changes.
"""

import sys

import numpy as np

from inference import DELTA, asked, keep_rows
from inference_laws import Law

# The constants of the law, and the percentage of records with the outcome that they lead to.
CONSTANTS = {2: -4.0, 3: -3.57, 4: -3.27, 5: -3.04}


class Rare:
    """One share of records with the outcome, one number of records, one epsilon."""

    def __init__(self, percent, rows, epsilon):
        self.percent, self.rows, self.epsilon = percent, rows, epsilon
        self.law = Law("logistic", 4, 0, CONSTANTS[percent], 0.4)

    def __str__(self):
        return f"rare outcome, {self.percent} in 100, {self.rows} records, epsilon {self.epsilon:g}"

    def run(self, seed):
        import tacet
        table = self.law.draw(self.rows, seed)
        found = tacet.inference.Logit("y ~ .", table.frame(), schema=table.schema(self.rows),
                                      epsilon=self.epsilon, delta=DELTA, random_state=seed,
                                      threads=1).fit()._table(0.05)
        held = [bool(line["low"] <= truth <= line["high"]) if line["identified"] else None
                for line, truth in zip(found["coefficients"], self.law.truth)]
        return {"share": float(np.mean(table.y)), "stated": found["converged"],
                "doubtful": found["near_limit"], "held": held}


def counted(held):
    return f"{sum(held)} of {len(held)}"


def row_of(cell, runs):
    stated = [run for run in runs if run["stated"]]
    sure = [run for run in stated if not run["doubtful"]]
    slopes = [held for run in stated for held in run["held"][1:] if held is not None]
    constants = [run["held"][0] for run in stated if run["held"][0] is not None]
    sure_ones = [held for run in sure for held in run["held"] if held is not None]
    return {"outcome, in 100": 100 * float(np.mean([run["share"] for run in runs])),
            "records": cell.rows, "epsilon": cell.epsilon, "runs": len(runs),
            "stated": f"{100 * len(stated) / len(runs):.0f} %",
            "slopes that hold": counted(slopes), "intercepts that hold": counted(constants),
            "called doubtful": counted([run["doubtful"] for run in stated]),
            "intervals that hold if not doubtful": counted(sure_ones)}


def main():
    cells = [Rare(percent, size, epsilon) for percent in CONSTANTS
             for size in (8_000, 20_000) for epsilon in (1, 4)]
    return keep_rows("inference_rare", "Rare outcomes with ordinary effects", asked(__doc__.splitlines()[0], 300), cells, row_of)


if __name__ == "__main__":
    sys.exit(main())
