"""diffprivlib's statistics, models of moments and accountant, each by releases that are proved."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from sklearn import decomposition, naive_bayes, preprocessing
from sklearn.base import clone

import tacet
import tacet.compat.diffprivlib as dp
from tacet.compat.diffprivlib import BudgetAccountant, tools

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

random = np.random.default_rng(5)
X = random.random((4000, 3)) * [1, 10, 100]
BOUNDS = ([0, 0, 0], [1, 10, 100])
Y = np.where(X[:, 0] > 0.5, "b", "a")
STATISTICS: Any = {
    "mean": (tools.mean, np.mean), "var": (tools.var, np.var), "std": (tools.std, np.std),
    "sum": (tools.sum, np.sum)}


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_statistics_are_near_the_exact_ones_and_shaped_alike(name: str, axis: Any) -> None:
    ours, exact = STATISTICS[name]
    rows = X[:, :1] * [1, 1, 1] if axis != 1 else (X[:, :1] * [1, 1]).T
    for keepdims in (False, True):
        found = ours(rows, epsilon=20, bounds=(0, 1), axis=axis, keepdims=keepdims)
        right = exact(rows, axis=axis, keepdims=keepdims)
        assert np.shape(found) == np.shape(right)
        if axis != 1:
            assert found == pytest.approx(right, rel=0.05)


def test_counts_and_histograms() -> None:
    assert tools.count_nonzero(X[:, 0] > 0.5, epsilon=20) == pytest.approx(
        np.count_nonzero(X[:, 0] > 0.5), abs=5)
    assert tools.count_nonzero(X > 0.5, axis=0, epsilon=20).shape == (3,)
    beside = np.append(X[:, 1], [10.0, 10.5, -1, np.nan])  # one at the last edge, three outside
    counts, edges = tools.histogram(beside, epsilon=20, bins=4, range=(0, 10))
    right, same = np.histogram(beside[:-1], bins=4, range=(0, 10))
    assert edges.tolist() == same.tolist() and counts.dtype.kind == "i"
    assert np.abs(counts - right).max() <= 5
    both, first, second = tools.histogram2d(X[:, 0], X[:, 1], epsilon=20, bins=(2, [0, 5, 10]),
                                            range=((0, 1), None))
    right, _, _ = np.histogram2d(X[:, 0], X[:, 1], bins=(2, [0, 5, 10]), range=((0, 1), (0, 10)))
    assert first.tolist() == [0, 0.5, 1] and np.abs(both - right).max() <= 5
    density, _ = tools.histogram(X[:, 0], bins=[0, 0.5, 1], density=True, epsilon=20)
    assert (density * 0.5).sum() == pytest.approx(1)


def test_quantiles_share_one_epsilon() -> None:
    accountant = BudgetAccountant(1, 0)
    found = tools.quantile(X[:, :2] / [1, 10], [0.25, 0.5], bounds=(0, 1), axis=0,
                           accountant=accountant)
    assert found.shape == (2, 2) and found == pytest.approx(
        np.array([[0.25, 0.25], [0.5, 0.5]]), abs=0.1)
    assert accountant.total().epsilon == 1 and len(accountant) == 1
    assert sum(receipt["guarantee"]["epsilon"] for receipt in accountant.receipts) <= 1
    assert tools.median(X[:, 0], bounds=(0, 1)) == pytest.approx(
        tools.percentile(X[:, 0], 50, bounds=(0, 1)), abs=0.1)


def test_noise_is_that_of_a_replaced_record() -> None:
    # Laplace of scale range / (n epsilon): the mean of 2,000 absolute deviations is that within
    # 6 / sqrt(2000) of it, but in 1 of 10^8 runs of a correct program.
    rows = np.full(50, 0.5)
    found = [tools.mean(rows, epsilon=2, bounds=(0, 1), random_state=k) for k in range(2000)]
    scale = 1 / (50 * 2)
    assert np.abs(np.array(found) - 0.5).mean() == pytest.approx(scale, rel=6 / np.sqrt(2000))


def test_bounds_are_enforced() -> None:
    wild = np.append(np.full(1000, 0.5), [1e300, np.inf, -np.inf, np.nan])
    assert 0 <= tools.mean(wild, bounds=(0, 1)) <= 1
    assert tools.var(wild, epsilon=20, bounds=(0, 1)) < 0.01
    # One record weighs in a scaler and a Gram matrix what its bounds let it.
    rows = np.vstack([np.full((2000, 2), 0.5), [[1e300, -1e300]]])
    scaler = dp.StandardScaler(epsilon=20, bounds=(0, 1)).fit(rows)
    assert scaler.mean_ == pytest.approx([0.5, 0.5], abs=0.01)
    pca = dp.PCA(2, epsilon=20, data_norm=1, centered=True).fit(rows)
    assert pca.explained_variance_.max() < 1.1


def test_what_theirs_takes_from_the_data_is_refused() -> None:
    for call in (lambda: tools.mean(X), lambda: tools.histogram(X[:, 0]),
                 lambda: tools.quantile(X, 0.5), lambda: dp.StandardScaler().fit(X),
                 lambda: dp.PCA(2).fit(X), lambda: dp.PCA(2, centered=True).fit(X),
                 lambda: dp.GaussianNB().fit(X, Y)):
        with pytest.raises(tacet.GuaranteeError, match="public.*diffprivlib takes"):
            call()
    for wrong in ((1, 0), (0, np.inf), (0, np.nan), 3, ([0, 0], [1, 1])):
        with pytest.raises(tacet.UsageError, match="bounds"):
            dp.StandardScaler(bounds=wrong).fit(X)
    with pytest.raises(tacet.UsageError, match="weights"):
        tools.histogram(X[:, 0], range=(0, 1), weights=X[:, 0])


def test_moments_are_near_the_exact_ones() -> None:
    scaler = dp.StandardScaler(epsilon=20, bounds=BOUNDS).fit(X)
    exact = preprocessing.StandardScaler().fit(X)
    assert scaler.mean_ == pytest.approx(exact.mean_, rel=0.02)
    assert scaler.scale_ == pytest.approx(exact.scale_, rel=0.02)
    assert scaler.transform(X) == pytest.approx(exact.transform(X), abs=0.1)
    rows = X @ np.array([[1, 0.1, 0], [0, 0.03, 0.02], [0, 0, 0.001]])
    pca = dp.PCA(2, epsilon=20, bounds=(rows.min(axis=0).round(2), rows.max(axis=0).round(2)))
    same = decomposition.PCA(2).fit(rows)
    pca.fit(rows)
    assert pca.explained_variance_[0] == pytest.approx(same.explained_variance_[0], rel=0.1)
    assert np.abs((pca.components_ * same.components_).sum(axis=1))[0] > 0.98
    assert pca.inverse_transform(pca.transform(rows)).shape == rows.shape
    bayes = dp.GaussianNB(epsilon=20, bounds=BOUNDS).fit(X, Y)
    right = naive_bayes.GaussianNB().fit(X, Y)
    assert (bayes.predict(X) == right.predict(X)).mean() > 0.97
    for model in (scaler, pca, bayes):
        assert tacet.verify(model.receipt_, protected=True).verdict == "follows"
        assert model.receipt_["guarantee"]["delta"] == 0
        assert clone(model).fit(X, Y).n_features_in_ == 3


def test_at_little_epsilon_they_fit_and_predict() -> None:
    for _ in range(5):
        bayes = dp.GaussianNB(epsilon=1e-3, bounds=BOUNDS).fit(X[:50], Y[:50])
        assert np.isfinite(bayes.predict_proba(X)).all() and (bayes.var_ > 0).all()
        scaler = dp.StandardScaler(epsilon=1e-3, bounds=BOUNDS).fit(X[:50])
        assert np.isfinite(scaler.transform(X)).all()
        assert np.isfinite(dp.PCA(2, epsilon=1e-3, bounds=BOUNDS).fit_transform(X[:50])).all()


def test_a_missing_label_teaches_nothing() -> None:
    labels = [*Y[:-1], None]
    assert dp.GaussianNB(epsilon=20, bounds=BOUNDS).fit(X, labels).classes_.tolist() == ["a", "b"]


def test_without_privacy_they_are_exact() -> None:
    forever = float("inf")
    assert tools.mean(X, epsilon=forever) == X.mean()
    counts, edges = tools.histogram(X[:, 0], epsilon=forever)
    assert (counts == np.histogram(X[:, 0])[0]).all() and len(edges) == 11
    assert dp.StandardScaler(epsilon=forever).fit(X).mean_ == pytest.approx(X.mean(axis=0))
    bayes = dp.GaussianNB(epsilon=forever, bounds=(-1e5, 1e5)).fit(X, Y)
    assert (bayes.predict(X) == naive_bayes.GaussianNB().fit(X, Y).predict(X)).all()
    assert not hasattr(bayes, "receipt_")


def test_more_than_can_be_proved_is_as_much_as_can() -> None:
    accountant = BudgetAccountant()
    tools.mean(X, epsilon=1e4, bounds=(0, 100), accountant=accountant)
    assert 20 < accountant.total().epsilon < 27
    assert accountant.total().epsilon == accountant.receipts[0]["guarantee"]["epsilon"]


def test_accountants_stop_at_their_cap() -> None:
    with BudgetAccountant(2, 0) as accountant:
        for _ in range(2):
            tools.mean(X[:, 0], epsilon=1, bounds=(0, 1))
        assert accountant.total()[0] == pytest.approx(2, abs=1e-5) and len(accountant) == 2
        with pytest.raises(tacet.BudgetError):
            dp.LogisticRegression(epsilon=1, data_norm=1.5).fit(X, Y)
        with pytest.raises(tacet.BudgetError):
            tools.histogram(X[:, 0], range=(0, 1))
    given = BudgetAccountant()
    dp.LogisticRegression(epsilon=1, data_norm=1.5, accountant=given).fit(X, Y)
    assert given.total().epsilon == pytest.approx(1, abs=1e-5) and len(given) == 1


def test_the_steps_of_their_notebook_of_accountants() -> None:
    accountant = BudgetAccountant(epsilon=5, delta=0)
    tools.mean(X, bounds=(0, 1), accountant=accountant)
    assert repr(accountant.remaining()).startswith("(epsilon=4.0")
    assert accountant.remaining(4).epsilon == pytest.approx(1, abs=1e-5)
    small = BudgetAccountant(1.5, 0)
    tools.mean(X, epsilon=1, bounds=(0, 1), accountant=small)
    with pytest.raises(tacet.BudgetError):
        tools.var(X, epsilon=1, bounds=(0, 1), accountant=small)
    usual = BudgetAccountant().set_default()
    try:
        tools.mean(X, epsilon=2.718, bounds=(0, 1))
        assert usual.total().epsilon == pytest.approx(2.718, abs=1e-5)
        assert BudgetAccountant.load_default(None) is usual
        with BudgetAccountant() as inner:
            tools.mean(X, bounds=(0, 1))
            assert BudgetAccountant.load_default(None) is inner
    finally:
        assert BudgetAccountant.pop_default() is usual
    assert len(usual) == len(inner) == 1 and BudgetAccountant.pop_default() is None
    naive = BudgetAccountant()
    assert [naive.spend(2**-6, 0).total()[0] for _ in range(3)] == [1 / 64, 2 / 64, 3 / 64]


def test_what_is_left_can_be_spent_in_parts() -> None:
    for parts in (1, 3, 7):
        accountant = BudgetAccountant(1, 0, spent_budget=[(0.7, 0)])
        share = accountant.remaining(parts)
        for _ in range(parts):
            accountant.spend(share.epsilon, 0)
        assert accountant.remaining().epsilon < 1e-12
    assert accountant.spent_budget[0] == (0.7, 0) and len(accountant) == 8


def test_check_says_what_spend_would_say_and_spends_nothing() -> None:
    accountant = BudgetAccountant(1, 0)
    assert accountant.check(1, 0) and accountant.total() == (0, 0) and len(accountant) == 0
    for epsilon, delta in ((1.1, 0), (0.5, 1e-9)):
        with pytest.raises(tacet.BudgetError):
            accountant.check(epsilon, delta)
    for wrong in ((0, 0), (-1, 0), (1, 2), (float("nan"), 0)):
        with pytest.raises(tacet.UsageError):
            accountant.spend(*wrong)


def test_the_default_pays_in_threads_too_and_for_other_estimators() -> None:
    with BudgetAccountant(3, 1e-5) as accountant:
        thread = threading.Thread(target=lambda: tools.mean(X, bounds=(0, 1)))
        thread.start()
        thread.join()
        tacet.LogisticRegression(epsilon=0.5, delta=1e-6, bounds=(0, 100), classes=["a", "b"]).fit(X, Y)
    assert accountant.total().epsilon == pytest.approx(1.5, abs=1e-4) and len(accountant) == 2


def test_where_nobody_pays_what_was_spent_is_known_all_the_same() -> None:
    before = len(BudgetAccountant.load_default(None))
    tools.mean(X, bounds=(0, 1))
    tools.mean(X, bounds=(0, 1), random_state=3)  # protects nobody
    assert len(BudgetAccountant.load_default(None)) == before + 1


def test_a_budget_of_other_neighbours_and_a_seed_are_refused() -> None:
    with tacet.Budget(epsilon=1):
        with pytest.raises(tacet.UsageError, match="replace_one"):
            tools.mean(X, bounds=(0, 1))
    with BudgetAccountant(1, 0), pytest.raises(tacet.UsageError, match="seeded"):
        tools.mean(X, bounds=(0, 1), random_state=1)
    with tacet.Budget(epsilon=1, adjacency="replace_one") as budget:
        tools.mean(X, epsilon=0.5, bounds=(0, 1))
        dp.PCA(1, epsilon=0.5, bounds=BOUNDS).fit(X)
    assert budget.spent[0] == pytest.approx(1, abs=1e-5)
