"""Settings chosen two ways: a grid search that stops at a budget's end, and a private choice.

    build/python/venv/bin/python examples/python/choose.py
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.model_selection import GridSearchCV

import tacet


def main() -> None:
    random = np.random.default_rng(0)
    X = random.random((5000, 4))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=5000) > 0.5, "yes", "no")
    model = tacet.LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1), classes=["no", "yes"],
                                     public_row_count=5000)
    grid = {"steps": [10, 20, 40]}

    # Each of the 3 * 3 + 1 fits is a release: the tenth does not fit into the budget.
    budget = tacet.Budget(epsilon=9, delta=1e-4)
    search = GridSearchCV(model.set_params(budget=budget), grid, cv=3, error_score="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tacet.PrivacyWarning)  # its scores are exact
        try:
            search.fit(X, y)
        except tacet.BudgetError:
            print(f"the search ended: epsilon {budget.spent[0]:.0f} spent, and no model")

    # One choice at epsilon 1 for all of it.
    tuned = tacet.tune(model.set_params(budget=None), X, y, grid=grid, trials=3)
    print(f"chosen privately at epsilon {tuned.receipt_['guarantee']['epsilon']:g}")


if __name__ == "__main__":
    main()
