"""diffprivlib's linear models."""

from __future__ import annotations

import warnings
from typing import Any, List, Optional

import numpy as np
from sklearn import linear_model
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .... import _arguments, _records, estimators
from ...._blocks import Travels, belonging, mark_of
from ...._boundary import boundary
from ....errors import UsageError
from ....receipts import Receipt
from .._release import (
    checked_epsilon, is_unprotected, matrix_of, norm_of, pair_of, places)
from ..accountant import REPLACED, BudgetAccountant, Payment, _share
from ._labels import classes_and_codes, refuse_weights


class _LinearModel(Travels, BaseEstimator):  # type: ignore[misc]
    """What both have: coefficients of the columns, and the models that they were read from."""

    coef_: Any
    intercept_: Any
    _models: List[Any]

    def _matrix(self, X: Any) -> Any:
        """At prediction."""
        check_is_fitted(self)
        if hasattr(self, "feature_names_in_"):
            names = _records.column_names(X)
            if names is not None:
                X = _records.chosen(X, self.feature_names_in_)
        numbers = _records.numbers_of(X)
        if numbers.shape[1] != self.n_features_in_:
            raise UsageError(f"X has {numbers.shape[1]} features, but {type(self).__name__} is "
                             f"expecting {self.n_features_in_} features as input")
        return numbers

    @property
    def receipts_(self) -> List[Receipt]:
        """What was run and released, and the guarantee, of each part; none without privacy."""
        if "_models" not in vars(self):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit first")
        return [model.receipt_ for model in self._models]

    @property
    def receipt_(self) -> Receipt:
        """The receipt of a model of one part."""
        found = self.receipts_
        if len(found) != 1:
            raise AttributeError(
                "without privacy there is no receipt" if not found else
                f"there are {len(found)} receipts, one per class, whose epsilons add up: receipts_")
        return found[0]


class LogisticRegression(ClassifierMixin, _LinearModel):  # type: ignore[misc]
    """Pure private logistic regression by objective perturbation; ``data_norm`` is required.

    With more than two classes, each is told from the rest, for an equal part of epsilon. ``tol``,
    ``max_iter`` and ``verbose`` have no effect on a private fit: its minimum is certified.

    >>> X, y = np.array([[0.1, 0], [0.9, 0]] * 200), np.array([0, 1] * 200)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # the set of labels is taken from y, as there
    ...     model = LogisticRegression(epsilon=1, data_norm=1).fit(X, y)
    >>> model.predict(X[:2]).shape, model.coef_.shape
    ((2,), (1, 2))
    """

    def __init__(
        self,
        *,
        epsilon: float = 1.0,
        data_norm: Optional[float] = None,
        tol: float = 1e-4,
        C: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        accountant: Optional[BudgetAccountant] = None,
    ) -> None:
        self.epsilon = epsilon
        self.data_norm = data_norm
        self.tol = tol
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.accountant = accountant

    @belonging
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains; rows longer than ``data_norm`` are shortened to it."""
        epsilon = checked_epsilon(self.epsilon)
        exact = epsilon == float("inf") and self.data_norm is None
        norm = None if exact else norm_of(self.data_norm, "a row")
        refuse_weights(sample_weight)
        if self.warm_start:
            raise UsageError("warm_start has no counterpart: a start from private data is another "
                             "release")
        classes, codes = classes_and_codes(X, y)
        rows = _shortened(matrix_of(self, X), norm)
        if is_unprotected(epsilon, self.accountant, mark_of(self)):
            self._take_exact(rows, codes, len(classes))
        else:
            self._take_private(rows, codes, len(classes), epsilon, norm)
        self.classes_ = classes
        # One certified minimum per class. The solver's own steps would tell about the records.
        self.n_iter_ = np.ones(len(self.coef_), dtype=np.int32)
        return self

    def _take_private(
        self, rows: Any, codes: Any, classes: int, epsilon: float, norm: Any
    ) -> None:
        count = 1 if classes == 2 else classes
        payment = Payment(self.accountant, self.random_state, mark_of(self))
        budget = payment.budget if count == 1 else payment.booked_whole(epsilon)
        # A row beside a constant, both over the root of 2 of them: never longer than 1, so that the
        # margin is a straight line of the columns.
        share = 0.5 if self.fit_intercept else 1.0
        unit = np.hstack([rows / norm, np.ones((len(rows), 1))]) if self.fit_intercept else rows / norm
        unit *= np.sqrt(share) * (1 - 2.0**-40)
        each = epsilon if count == 1 else _share(epsilon, 0.0, count)
        # The curvature of the loss takes half of epsilon at most, as in Chaudhuri, Monteleoni,
        # Sarwate 2011: weaker regularization is made stronger.
        min_l2 = 0.25 / np.expm1(min(each, 500) / 2)
        l2 = max(share / (self.C * norm**2), min_l2) / max(len(rows), 1)
        models, lines = [], []
        for k in range(count):
            model = estimators.LogisticRegression(
                epsilon=each, delta=0, adjacency=REPLACED, method="objective", l2=l2,
                bounds=(-1, 1), intercept=False, classes=[0, 1], n_jobs=self.n_jobs,
                random_state=self.random_state, budget=budget)
            labels = codes if count == 1 else np.where(np.isnan(codes), np.nan, codes == k)
            models.append(model.fit(unit, labels))
            lines.append(model.encoded_coef_[0] * np.sqrt(share))
        if count == 1:
            payment.paid(models[0].receipt_)
        else:
            payment.told([model.receipt_ for model in models])
        line = np.array(lines) + 0.0
        self._models = _paid(models)
        self.coef_ = line[:, :rows.shape[1]] / norm
        self.intercept_ = line[:, -1] if self.fit_intercept else np.zeros(count)

    def _take_exact(self, rows: Any, codes: Any, classes: int) -> None:
        known = ~np.isnan(codes)
        lines = []
        for k in range(1, 2) if classes == 2 else range(classes):
            model = linear_model.LogisticRegression(
                C=self.C, tol=self.tol, fit_intercept=self.fit_intercept, max_iter=self.max_iter)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that it has not converged tells about records
                model.fit(np.nan_to_num(rows[known]), codes[known] == k)
            lines.append((model.coef_[0], model.intercept_[0] if self.fit_intercept else 0.0))
        self._models = []
        self.coef_ = np.array([line[0] for line in lines])
        self.intercept_ = np.array([line[1] for line in lines])

    @boundary
    def decision_function(self, X: Any) -> Any:
        """The margin of each class, or of two classes that of the second one."""
        found = np.nan_to_num(self._matrix(X) @ self.coef_.T + self.intercept_)
        return found.ravel() if found.shape[1] == 1 else found

    @boundary
    def predict(self, X: Any) -> Any:
        """The class of each record."""
        margins = self.decision_function(X)
        places = (margins > 0).astype(int) if margins.ndim == 1 else margins.argmax(axis=1)
        return self.classes_[places]

    @boundary
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class; of several, those of one against the rest over their sum."""
        margins = self.decision_function(X)
        found = 1 / (1 + np.exp(-np.clip(margins, -500, 500)))
        if found.ndim == 1:
            return np.stack([1 - found, found], axis=1)
        return found / found.sum(axis=1, keepdims=True)

    @boundary
    def predict_log_proba(self, X: Any) -> Any:
        """Its logarithm."""
        return np.log(self.predict_proba(X))

    @boundary
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """scikit-learn's score: exact, so that it tells about the records; nothing is booked."""
        check_is_fitted(self)
        _arguments.warn_of_score()
        return float(super().score(X, y, sample_weight))


