"""What people of scikit-learn do out of habit: it works as there, or the error says what does."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

X = np.random.default_rng(0).random((400, 2))
Y = np.where(X[:, 0] > 0.5, "yes", "a no")


def model(**said: Any) -> tacet.LogisticRegression:
    known: Dict[str, Any] = {"epsilon": 8, "bounds": (0, 1), "classes": ["yes", "a no"],
                             "public_row_count": 400, "steps": 20}
    return tacet.LogisticRegression(**{**known, **said})


AROUND: Dict[str, Callable[[Any], Any]] = {
    "voting": lambda one: VotingClassifier([("a", one), ("b", clone(one))], voting="soft"),
    "stacking": lambda one: StackingClassifier([("a", one)], final_estimator=clone(one), cv=2),
    "bagging": lambda one: BaggingClassifier(one, n_estimators=2, random_state=0),
}


@pytest.mark.parametrize("around", AROUND)
def test_ensembles_hand_on_places_and_give_labels_back(around: str) -> None:
    made = AROUND[around](model(classes=range(2)))
    found = made.fit(X, Y).predict(X)
    assert set(found) == set(Y) and (found == Y).mean() > 0.8


@pytest.mark.parametrize("around", AROUND)
def test_text_classes_in_an_ensemble_are_told_what_to_give(around: str) -> None:
    with pytest.raises(tacet.DataError, match=r"classes=range\(2\)"):
        AROUND[around](model()).fit(X, Y)


def test_probabilities_across_folds() -> None:
    found = cross_val_predict(model(classes=range(2)), X, Y, method="predict_proba", cv=2)
    assert ((found[:, 1] > 0.5) == (Y == "yes")).mean() > 0.8
    with pytest.raises(tacet.DataError, match=r"classes=range\(2\)"):
        cross_val_predict(model(), X, Y, method="predict_proba", cv=2)


def test_words_for_classes_that_are_numbers_are_told() -> None:
    for labels in (Y, np.array(["0", "1"] * (len(Y) // 2))):  # the type alone decides
        with pytest.warns(UserWarning, match="list these as classes"):
            model(classes=range(2)).fit(X, labels)


def test_a_schema_with_text_classes_is_told_of_a_schema() -> None:
    schema = tacet.Schema([tacet.numeric("a", 0, 1), tacet.numeric("b", 0, 1)],
                          target=tacet.binary("y", "yes", "a no"), public_row_count=400)
    with pytest.raises(tacet.DataError, match='schema whose classes are "0" and "1"'):
        tacet.LogisticRegression(schema=schema, epsilon=1).fit(X, (Y == "yes").astype(int))


def test_labels_of_other_types_are_told_nothing_of_it() -> None:
    numbers = (Y == "yes").astype(int)
    for classes in ([0, 1], ["0", "1"]):
        assert model(classes=classes).fit(X, numbers).predict(X[:2]).shape == (2,)
    assert model().fit(X, Y.astype(object)).predict(X[:2]).shape == (2,)


def test_weights_and_passes_are_refused_with_the_reason_and_the_way() -> None:
    weights = np.ones(400)
    one: Any = model()
    wide: Any = tacet.WideClassifier(epsilon=1, bounds=(0, 1), classes=["yes", "a no"],
                                     public_row_count=400)
    fits: List[Callable[[], Any]] = [
        lambda: one.fit(X, Y, sample_weight=weights),
        lambda: wide.fit(X, Y, sample_weight=weights),
        lambda: make_pipeline(one).fit(X, Y, logisticregression__sample_weight=weights)]
    for fit in fits:
        with pytest.raises(tacet.UsageError, match="sample_weight is refused.*class_weights.*unit"):
            fit()
    assert not hasattr(one, "partial_fit")
    with pytest.raises(AttributeError, match="how often each record is read.*steps.*unit"):
        one.partial_fit(X, Y)


def test_class_weights_is_the_way_that_is_named() -> None:
    assert model(class_weights={"yes": 2, "a no": 1}).fit(X, Y).predict(X).shape == (400,)


def test_the_number_of_iterations() -> None:
    assert model().fit(X, Y).n_iter_ == 20
    assert model(method="localized", steps=None).fit(X, Y).n_iter_ == 1  # pass over the records
    assert model(method="adassp", steps=None).fit(X, Y).n_iter_ is None
    assert not hasattr(model(), "n_iter_")


def test_a_generator_makes_runs_repeatable_and_different() -> None:
    def coefficients(state: Any, times: int) -> Any:
        return [model(random_state=state).fit(X, Y).encoded_coef_.tolist() for _ in range(times)]

    first, second = coefficients(np.random.RandomState(3), 2)
    assert first != second  # it moves on, as elsewhere
    assert coefficients(np.random.RandomState(3), 2) == [first, second]
    with pytest.raises(tacet.UsageError, match="RandomState"):
        model(random_state="seed").fit(X, Y)


def test_a_generator_draws_once_per_fit() -> None:
    state = np.random.RandomState(3)
    model(random_state=state).fit(X, Y)
    other = np.random.RandomState(3)
    other.randint(0, 2**63, dtype=np.int64)
    assert state.randint(1000) == other.randint(1000)


def test_a_run_that_is_refused_draws_nothing() -> None:
    state = np.random.RandomState(3)
    with pytest.raises(tacet.Error):
        model(random_state=state, method="no such").fit(X, Y)
    assert state.randint(1000) == np.random.RandomState(3).randint(1000)


def test_threads_are_counted_as_elsewhere() -> None:
    found = [model(random_state=3, **said).fit(X, Y).encoded_coef_.tolist()
             for said in ({}, {"n_jobs": -1}, {"n_jobs": 1}, {"threads": -1}, {"n_jobs": -1000})]
    assert all(one == found[0] for one in found)
    for said in ({"n_jobs": 0}, {"n_jobs": 1, "threads": 1}, {"n_jobs": "all"}, {"n_jobs": True}):
        with pytest.raises(tacet.UsageError, match="n_jobs"):
            model(**said).fit(X, Y)
    assert cross_val_score(model(), X, Y, cv=2, n_jobs=-1).shape == (2,)


@pytest.mark.parametrize("knots", ["auto", None])
def test_a_pair_for_each_column_is_the_same_as_one_pair_for_all(knots: Any) -> None:
    one, each = (model(bounds=bounds, knots=knots, random_state=1).fit(X, Y)
                 for bounds in ((0, 1), [(0, 1)] * X.shape[1]))
    assert each.encoded_coef_.tolist() == one.encoded_coef_.tolist()
    assert each.receipt_["events"] == one.receipt_["events"]
