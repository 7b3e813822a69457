"""What moves over from diffprivlib keeps its calls, and refuses where theirs would leak."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import tacet
from tacet.compat.diffprivlib import BudgetAccountant, LinearRegression, LogisticRegression

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

random = np.random.default_rng(3)
X = random.random((2000, 2))
CLASSES = (X[:, 0] > 0.5).astype(int)
NUMBERS = 10 * X[:, 1]


def arguments(kind: Any) -> Any:
    return [*inspect.signature(kind).parameters]


def test_signatures_are_theirs() -> None:
    # diffprivlib 0.6.6, models/logistic_regression.py, models/linear_regression.py, accountant.py
    assert arguments(LogisticRegression) == [
        "epsilon", "data_norm", "tol", "C", "fit_intercept", "max_iter", "verbose", "warm_start",
        "n_jobs", "random_state", "accountant"]
    assert arguments(LinearRegression) == [
        "epsilon", "bounds_X", "bounds_y", "fit_intercept", "copy_X", "random_state", "accountant"]


def test_models_learn_and_are_pure() -> None:
    model = LogisticRegression(epsilon=5, data_norm=1.5).fit(X - 0.5, CLASSES)
    guarantee = model.receipt_["guarantee"]
    assert guarantee["delta"] == 0 and guarantee["adjacency"] == "replace_one"
    assert (model.predict(X - 0.5) == CLASSES).mean() > 0.8
    assert model.predict_proba(X).shape == (2000, 2)
    numbers = LinearRegression(epsilon=5, bounds_X=([0, 0], [1, 1]), bounds_y=(0, 10))
    found = clone(numbers).fit(X, NUMBERS)
    assert found.receipt_["guarantee"]["delta"] == 0
    assert found.predict(X).shape == (2000,)


def test_every_strength_of_regularization_trains() -> None:
    for strength in (1e-3, 1, 1e6):
        model = LogisticRegression(epsilon=0.5, data_norm=2, C=strength).fit(X, CLASSES)
        assert model.receipt_["guarantee"]["epsilon"] <= 0.5


def test_what_theirs_takes_from_the_data_is_refused() -> None:
    with pytest.raises(tacet.GuaranteeError, match="data_norm"):
        LogisticRegression().fit(X, CLASSES)
    with pytest.raises(tacet.GuaranteeError, match="bounds"):
        LinearRegression(bounds_X=(0, 1)).fit(X, NUMBERS)
    with pytest.raises(tacet.GuaranteeError, match="slack"):
        BudgetAccountant(3, 0, slack=0.1)
    with pytest.raises(tacet.UsageError, match="sample_weight"):
        LogisticRegression(data_norm=1).fit(X, CLASSES, sample_weight=NUMBERS)


def test_accountants_stop_at_their_cap() -> None:
    with BudgetAccountant(2, 0) as accountant:
        for _ in range(2):
            LogisticRegression(epsilon=1, data_norm=1.5).fit(X, CLASSES)
        assert accountant.total()[0] == pytest.approx(2)
        assert accountant.remaining(2)[0] == pytest.approx(0, abs=1e-9)
        with pytest.raises(tacet.BudgetError):
            LogisticRegression(epsilon=1, data_norm=1.5).fit(X, CLASSES)
    given = BudgetAccountant()
    LogisticRegression(epsilon=1, data_norm=1.5, accountant=given).fit(X, CLASSES)
    assert given.total()[0] == pytest.approx(1)


def test_unfitted_models_and_exact_scores_say_so() -> None:
    from sklearn.exceptions import NotFittedError

    model = LogisticRegression(epsilon=5, data_norm=1.5)
    for call in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        model.score(X, CLASSES)
    with pytest.warns(tacet.PrivacyWarning, match="score is exact"):
        assert model.fit(X - 0.5, CLASSES).score(X - 0.5, CLASSES) > 0.8


def test_public_evaluation_is_of_its_own_thread() -> None:
    import threading

    from tacet import _arguments

    found = []
    with tacet.public_evaluation():
        thread = threading.Thread(target=lambda: found.append(_arguments.evaluation_is_public()))
        thread.start()
        thread.join()
        assert _arguments.evaluation_is_public() and found == [False]
    assert not _arguments.evaluation_is_public()
