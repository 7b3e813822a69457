#!/usr/bin/env python3
"""How often joint tests of `tacet.inference` hold: regions of all slopes, and tests of those that are 0.

    bench/utility/inference_joint.py [--runs N] [--keep FOLDER] [--seconds N]

Records of the simulated laws, 10,000 a run. A region of 95 % is what the F test at 5 % does not
reject: Wald's statistic over the number of slopes, by the law of F with the fewest degrees of freedom
among them. "Size" is how often the test of all slopes without an effect finds one.
"""

import sys

import numpy as np

from inference import DELTA, asked, keep_rows
from inference_laws import Law

ROWS = 10_000


class Joint:
    """One law and epsilon."""

    def __init__(self, kind, slopes, epsilon):
        self.kind, self.slopes, self.epsilon = kind, slopes, epsilon
        self.law = Law(kind, slopes, 0 if slopes == 3 else 0.7)

    def __str__(self):
        return f"joint, {self.kind} {self.slopes}, epsilon {self.epsilon:g}"

    def run(self, seed):
        import tacet
        table = self.law.draw(ROWS, seed)
        model = tacet.inference.OLS if self.kind == "linear" else tacet.inference.Logit
        found = model("y ~ .", table.frame(), schema=table.schema(ROWS), epsilon=self.epsilon,
                      delta=DELTA, random_state=seed, threads=1).fit()._table(0.05)
        lines = found["coefficients"]
        slopes = list(range(1, len(lines)))
        nulls = [k for k in slopes if self.law.truth[k] == 0]
        if not all(lines[k]["identified"] for k in slopes):
            return {"stated": False}
        return {"stated": True, "region": self.p_value(found, slopes),
                "nulls": self.p_value(found, nulls) if len(nulls) > 1 else None}

    def p_value(self, found, places):
        from scipy.stats import f
        lines = [found["coefficients"][k] for k in places]
        apart = np.array([line["estimate"] for line in lines]) - self.law.truth[places]
        covariance = np.array([[found["covariance"][i][j] for j in places] for i in places])
        statistic = apart @ np.linalg.solve(covariance, apart) / len(places)
        return float(f.sf(statistic, len(places), min(line["degrees_of_freedom"] for line in lines)))


def row_of(cell, runs):
    stated = [run for run in runs if run["stated"]]
    nulls = [run["nulls"] for run in stated if run["nulls"] is not None]
    return {"records of": f"{cell.kind} {cell.slopes}", "epsilon": cell.epsilon, "runs": len(runs),
            "all slopes stated": len(stated),
            "regions that hold": 100 * float(np.mean([run["region"] >= 0.05 for run in stated])),
            "size": 100 * float(np.mean(np.array(nulls) < 0.05)) if nulls else None}


def main():
    cells = [Joint(kind, slopes, epsilon) for kind in ("logistic", "linear")
             for slopes in (3, 10) for epsilon in (1, 4)]
    return keep_rows("inference_joint", "Joint tests", asked(__doc__.splitlines()[0], 500), cells, row_of)


if __name__ == "__main__":
    sys.exit(main())
