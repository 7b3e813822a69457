"""Sums of arrays with noise: what tools and models release, all of it pure and booked."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np
from sklearn.utils.validation import _check_feature_names, _check_n_features

from ... import _arguments, _engine, _records, _spending
from ..._blocks import Mark
from ..._warn import warn
from ...errors import DataError, GuaranteeError, UsageError
from ...receipts import Receipt
from .accountant import REPLACED, BudgetAccountant, Payment

# Noise comes from a cipher, beside which nothing is pure beyond 26.4 (docs/explanations/randomness.md).
MAX_EPSILON = 26.0
_AT_ONCE = 1 << 22  # numbers


def checked_epsilon(epsilon: Any) -> float:
    """Above 0; infinity is for what protects nobody."""
    value = _spending.number("epsilon", epsilon)
    if not value > 0:
        raise UsageError(f"epsilon must be above 0, got {value}")
    return value


def is_unprotected(
    epsilon: float, accountant: Optional[BudgetAccountant], mark: Optional[Mark]
) -> bool:
    """Whether nothing is protected; that is booked, and a warning says so."""
    if epsilon < float("inf"):
        return False
    Payment(accountant, None, mark).booked_whole(epsilon)
    warn("PRIVACY: NONE (epsilon inf: the exact result; it may reveal any record)")
    return True


class Sums:
    """One release of the sums of many vectors, each clipped to a norm: the sum of magnitudes."""

    def __init__(self, dimension: int, bound: float) -> None:
        self._sum = _engine.VectorSum(dimension, bound, True)
        self._dimension = dimension

    def add(self, count: int, vectors: Callable[[slice], Any]) -> Sums:
        """``vectors`` makes those of some of ``count`` records."""
        step = max(_AT_ONCE // self._dimension, 1)
        for begin in range(0, count, step):
            part = vectors(slice(begin, begin + step))
            self._sum.add(np.ascontiguousarray(part, dtype=np.float64))
        return self

    def release(
        self, epsilon: float, payment: Payment, random_state: Any
    ) -> Tuple[Any, float, Receipt]:
        """The sums with noise, its standard deviation, and the receipt; neighbours replace one
        record."""
        return released(self._sum.release, epsilon, payment, random_state)


def released(
    release: Callable[..., Any], epsilon: float, payment: Payment, random_state: Any
) -> Tuple[Any, float, Receipt]:
    """What the engine releases by a function of a guarantee and who pays; booked and noted."""
    asked = _engine.Guarantee(min(epsilon, MAX_EPSILON), 0.0, REPLACED)
    context = _spending.context(
        _spending.Paid(None, None, payment.budget, random_state), "record")
    values, deviation, words = release(asked, context)
    receipt = Receipt(words)
    payment.paid(receipt)
    return np.array(values), float(deviation), receipt


def pair_of(bounds: Any, what: str, count: int) -> Tuple[Any, Any]:
    """Lower and upper bounds of so many columns, which are public."""
    if bounds is None:
        raise GuaranteeError(
            f"{what} is missing: (lower, upper), which are public; diffprivlib takes them from the "
            "data, and the guarantee is lost")
    try:
        lower, upper = (np.broadcast_to(np.asarray(end, dtype=float), (count,)) for end in bounds)
    except (TypeError, ValueError):
        raise UsageError(
            f"{what} must be a pair (lower, upper), each one number or one per column") from None
    if not (np.isfinite(lower).all() and np.isfinite(upper).all() and (lower < upper).all()):
        raise UsageError(f"{what}: each lower bound must be below its upper one, both finite")
    return lower, upper


def norm_of(data_norm: Any, what: str) -> float:
    """The largest norm of a row, which is public."""
    if data_norm is None:
        raise GuaranteeError(
            f"data_norm is missing: the largest norm of {what}, which is public; diffprivlib takes it "
            "from the data, and the guarantee is lost")
    norm = _spending.number("data_norm", data_norm)
    if not 0 < norm < float("inf"):
        raise UsageError(f"data_norm must be above 0 and finite, got {norm}")
    return norm


def array_of(given: Any, dtype: Any = None) -> Any:
    """What NumPy makes of it; UsageError for the name of a file."""
    _records.expect_records(given)
    return np.asarray(given, dtype)


def places(array: Any, lower: Any, upper: Any) -> Any:
    """Where numbers lie between their bounds, from -1/2 to 1/2; NaN counts as the middle."""
    kept = (np.clip(array, lower, upper) - lower) / (upper - lower) - 0.5
    return np.nan_to_num(np.clip(kept, -0.5, 0.5), nan=0.0)


def squares(part: Any) -> Any:
    """The squares of such places, from -1/2 to 1/2 too: 4 (s^2 - 1/8)."""
    return 4 * (part * part - 0.125)


def moments(sums: Any, square_sums: Any, count: Any) -> Tuple[Any, Any]:
    """Mean and variance of places from the noisy sums of both."""
    mean = np.clip(sums / count, -0.5, 0.5)
    square = np.clip(square_sums / count, -0.5, 0.5) / 4 + 0.125
    return mean, np.clip(square - mean * mean, 0, 0.25)


def matrix_of(estimator: Any, X: Any) -> Any:
    """X as numbers, with scikit-learn's notes of its columns."""
    numbers = _records.numbers_of(X)
    if hasattr(numbers, "toarray"):
        raise DataError("X is sparse; give an array")
    _arguments.checked(_check_feature_names, estimator, X, reset=True)
    _arguments.checked(_check_n_features, estimator, numbers, reset=True)
    return numbers
