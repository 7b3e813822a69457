"""What scikit-learn means by ``coef_``: slopes in the columns' own units, where there are such."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.feature_selection import RFE, SelectFromModel

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")
draw = np.random.default_rng(3)
X = np.column_stack([draw.uniform(20, 90, 500), draw.uniform(-1, 1, 500), draw.uniform(0, 1, 500)])
Y = (X[:, 0] + 20 * X[:, 1] > 55).astype(int)
BOUNDS = [(20, 90), (-1, 1), (0, 1)]
STRAIGHT: Any = {"bounds": BOUNDS, "row_scaling": "const", "knots": None, "classes": [0, 1], "epsilon": 4,
                 "public_row_count": 500, "random_state": 1}
GRID = 3 / 2048  # features are truncated to it


def fitted(**said: Any) -> tacet.LogisticRegression:
    model: tacet.LogisticRegression = tacet.LogisticRegression(**{**STRAIGHT, **said}).fit(X, Y)
    return model


def test_the_margin_is_the_straight_line_that_coef_says() -> None:
    model = fitted()
    assert model.coef_.shape == (1, 3) and model.intercept_.shape == (1,)
    line = X @ model.coef_.T + model.intercept_
    off = np.abs(line[:, 0] - model.decision_function(X)).max()
    assert off <= GRID * np.abs(model.encoded_coef_).sum() + 1e-12


def test_a_regression_predicts_by_its_straight_line() -> None:
    target = 2 * X[:, 0] - 5 * X[:, 1]
    said = {name: value for name, value in STRAIGHT.items() if name != "classes"}
    model = tacet.Ridge(**said, target_bounds=(0, 200)).fit(X, target)
    line = X @ model.coef_ + model.intercept_
    off = np.abs(line - model.predict(X)).max()
    assert off <= 100 * GRID * np.abs(model.encoded_coef_).sum()


def test_the_slopes_stand_by_the_names_of_the_frame() -> None:
    frame = pandas.DataFrame(X, columns=["age", "b", "c"])
    frame.insert(1, "id", range(500))
    schema = tacet.Schema([tacet.schemas.numeric("c", 0, 1), tacet.schemas.numeric("age", 20, 90),
                           tacet.schemas.ignored("id"), tacet.schemas.numeric("b", -1, 1)],
                          target=tacet.schemas.binary("y", "1", "0"), public_row_count=500,
                          row_scaling="const")
    model = tacet.LogisticRegression(schema=schema, knots=None, epsilon=4, random_state=1)
    model.fit(frame, Y.astype(str))
    assert model.coef_.shape == (1, model.n_features_in_)
    line = frame[list(model.feature_names_in_)].to_numpy() @ model.coef_.T + model.intercept_
    off = np.abs(line[:, 0] - model.decision_function(frame)).max()
    assert off <= GRID * np.abs(model.encoded_coef_).sum() + 1e-12


def test_the_noise_is_in_the_same_units() -> None:
    model = fitted()
    share = model.coef_noise_ / model.encoded_coef_noise_
    assert np.allclose(share, np.abs(model.coef_ / model.encoded_coef_), equal_nan=True)


@pytest.mark.parametrize("said", [{"row_scaling": "clip1"}, {"knots": 8}], ids=str)
def test_where_the_margin_bends_there_is_no_coef(said: Any) -> None:
    model = fitted(**said)
    for name in ("coef_", "intercept_", "coef_noise_"):
        with pytest.raises(AttributeError, match="encoded_coef_.*"):
            getattr(model, name)
    assert model.encoded_coef_.shape[0] == 1


def test_knots_that_were_asked_for_are_there_whatever_form_bounds_have() -> None:
    forms: Any = [(-1, 90), [(-1, 90)] * 3, dict.fromkeys(range(3), (-1, 90))]
    models = [fitted(knots=4, bounds=bounds) for bounds in forms]
    assert {len(model.encoded_names_) for model in models} == {15}
    assert len(fitted(knots="auto", bounds=(-1, 90)).encoded_names_) == 3  # features without names


def test_selection_by_coefficients_works_where_there_are_some() -> None:
    chosen = SelectFromModel(tacet.LogisticRegression(**STRAIGHT), max_features=1,
                             threshold=-np.inf).fit(X, Y)
    assert chosen.get_support().sum() == 1
    with pytest.raises((AttributeError, ValueError), match="coef_"):
        SelectFromModel(tacet.LogisticRegression(**{**STRAIGHT, "row_scaling": "clip1"})).fit(
            X, Y).get_support()
    with pytest.raises(tacet.Error):  # its bounds are of three columns
        RFE(tacet.LogisticRegression(**STRAIGHT), n_features_to_select=1).fit(X, Y)
    by_name = {**STRAIGHT, "bounds": (-1, 90)}
    assert RFE(tacet.LogisticRegression(**by_name), n_features_to_select=1).fit(X, Y).support_.sum() == 1
