"""A model, its noisy evaluation and a second model, all paid for by one ledger.

    build/python/venv/bin/python examples/python/admissions.py data/berkeley1973.csv
"""

from __future__ import annotations

import os
import sys
import tempfile

import pandas

import tacet


def main(file: str) -> None:
    applicants = pandas.read_csv(file, keep_default_na=False)
    schema = tacet.Schema(
        [tacet.categorical("sex", ["male", "female"], coding="sign"),
         tacet.categorical("department", ["B", "C", "D", "E", "F"])],
        target=tacet.binary("admitted", positive="yes", negative="no"),
        row_scaling="const", public_row_count=4526)
    with tempfile.TemporaryDirectory() as folder:
        ledger = tacet.Ledger.create(os.path.join(folder, "budget.ledger"))
        ledger.enrol("applicants", epsilon=2, delta=1e-4)

        model = tacet.LogisticRegression(epsilon=1, schema=schema, ledger=ledger).fit(applicants)
        print(model.receipt_.statement())
        for effect in model.effects_[0]:
            print(f"  {effect['name']:24} {effect['step']}")

        found = model.evaluate(applicants, epsilon=0.5, delta=1e-6, ledger=ledger)
        accuracy = found["accuracy"]
        print(f"accuracy {accuracy['value']:.3f}, noise {accuracy['noise_sd']:.3f}")

        try:
            tacet.LinearSVC(epsilon=1, schema=schema, ledger=ledger).fit(applicants)
        except tacet.BudgetError as error:
            assert error.left is not None
            print(f"refused: epsilon {error.left[0]:.2f} is left")


if __name__ == "__main__":
    main(sys.argv[1])
