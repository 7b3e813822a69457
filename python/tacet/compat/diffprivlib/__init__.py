"""diffprivlib 0.6 by its names and signatures, on this engine.

    import tacet.compat.diffprivlib as dp  # was: import diffprivlib as dp

What differs in the guarantee, and what is not here, says docs/how-to/from-diffprivlib.md. Where
diffprivlib takes bounds from the data and warns, these refuse.
"""

from __future__ import annotations

from typing import Any

from . import models, tools, utils
from .accountant import BudgetAccountant
from .models import (
    PCA,
    GaussianNB,
    LinearRegression,
    LogisticRegression,
    StandardScaler,
)

__all__ = ["BudgetAccountant", "GaussianNB", "LinearRegression", "LogisticRegression", "PCA",
           "StandardScaler", "models", "tools", "utils"]


def __getattr__(name: str) -> Any:
    if name == "mechanisms":
        raise ImportError(
            "diffprivlib's mechanisms take a sensitivity on trust, and nothing here does: tools and "
            "models clip what they sum, and tacet.account says what an event costs")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
