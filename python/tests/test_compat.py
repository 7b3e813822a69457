"""What moves over from diffprivlib keeps its calls, and refuses where theirs would leak."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

import tacet
import tacet.compat.diffprivlib as dp
from tacet.compat.diffprivlib import BudgetAccountant, LinearRegression, LogisticRegression
from tacet.compat.diffprivlib.utils import check_random_state

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

random = np.random.default_rng(3)
X = random.random((2000, 2))
CLASSES = (X[:, 0] > 0.5).astype(int)
THREE = np.digitize(X[:, 0], [0.3, 0.7])
NUMBERS = 10 * X[:, 1]


def arguments(kind: Any) -> Any:
    return [*inspect.signature(kind).parameters]


def test_signatures_are_theirs() -> None:
    # diffprivlib 0.6.6, models, tools, accountant.py, without **unused_args
    assert arguments(LogisticRegression) == [
        "epsilon", "data_norm", "tol", "C", "fit_intercept", "max_iter", "verbose", "warm_start",
        "n_jobs", "random_state", "accountant"]
    assert arguments(LinearRegression) == [
        "epsilon", "bounds_X", "bounds_y", "fit_intercept", "copy_X", "random_state", "accountant"]
    assert arguments(dp.PCA) == [
        "n_components", "epsilon", "data_norm", "centered", "bounds", "copy", "whiten",
        "random_state", "accountant"]
    assert arguments(dp.StandardScaler) == [
        "epsilon", "bounds", "copy", "with_mean", "with_std", "random_state", "accountant"]
    assert arguments(dp.GaussianNB) == [
        "epsilon", "bounds", "priors", "var_smoothing", "random_state", "accountant"]
    assert arguments(BudgetAccountant) == ["epsilon", "delta", "slack", "spent_budget"]
    for name in ("mean", "var", "std", "sum"):
        assert arguments(getattr(dp.tools, name)) == [
            "array", "epsilon", "bounds", "axis", "dtype", "keepdims", "random_state", "accountant"]
    for name in ("histogram", "histogramdd"):
        assert arguments(getattr(dp.tools, name)) == [
            "sample", "epsilon", "bins", "range", "weights", "density", "random_state", "accountant"]
    assert arguments(dp.tools.quantile) == [
        "array", "quant", "epsilon", "bounds", "axis", "keepdims", "random_state", "accountant"]
    assert arguments(dp.tools.count_nonzero) == [
        "array", "epsilon", "axis", "keepdims", "random_state", "accountant"]


def test_models_learn_and_are_pure() -> None:
    model = LogisticRegression(epsilon=5, data_norm=1.5).fit(X - 0.5, CLASSES)
    guarantee = model.receipt_["guarantee"]
    assert guarantee["delta"] == 0 and guarantee["adjacency"] == "replace_one"
    assert (model.predict(X - 0.5) == CLASSES).mean() > 0.8
    assert np.allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert is_classifier(model) and model.n_iter_.tolist() == [1]
    numbers = LinearRegression(epsilon=5, bounds_X=([0, 0], [1, 1]), bounds_y=(0, 10))
    found = clone(numbers).fit(X, NUMBERS)
    assert found.receipt_["guarantee"]["delta"] == 0
    assert np.abs(found.predict(X) - NUMBERS).mean() < 2
    for one in (model, found):
        assert all(tacet.verify(receipt).verdict == "follows" for receipt in one.receipts_)


def test_coefficients_say_what_is_predicted() -> None:
    rows = X - 0.5
    model = LogisticRegression(epsilon=5, data_norm=1).fit(rows, CLASSES)
    line = rows @ model.coef_.T + model.intercept_
    assert line[:, 0] == pytest.approx(model.decision_function(rows))
    # The model within, whose margin is that of the row beside a constant: on a grid of 1/2048.
    unit = np.hstack([rows, np.ones((len(rows), 1))]) * np.sqrt(0.5)
    within = model._models[0]
    off = np.abs(within.decision_function(unit) - line[:, 0]).max()
    assert off <= 3 / 2048 * np.abs(within.encoded_coef_).sum()
    numbers = LinearRegression(epsilon=20, bounds_X=(0, 1), bounds_y=(0, 10)).fit(X, NUMBERS)
    assert numbers.coef_[1] == pytest.approx(10, abs=2)
    assert numbers.predict(X) == pytest.approx(X @ numbers.coef_ + numbers.intercept_)


def test_several_classes_are_each_told_from_the_rest_and_paid_together() -> None:
    accountant = BudgetAccountant(3, 0)
    model = LogisticRegression(epsilon=3, data_norm=1, accountant=accountant).fit(X - 0.5, THREE)
    assert model.coef_.shape == (3, 2) and model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X - 0.5).sum(axis=1) == pytest.approx(1)
    assert (model.predict(X - 0.5) == THREE).mean() > 0.6
    assert accountant.total().epsilon == 3 and len(accountant) == 1
    parts = [receipt["guarantee"]["epsilon"] for receipt in model.receipts_]
    assert len(parts) == 3 and sum(parts) <= 3
    with pytest.raises(AttributeError, match="receipts_"):
        _ = model.receipt_
    with pytest.raises(tacet.BudgetError):  # before any of them is trained
        LogisticRegression(epsilon=1, data_norm=1, accountant=accountant).fit(X, THREE)
    assert len(accountant.receipts) == 3


def test_without_privacy_it_is_the_exact_fit_which_is_booked_and_said() -> None:
    from sklearn import linear_model

    accountant = BudgetAccountant()
    with pytest.warns(tacet.PrivacyWarning, match="PRIVACY: NONE"):
        model = LogisticRegression(epsilon=float("inf"), data_norm=10, accountant=accountant)
        model.fit(X, CLASSES)
    exact = linear_model.LogisticRegression().fit(X, CLASSES)
    assert model.coef_ == pytest.approx(exact.coef_) and model.receipts_ == []
    assert accountant.total().epsilon == float("inf") and len(accountant) == 1
    with pytest.raises(tacet.BudgetError):
        LogisticRegression(epsilon=float("inf"), accountant=BudgetAccountant(5, 0)).fit(X, CLASSES)
    line = LinearRegression(epsilon=float("inf")).fit(X, NUMBERS)
    assert line.coef_ == pytest.approx([0, 10])


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
    for model in (LogisticRegression(data_norm=1), dp.GaussianNB(bounds=(0, 1)),
                  dp.StandardScaler(bounds=(0, 1)),
                  LinearRegression(bounds_X=(0, 1), bounds_y=(0, 10))):
        with pytest.raises(tacet.UsageError, match="sample_weight"):
            model.fit(X, CLASSES, sample_weight=NUMBERS)


def test_what_is_not_here_is_named_with_the_reason() -> None:
    for name in ("KMeans", "RandomForestClassifier", "DecisionTreeClassifier"):
        with pytest.raises(tacet.UsageError, match=f"{name} is not here: no"):
            getattr(dp.models, name)(3)
    with pytest.raises(ImportError, match="sensitivity on trust"):
        from tacet.compat.diffprivlib import mechanisms  # noqa: F401
    for name in ("nanmean", "nanvar", "nanstd", "nansum"):
        with pytest.raises(ImportError, match=f"{name} is not here: how many"):
            getattr(dp.tools, name)
    assert not hasattr(dp.tools, "nothing")


def test_unfitted_models_and_exact_scores_say_so() -> None:
    from sklearn.exceptions import NotFittedError

    model = LogisticRegression(epsilon=5, data_norm=1.5)
    for call in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        model.score(X, CLASSES)
    for fitted in (model.fit(X - 0.5, CLASSES),
                   dp.GaussianNB(epsilon=5, bounds=(-1, 1)).fit(X - 0.5, CLASSES)):
        with pytest.warns(tacet.PrivacyWarning, match="score is exact"):
            assert fitted.score(X - 0.5, CLASSES) > 0.8


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


def test_the_steps_of_their_notebook_of_pipelines() -> None:
    state = check_random_state(42)
    labels = np.where(CLASSES == 1, ">50K", "<=50K")
    pipe = Pipeline([
        ("scaler", dp.models.StandardScaler(bounds=([0, 0], [1, 1]), random_state=state)),
        ("pca", dp.models.PCA(2, data_norm=4, centered=True, random_state=state)),
        ("lr", dp.models.LogisticRegression(data_norm=1, random_state=state, C=10 / len(X))),
    ])
    pipe.fit(X, labels)
    assert (pipe.predict(X) == labels).mean() > 0.7
    pipe.set_params(scaler__epsilon=0.1, pca__epsilon=0.1, lr__epsilon=0.1).fit(X, labels)
    assert set(pipe.predict(X)) <= set(labels)


def test_fitted_models_go_into_files_without_the_budget() -> None:
    for model, labels in ((LogisticRegression(epsilon=1, data_norm=2), THREE),
                          (LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 10)), NUMBERS)):
        fitted = model.fit(X, labels)
        again = pickle.loads(pickle.dumps(fitted))
        assert np.array_equal(again.predict(X), fitted.predict(X))
        assert [one.to_json() for one in again.receipts_] == [one.to_json() for one in fitted.receipts_]
