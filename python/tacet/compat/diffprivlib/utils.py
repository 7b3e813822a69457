"""What diffprivlib's users import beside models and tools."""

from __future__ import annotations

from typing import NamedTuple

from sklearn.utils import check_random_state

from ...errors import BudgetError, PrivacyWarning

__all__ = ["Budget", "BudgetError", "DiffprivlibCompatibilityWarning", "PrivacyLeakWarning",
           "check_random_state"]

PrivacyLeakWarning = PrivacyWarning


class DiffprivlibCompatibilityWarning(Warning):
    """For programs that filter it. Nothing here warns with it.

    >>> issubclass(DiffprivlibCompatibilityWarning, Warning)
    True
    """


class Budget(NamedTuple):
    """Epsilon and delta.

    >>> Budget(1, 0)
    (epsilon=1, delta=0)
    """

    epsilon: float
    delta: float

    def __repr__(self) -> str:
        return f"(epsilon={self.epsilon}, delta={self.delta})"
