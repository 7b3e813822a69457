"""What is booked: the decimals that were written, what receipts state, and what a budget chooses."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Callable, Dict, List

import numpy as np
import pandas
import pytest

import tacet
from small_model import X, Y, model

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

LONG = bool(os.environ.get("TACET_LONG"))


@pytest.fixture
def ledger(tmp_path: pathlib.Path) -> tacet.Ledger:
    made = tacet.Ledger.create(tmp_path / "budget.ledger")
    made.enrol("people", epsilon=3, delta=1e-5)
    return made


@pytest.mark.parametrize("runs, epsilon", [(10, 0.1), (20, 0.05)])
def test_budgets_add_up_decimals_as_ledgers_do(
    runs: int, epsilon: float, ledger: tacet.Ledger
) -> None:
    ledger.cap("people", epsilon=1, delta=1e-5)
    ours, accounts = tacet.Budget(1), tacet.Budget(1, 1e-5)
    schema = tacet.Schema([tacet.numeric("a", 0, 1)], public_row_count=200)
    for number in range(runs + 1):
        fits: List[Callable[[], Any]] = [
            lambda: tacet.quantile({"a": X[:, 0]}, "a", schema=schema, epsilon=epsilon,
                                   budget=ours),
            lambda: model(budget=accounts).set_params(epsilon=epsilon, delta=1e-7).fit(X, Y),
            lambda: model(ledger=ledger).set_params(epsilon=epsilon, delta=1e-7).fit(X, Y)]
        for fit in fits:
            if number < runs:
                fit()
            elif fit is fits[0]:
                with pytest.raises(tacet.BudgetError):
                    fit()
    assert ours.spent == (1, 0)
    account, = ledger.show()
    assert accounts.spent == (account["spent"]["value"], account["spent"]["delta"])


def test_what_is_stated_is_what_is_booked(tmp_path: pathlib.Path) -> None:
    made = tacet.Ledger.create(tmp_path / "exact.ledger")
    rng = np.random.default_rng(11)
    settings: List[Dict[str, Any]] = [
        dict(epsilon=4, delta=1e-5, public_row_count=1000, batch_size=32, steps=200)]
    settings += [dict(epsilon=round(float(rng.uniform(0.1, 8)), int(rng.integers(1, 4))),
                      delta=10.0 ** -int(rng.integers(4, 8)) * int(rng.integers(1, 9)),
                      public_row_count=int(rng.integers(200, 5000)),
                      batch_size=int(rng.integers(8, 150)), steps=int(rng.integers(5, 300)))
                 for _ in range(60 if not LONG else 600)]
    for number, setting in enumerate(settings):
        budget = tacet.Budget(10, 1e-2)
        arguments: Dict[str, Any] = dict(setting, bounds=(0, 1), classes=["a", "b"])
        fitted = tacet.LogisticRegression(budget=budget, **arguments).fit(X[:20], Y[:20])
        stated = fitted.receipt_.guarantee
        assert budget.spent == (stated["epsilon"], stated["delta"]), setting
        if number % 10 == 0:
            made.enrol(f"data-{number}", epsilon=10, delta=1e-2)
            records = rng.random((20, 3))
            paid = tacet.LogisticRegression(
                ledger=made, data_set=f"data-{number}", **arguments).fit(records, Y[:20])
            spent = made.show()[-1]["spent"]
            stated = paid.receipt_.guarantee
            assert (spent["value"], spent["delta"]) == (stated["epsilon"], stated["delta"])


def test_a_fitted_schema_is_paid_for_once() -> None:
    table = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y})
    fits = tacet.Budget(10, 1e-3)
    schema = tacet.Schema.fit(table, epsilon=4, delta=1e-6, target="y", positive="b",
                              public_row_count=200, budget=fits)
    after_fit = fits.spent
    assert after_fit[0] == pytest.approx(4, rel=1e-2)

    def train(budget: tacet.Budget) -> None:
        tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, steps=3,
                                 budget=budget).fit(table)

    train(fits)
    train(fits)
    assert fits.spent[0] == pytest.approx(after_fit[0] + 2, rel=1e-3)
    others = tacet.Budget(10, 1e-3)
    for number in range(1, 4):
        train(others)
        assert others.spent[0] == pytest.approx(after_fit[0] + number, rel=1e-3)


@pytest.mark.parametrize("method", ["gradient", "output", "objective", "phased", "ladder"])
def test_a_budget_as_it_is_pays_or_the_error_names_the_argument(method: str) -> None:
    arguments: Dict[str, Any] = dict(epsilon=1, bounds=(0, 1), classes=["a", "b"],
                                     public_row_count=200, method=method)
    for budget in (tacet.Budget(3, 1e-2), tacet.Budget(3)):
        try:
            tacet.LogisticRegression(budget=budget, **arguments).fit(X, Y)
            assert budget.spent[0] > 0
        except (tacet.UsageError, tacet.GuaranteeError) as error:
            assert "Budget(" in str(error), error
            assert budget.spent == (0, 0)
    other = tacet.Budget(3, 1e-2, adjacency="replace_one")
    fitted = tacet.LogisticRegression(budget=other, **arguments).fit(X, Y)
    assert fitted.receipt_.guarantee["adjacency"] == "replace_one" and other.spent[0] > 0


def test_functions_take_the_adjacency_of_the_budget() -> None:
    schema = tacet.Schema([tacet.numeric("a", 0, 1)], public_row_count=200)
    table = {"a": X[:, 0]}
    for adjacency in ("add_remove", "replace_one", "zero_out"):
        budget = tacet.Budget(10, 1e-3, adjacency=adjacency)
        found = tacet.quantile(table, "a", schema=schema, epsilon=1, budget=budget)
        assert found.receipt.guarantee["adjacency"] == adjacency
        with budget:
            described = tacet.describe(table, schema=schema, epsilon=1)
        assert described.receipt.guarantee["adjacency"] == adjacency
        assert budget.spent[0] == pytest.approx(2, rel=1e-3)
    assert tacet.quantile(table, "a", schema=schema, epsilon=1).receipt.guarantee[
        "adjacency"] == "replace_one"
    with pytest.raises(tacet.UsageError, match="adjacency"):
        tacet.quantile(table, "a", schema=schema, epsilon=1, adjacency="replace_one",
                       budget=tacet.Budget(10))
    devices = tacet.Schema(features=tacet.numbered(1, 0, 1), public_row_count=200,
                           target=tacet.binary(None, positive="b", negative="a"))
    with pytest.raises(tacet.UsageError, match="adjacency is replace_one"):
        tacet.local.simulate(X[:, :1], Y, schema=devices, epsilon=1, budget=tacet.Budget(10))
