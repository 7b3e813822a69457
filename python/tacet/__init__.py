"""Training on sensitive records with proven differential privacy.

    import tacet
    model = tacet.LogisticRegression(epsilon=1, schema=tacet.Schema.load("s.toml")).fit(frame)
    print(model.receipt_.statement())
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from . import audit, errors, estimators, events, inference, local, schemas
    from ._loading import load
    from ._reading import Table, read_csv
    from .accounting import Account, account, calibrate, compose, curve, max_steps
    from .budgets import Budget, Ledger
    from .cluster import Parts
    from .embedding import WordVectors, embed
    from .errors import (
        BudgetError, DataError, Error, GuaranteeError, InternalError, IoError, NumericError,
        PrivacyWarning, UsageError)
    from .estimators import (
        HuberRegressor, LinearClassifier, LinearRegressor, LinearSVC, LogisticRegression,
        PoissonRegressor, QuantileRegressor, Ridge, public_evaluation)
    from .planning import Plan, plan, rates
    from .receipts import Receipt
    from .results import Result
    from .schemas import (
        Schema, binary, categorical, count, crossed, date, hashed, ids, ignored, multiclass, number,
        numbered, numeric, probability, text)
    from .splitting import split
    from .summaries import Quantile, Summary, describe, quantile
    from .tuning import tune
    from .verification import Verdict, verify
    from .wide import WideClassifier, WideRegressor

# Loaded on first use: scikit-learn alone takes a second.
_HOMES = {
    "_loading": ["load"],
    "_reading": ["Table", "read_csv"],
    "audit": [],
    "accounting": ["Account", "account", "calibrate", "compose", "curve", "max_steps"],
    "budgets": ["Budget", "Ledger"],
    "cluster": ["Parts"],
    "embedding": ["WordVectors", "embed"],
    "errors": ["BudgetError", "DataError", "Error", "GuaranteeError", "InternalError", "IoError",
               "NumericError", "PrivacyWarning", "UsageError"],
    "estimators": ["HuberRegressor", "LinearClassifier", "LinearRegressor", "LinearSVC",
                   "LogisticRegression", "PoissonRegressor", "QuantileRegressor", "Ridge",
                   "public_evaluation"],
    "events": [],
    "inference": [],
    "planning": ["Plan", "plan", "rates"],
    "local": [],
    "receipts": ["Receipt"],
    "results": ["Result"],
    "schemas": ["Schema", "binary", "categorical", "count", "crossed", "date", "hashed", "ids",
                "ignored", "multiclass", "number", "numbered", "numeric", "probability", "text"],
    "splitting": ["split"],
    "summaries": ["Quantile", "Summary", "describe", "quantile"],
    "tuning": ["tune"],
    "verification": ["Verdict", "verify"],
    "wide": ["WideClassifier", "WideRegressor"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("audit", "errors", "estimators", "events", "export", "inference", "local", "mlflow",
            "schemas")

__all__ = [
    "Account", "Budget", "BudgetError", "DataError", "Error", "GuaranteeError", "HuberRegressor",
    "InternalError", "IoError", "Ledger", "LinearClassifier", "LinearRegressor", "LinearSVC",
    "LogisticRegression", "NumericError", "Parts", "Plan", "PoissonRegressor", "PrivacyWarning", "Quantile",
    "QuantileRegressor", "Receipt", "Result", "Ridge", "Schema", "Summary", "Table", "UsageError",
    "Verdict", "WideClassifier", "WideRegressor", "WordVectors", "account", "audit", "binary", "calibrate",
    "categorical", "compose", "count", "crossed", "curve", "date", "describe", "embed", "errors",
    "estimators", "events", "export", "hashed", "ids", "ignored", "inference", "load", "local",
    "max_steps", "mlflow", "multiclass", "number", "numbered", "numeric", "plan", "probability",
    "public_evaluation", "quantile", "rates", "read_csv", "schemas", "split", "text", "tune",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _HOME_OF:
        return getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)
    if name == "__version__":
        from . import _engine

        return _engine.version
    raise AttributeError(f"module 'tacet' has no {name!r}")


def __dir__() -> List[str]:
    return sorted([*__all__, "__version__"])
