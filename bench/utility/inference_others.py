#!/usr/bin/env python3
"""Intervals of `tacet.inference` beside those of other ways to the same coefficients.

    bench/utility/inference_others.py [--runs N] [--keep FOLDER] [--seconds N]

Records of the simulated laws with 10 columns, 10,000 of them, the same for all ways. "this" is the
method. "naive" has its estimates, and intervals of the sampling error alone. For numbers: "adassp"
(Wang 2018) with intervals by a closed form, and "bootstrap", the parametric bootstrap of the same
release with percentiles (Ferrando, Wang, Sheldon 2022). For two classes: "noisy newton", five steps
from zero that release gradient and curvature, with weights of rows and without whitening, after
Avella-Medina, Bradshaw, Loh (2021). All have the same budget.
"""

import math
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402
from inference import ABOUT, DELTA, Kept, asked, gaussian_mu, runs_of  # noqa: E402
from inference_laws import Law  # noqa: E402
from inference_truth import Population  # noqa: E402
from inference_ways import NORMAL, Adassp, noisy_newton  # noqa: E402

ROWS = 10_000


class Comparison:
    """One kind of target and epsilon."""

    def __init__(self, kind, epsilon):
        self.kind, self.epsilon, self.law = kind, epsilon, Law(kind, 10, 0.7)
        self.usual = None  # widths without privacy

    def __str__(self):
        return f"others, {self.kind}, epsilon {self.epsilon:g}"

    def run(self, seed):
        """Of each way: for each slope whether its interval holds, and its width."""
        table = self.law.draw(ROWS, seed)
        low, high, naive_low, naive_high = self.own(table, seed)
        ways = {"this": (low, high), "naive": (naive_low, naive_high)}
        mu = gaussian_mu(self.epsilon)
        if self.kind == "linear":
            other = Adassp(table, mu, seed)
            ways |= {"adassp": other.closed_form(), "bootstrap": other.bootstrap()}
        else:
            ways["noisy newton"] = noisy_newton(table, mu, seed)
        found = {}
        for way, (low, high) in ways.items():
            stated = ~np.isnan(low[1:])
            held = (low[1:] <= self.law.truth[1:]) & (self.law.truth[1:] <= high[1:])
            widths = ((high - low) / self.usual)[1:]
            found[way] = {"held": held[stated].tolist(), "widths": widths[stated].tolist()}
        return found

    def own(self, table, seed):
        import tacet
        model = tacet.inference.OLS if self.kind == "linear" else tacet.inference.Logit
        lines = model("y ~ .", table.frame(), schema=table.schema(ROWS), epsilon=self.epsilon,
                      delta=DELTA, random_state=seed, threads=1).fit()._table(0.05)["coefficients"]
        ends = np.full((4, len(lines)), np.nan)
        for k, line in enumerate(lines):
            if line["identified"]:
                half = NORMAL * line["standard_error"] / (1 + line["widened_by_noise"])
                ends[:, k] = (line["low"], line["high"], line["estimate"] - half,
                              line["estimate"] + half)
        return ends


def rows_of(comparison, runs):
    for way in runs[0]:
        held = np.concatenate([run[way]["held"] for run in runs])
        widths = np.concatenate([run[way]["widths"] for run in runs])
        yield {"target": comparison.kind, "epsilon": comparison.epsilon, "way": way,
               "runs": len(runs), "coverage": float(100 * held.mean()),
               "width": float(np.median(widths))}


def main():
    options = asked(__doc__.splitlines()[0], 200)
    kept = Kept(options.keep, options.seconds)
    rows = []
    for kind in ("linear", "logistic"):
        for epsilon in (1, 4):
            comparison = Comparison(kind, epsilon)
            population = Population(comparison.law.draw(200_000, 10**6))
            comparison.usual = 2 * NORMAL * population.errors / math.sqrt(ROWS)
            runs = runs_of(kept, comparison, options.runs)
            if runs is None:
                return 2
            rows += rows_of(comparison, runs)
            for row in rows[-len(runs[0]):]:
                print(row, flush=True)
    tables.save("utility/inference_others", rows)
    tables.keep("utility/inference", ABOUT,
                f"bench/utility/inference_others.py --runs {options.runs}",
                {"Beside other ways to the same coefficients": tables.markdown(rows)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
