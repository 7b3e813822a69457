"""Wide models: the program's, byte by byte; kept, paid for and documented as linear ones are."""

from __future__ import annotations

import inspect
import pathlib
import pickle
from typing import Any, Dict, List

import numpy as np
import pandas
import polars
import pytest
from sklearn.base import clone

import tacet
from tacet import _engine
from test_interface import OWN

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

COUNT = 400
random = np.random.default_rng(8)
BASKETS = [" ".join(map(str, random.integers(0, 40, 3))) for _ in range(COUNT)]
TABLE = pandas.DataFrame({"basket": BASKETS, "age": random.integers(18, 90, COUNT),
                          "town": random.choice(["Rome", "Oslo"], COUNT),
                          "bought": np.where(["7" in words for words in BASKETS], "yes", "no")})
COLUMNS: List[Any] = [tacet.ids("basket", separator=" ", count=40, embedding=4),
                      tacet.numeric("age", 18, 90), tacet.categorical("town", ["Rome", "Oslo"])]
SCHEMA = tacet.Schema(COLUMNS, public_row_count=COUNT,
                      target=tacet.binary("bought", positive="yes", negative="no"))
SMALL: Dict[str, Any] = {"epsilon": 4, "steps": 5, "hidden": [6, 4], "batch_size": 100}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("wide")
    TABLE.to_csv(folder / "table.csv", index=False)
    SCHEMA.save(folder / "s.toml")
    return folder


@pytest.fixture(scope="module")
def expected(files: pathlib.Path, program: Any) -> bytes:
    program("train", files / "table.csv", "--schema", files / "s.toml", "--model=wide",
            "--epsilon=4", "--steps=5", "--hidden=6,4", "--batch-size=100", "--seed=3", "--output",
            files / "program.model")
    return (files / "program.model").read_bytes()


def test_wide_models_are_the_programs(
    files: pathlib.Path, expected: bytes, program: Any, tmp_path: pathlib.Path
) -> None:
    schema = tacet.Schema.load(files / "s.toml")
    columns = {name: TABLE[name].to_numpy() for name in TABLE}
    for k, table in enumerate((TABLE, polars.from_pandas(TABLE), columns)):
        model = tacet.WideClassifier(schema=schema, random_state=3, **SMALL).fit(table)
        model.save(tmp_path / f"{k}.model")
        assert (tmp_path / f"{k}.model").read_bytes() == expected
    told = program("predict", tmp_path / "0.model", files / "table.csv").splitlines()[1:]
    assert [line.split(",")[0] for line in told] == model.predict(TABLE).tolist()


def test_wide_models_are_kept_and_verified(
    files: pathlib.Path, expected: bytes, tmp_path: pathlib.Path
) -> None:
    model = tacet.WideClassifier(schema=SCHEMA, **SMALL)
    fitted = clone(model).fit(TABLE)
    found = fitted.predict_proba(TABLE)
    fitted.save(tmp_path / "w.model")
    for copied in (tacet.load(tmp_path / "w.model"), pickle.loads(pickle.dumps(fitted))):
        assert isinstance(copied, tacet.WideClassifier)
        assert np.array_equal(copied.predict_proba(TABLE), found)
    assert fitted.architecture_["hidden"] == [6, 4]
    assert fitted.architecture_["fields"] == [{"column": "basket", "ids": 40, "dim": 4}]
    assert tacet.verify(fitted, protected=True).verdict == "follows"
    assert tacet.verify(tmp_path / "w.model").verdict == "follows"
    assert not hasattr(fitted, "coef_")


def test_wide_models_are_planned_evaluated_and_paid_for() -> None:
    model = tacet.WideClassifier(schema=SCHEMA, **SMALL)
    assert model.plan()["method"] == "wide"
    told = tacet.plan(SCHEMA, model="wide", epsilon=4, steps=5, hidden=[6, 4], batch_size=100)
    assert told.method == "wide" and told.epsilon <= 4
    budget = tacet.Budget(5, 1e-2)
    model.set_params(budget=budget).fit(TABLE)
    assert budget.spent[0] == pytest.approx(4, rel=1e-2)
    with pytest.raises(tacet.BudgetError):
        model.fit(TABLE)
    figures = model.evaluate(TABLE, epsilon=0.5, delta=1e-3, budget=budget)
    assert figures.receipt.guarantee["epsilon"] <= 0.5
    with pytest.raises(tacet.Error):
        tacet.tune(model.set_params(budget=None), TABLE, grid={"steps": [2, 3]})
    wrongs: List[Dict[str, Any]] = [{"hidden": [1, 2, 3]}, {"delta": 0}, {"optimizer": "any"},
                                    {"loss": "hinge"}, {"head": "two-tower"}]
    for wrong in wrongs:
        with pytest.raises(tacet.Error):
            tacet.WideClassifier(schema=SCHEMA, **{**SMALL, **wrong}).fit(TABLE)


def test_wide_regressors_learn_numbers() -> None:
    X = random.random((COUNT, 3))
    model = tacet.WideRegressor(epsilon=float("inf"), bounds=(0, 1), target_bounds=(0, 4),
                                public_row_count=COUNT, steps=300).fit(X, 4 * X[:, 0])
    with tacet.public_evaluation():
        assert model.score(X, 4 * X[:, 0]) > 0.5


def test_wide_models_take_every_parameter_of_the_engine_and_nothing_else() -> None:
    known = {entry["name"].replace("-", "_") for entry in _engine.parameters(wide=True)}
    for kind in (tacet.WideClassifier, tacet.WideRegressor):
        assert set(inspect.signature(kind).parameters) == known | OWN