class LinearRegression(RegressorMixin, _LinearModel):  # type: ignore[misc]
    """Pure private least squares; ``bounds_X`` and ``bounds_y`` are required.

    ``copy_X`` has no effect: the table is never changed.

    >>> X = np.tile([[0.1], [0.9]], (300, 1))
    >>> model = LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 10))
    >>> model.fit(X, 10 * X.ravel()).coef_.shape
    (1,)
    """

    def __init__(
        self,
        *,
        epsilon: float = 1.0,
        bounds_X: Any = None,
        bounds_y: Any = None,
        fit_intercept: bool = True,
        copy_X: bool = True,
        random_state: Any = None,
        accountant: Optional[BudgetAccountant] = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds_X = bounds_X
        self.bounds_y = bounds_y
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.random_state = random_state
        self.accountant = accountant

    @belonging
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains on numbers clipped to their bounds."""
        epsilon = checked_epsilon(self.epsilon)
        refuse_weights(sample_weight)
        rows = matrix_of(self, X)
        y = _records.numbers_of(np.reshape(_arguments.one_column(y), (-1, 1))).ravel()
        if is_unprotected(epsilon, self.accountant, mark_of(self)):
            model = linear_model.LinearRegression(fit_intercept=self.fit_intercept)
            model.fit(np.nan_to_num(_within(rows, self.bounds_X)),
                      np.nan_to_num(_within(y[:, None], self.bounds_y).ravel()))
            self._models = []
            self.coef_, self.intercept_ = model.coef_, float(model.intercept_)
        else:
            self._take_private(rows, y, epsilon)
        return self

    def _take_private(self, rows: Any, y: Any, epsilon: float) -> None:
        lower, upper = pair_of(self.bounds_X, "bounds_X", rows.shape[1])
        low, high = (float(end[0]) for end in pair_of(self.bounds_y, "bounds_y", 1))
        payment = Payment(self.accountant, self.random_state, mark_of(self))
        model = estimators.Ridge(
            epsilon=epsilon, delta=0, adjacency=REPLACED, bounds=(-1, 1), row_scaling="const",
            target_bounds=(low, high), intercept=self.fit_intercept,
            random_state=self.random_state, budget=payment.budget)
        model.fit(2 * places(rows, lower, upper), y)
        payment.paid(model.receipt_)
        self._models = _paid([model])
        slopes = model.coef_ * 2 / (upper - lower)
        self.coef_ = slopes + 0.0
        self.intercept_ = float(model.intercept_ - slopes @ (lower + upper) / 2) + 0.0

    @boundary
    def predict(self, X: Any) -> Any:
        """The number that is expected of each record."""
        return self._matrix(X) @ self.coef_ + self.intercept_

    @boundary
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """scikit-learn's score: exact, so that it tells about the records; nothing is booked."""
        check_is_fitted(self)
        _arguments.warn_of_score()
        return float(super().score(X, y, sample_weight))


def _paid(models: List[Any]) -> List[Any]:
    """Models that spend no more: without the budget in memory, which no file can hold."""
    for model in models:
        model.budget = None
    return models


def _shortened(rows: Any, norm: Optional[float]) -> Any:
    """Rows with a norm of at most that; what is no number counts as 0."""
    rows = np.nan_to_num(rows, nan=0.0)
    if norm is None:
        return rows
    largest = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-300)
    lengths = np.linalg.norm(rows / largest, axis=1, keepdims=True) * largest
    return rows / np.maximum(lengths / norm, 1)


def _within(rows: Any, bounds: Any) -> Any:
    """For what protects nobody, where bounds may be missing."""
    return rows if bounds is None else np.clip(rows, *pair_of(bounds, "bounds", rows.shape[1]))
