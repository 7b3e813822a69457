"""Devices that trust nobody, simulated: the model file is the program's."""

from __future__ import annotations

import pathlib
from typing import Any, Dict, List

import numpy as np
import pandas
import polars
import pytest

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")


def test_simulations_are_the_programs(
    berkeley: pandas.DataFrame, schema_file: pathlib.Path, program: Any, tmp_path: pathlib.Path
) -> None:
    program("local", "simulate", schema_file.parents[1] / "berkeley1973.csv", "--schema",
            schema_file, "--epsilon=4", "--batch-size=100", "--seed=8", "--output",
            tmp_path / "program.json")
    schema = tacet.Schema.load(schema_file)
    forms: List[Any] = [(berkeley, None), (polars.from_pandas(berkeley), None),
                        (berkeley.drop(columns="admitted"), berkeley["admitted"])]
    for k, (X, y) in enumerate(forms):
        model = tacet.local.simulate(X, y, schema=schema, epsilon=4, batch_size=100,
                                     random_state=8)
        model.save(tmp_path / f"{k}.json")
        assert (tmp_path / f"{k}.json").read_bytes() == (tmp_path / "program.json").read_bytes()
    assert set(model.predict(berkeley.drop(columns="admitted"))) <= {"no", "yes"}
    assert model.predict_proba(berkeley.drop(columns="admitted")).shape == (4526, 2)


def test_simulations_are_paid_for() -> None:
    X = np.tile([[0.1], [0.9]], (500, 1))
    schema = tacet.Schema(features=tacet.numbered(1, 0, 1), public_row_count=1000,
                          target=tacet.number(None, 0, 1))
    budget = tacet.Budget(5, adjacency="replace_one")
    common: Dict[str, Any] = {"schema": schema, "batch_size": 50, "budget": budget}
    model = tacet.local.simulate(X, X.ravel(), epsilon=4, **common)
    assert budget.spent[0] == pytest.approx(4)
    assert tacet.verify(model, protected=True).verdict == "follows"
    assert model.predict(X).shape == (1000,)
    with pytest.raises(tacet.BudgetError):
        tacet.local.simulate(X, X.ravel(), epsilon=4, **common)
    wrongs: List[Dict[str, Any]] = [{"epsilon": "x"}, {"mechanism": "none"}, {"stepps": 1},
                                    {"schema": None}, {"epsilon": -1}]
    for wrong in wrongs:
        with pytest.raises(tacet.Error):
            tacet.local.simulate(X, X.ravel(), **{"epsilon": 0.5, **common, **wrong})
    assert budget.spent[0] == pytest.approx(4)
