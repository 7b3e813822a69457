"""The estimators of diffprivlib 0.6 by their signatures, on this engine.

    from tacet.compat.diffprivlib import LogisticRegression   # was: diffprivlib.models

What differs in the guarantee says docs/how-to/from-diffprivlib.md. Where diffprivlib takes bounds
from the data and warns, these refuse.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .. import _records, estimators
from .._blocks import Travels, belonging, carry
from .._boundary import boundary
from ..budgets import Budget
from ..errors import GuaranteeError, UsageError
from ..receipts import Receipt

_REPLACED = "replace_one"  # diffprivlib's neighbours, so that the number of records is public


class BudgetAccountant:
    """What may be spent, by basic composition alone.

    >>> with BudgetAccountant(epsilon=2, delta=0) as accountant:
    ...     accountant.total()
    (0.0, 0.0)
    """

    def __init__(
        self, epsilon: float = float("inf"), delta: float = 1.0, slack: float = 0.0
    ) -> None:
        if slack:
            raise GuaranteeError(
                "slack has no counterpart: epsilons add up here; a tacet.Ledger in the currency "
                "zcdp or gdp composes more tightly")
        self.epsilon = epsilon
        self.delta = delta
        self._budget = Budget(epsilon, min(delta, 1 - 1e-12), _REPLACED)

    def total(self) -> Tuple[float, float]:
        """Everything spent."""
        return self._budget.spent

    def remaining(self, k: int = 1) -> Tuple[float, float]:
        """What each of ``k`` further releases may cost."""
        epsilon, delta = self._budget.spent
        return (self.epsilon - epsilon) / k, (self.delta - delta) / k

    def __enter__(self) -> BudgetAccountant:
        self._budget.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._budget.__exit__(*error)

    def __deepcopy__(self, memo: Dict[int, Any]) -> BudgetAccountant:
        return self


class _Moved(Travels, BaseEstimator):  # type: ignore[misc]
    _model: Any

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def _train(self, model: Any, X: Any, y: Any) -> Any:
        params = self.get_params(deep=False)
        accountant = params["accountant"]
        budget = None if accountant is None else accountant._budget
        model.set_params(budget=budget, random_state=params["random_state"])
        self._model = carry(self, model).fit(X, y)
        self.n_features_in_ = self._model.n_features_in_
        return self

    @property
    def receipt_(self) -> Receipt:
        """What was run and released, and the guarantee."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit first")
        found: Receipt = self._model.receipt_
        return found

    @boundary
    def predict(self, X: Any) -> Any:
        """As the model within."""
        check_is_fitted(self)
        return self._model.predict(X)

    @boundary
    def _warning_score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """scikit-learn's score: exact, so that it tells about the records; nothing is booked."""
        check_is_fitted(self)
        return float(self._model.score(X, y, sample_weight))


class LogisticRegression(ClassifierMixin, _Moved):  # type: ignore[misc]
    """Pure private logistic regression by objective perturbation; ``data_norm`` is required.

    >>> X, y = np.array([[0.1, 0], [0.9, 0]] * 200), np.array([0, 1] * 200)
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # the set of labels is taken from y, as there
    ...     model = LogisticRegression(epsilon=1, data_norm=1).fit(X, y)
    >>> model.predict(X[:2]).shape
    (2,)
    """

    score = _Moved._warning_score

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
        """Trains; rows longer than ``data_norm`` are shortened to it, the constant included."""
        if self.data_norm is None:
            raise GuaranteeError(
                "data_norm is missing: the largest norm of a row, which is public; diffprivlib "
                "takes it from the data, and the guarantee is lost")
        _refuse(sample_weight is not None, "sample_weight",
                "a weight multiplies what a record can do")
        _refuse(self.warm_start, "warm_start", "a start from private data is another release")
        # The curvature of the loss takes half of epsilon at most, as in Chaudhuri, Monteleoni,
        # Sarwate 2011: weaker regularization is made stronger.
        least = 0.25 / np.expm1(min(self.epsilon, 500) / 2)
        l2 = max(1 / (self.C * self.data_norm**2), least) / max(_records.length(X), 1)
        model = estimators.LogisticRegression(
            epsilon=self.epsilon, delta=0, adjacency=_REPLACED, method="objective",
            l2=l2, bounds=(-self.data_norm, self.data_norm), classes="observed",
            intercept=self.fit_intercept, threads=self.n_jobs)
        self._train(model, X, y)
        self.classes_ = self._model.classes_
        return self

    @boundary
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class."""
        check_is_fitted(self)
        return self._model.predict_proba(X)

    @boundary
    def decision_function(self, X: Any) -> Any:
        """The margin of the second class."""
        check_is_fitted(self)
        return self._model.decision_function(X)


class LinearRegression(RegressorMixin, _Moved):  # type: ignore[misc]
    """Pure private least squares; ``bounds_X`` and ``bounds_y`` are required.

    >>> X = np.tile([[0.1], [0.9]], (300, 1))
    >>> model = LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 10))
    >>> _ = model.fit(X, 10 * X.ravel())
    >>> model.predict(X[:2]).shape
    (2,)
    """

    score = _Moved._warning_score

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
        if self.bounds_X is None or self.bounds_y is None:
            raise GuaranteeError(
                "bounds_X and bounds_y are public and missing; diffprivlib takes them from the "
                "data, and the guarantee is lost")
        _refuse(sample_weight is not None, "sample_weight",
                "a weight multiplies what a record can do")
        lower, upper = self.bounds_X
        bounds: Any = (lower, upper)
        if not (np.isscalar(lower) and np.isscalar(upper)):
            names = _records.column_names(X)
            keys = names if names is not None else [*range(_records.numbers_of(X).shape[1])]
            bounds = dict(zip(keys, zip(np.broadcast_to(lower, len(keys)),
                                        np.broadcast_to(upper, len(keys)))))
        model = estimators.Ridge(
            epsilon=self.epsilon, delta=0, adjacency=_REPLACED, bounds=bounds,
            target_bounds=tuple(self.bounds_y), intercept=self.fit_intercept)
        return self._train(model, X, y)


def _refuse(given: bool, name: str, why: str) -> None:
    if given:
        raise UsageError(f"{name} has no counterpart: {why}")
