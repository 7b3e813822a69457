"""What functions that spend have in common: who pays, and where the noise comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _arguments, _engine
from ._blocks import Mark
from ._warn import warn
from .budgets import Budget, Ledger, paying_budget
from .errors import UsageError
from .schemas import Schema


def number(name: str, value: Any) -> float:
    """A number of the caller's."""
    if isinstance(value, bool) or value is None:
        raise UsageError(f"{name} must be a number, got {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise UsageError(f"{name} must be a number")


def count(name: str, value: Any) -> int:
    """A whole number of the caller's."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    raise UsageError(f"{name} must be a whole number, got {value!r}")


def optional_count(name: str, value: Any) -> Optional[int]:
    """The same, or None."""
    return None if value is None else count(name, value)


@dataclass(frozen=True)
class Paid:
    """How a function was told to pay."""

    ledger: Optional[Ledger]
    data_set: Optional[str]
    budget: Optional[Budget]
    random_state: Any
    mark: Optional[Mark] = None  # of the estimator whose method it is


def _budget(paid: Paid, unit: str) -> Optional[Budget]:
    if paid.budget is not None and paid.ledger is not None:
        raise UsageError("one run is paid once: give a budget or a ledger")
    return None if paid.ledger is not None else paying_budget(paid.budget, unit, paid.mark)


def payer(paid: Paid, unit: str) -> Any:
    """Who pays for one run that protects each ``unit``; None where nobody adds up."""
    budget = _budget(paid, unit)
    if paid.ledger is not None:
        return _engine.AccountPath(paid.ledger.path, paid.data_set or "")
    return None if budget is None else budget._held


def adjacency(given: Optional[str], usual: str, paid: Paid, unit: str) -> str:
    """The one that was given, else that of the budget that pays, which counts no other."""
    if given is not None:
        return given
    budget = _budget(paid, unit)
    return usual if budget is None else budget.adjacency


def delta(given: Optional[float], usual: float, paid: Paid, unit: str) -> float:
    """The one that was given; else none where the budget that pays has none."""
    if given is not None:
        return number("delta", given)
    budget = _budget(paid, unit)
    return 0.0 if budget is not None and budget.cap[1] == 0 else usual


def context(paid: Paid, unit: str, schema: Optional[Schema] = None) -> _engine.Context:
    """What pays for a run that protects each ``unit``, and its noise; ``schema`` names the data."""
    made = _engine.Context()
    who = payer(paid, unit)
    if who is not None:
        made.payer = who
    if paid.random_state is not None:
        if who is not None and paid.ledger is None:
            raise UsageError(
                "a seeded run protects nobody, so that no budget can pay for it: leave out "
                "random_state, or the budget")
        made.seed = _arguments.seed(paid.random_state)
        warn("PRIVACY: NONE (seeded noise; for tests and experiments only)")
    name = schema.name if schema is not None else ""
    sha256 = schema._sha256 if schema is not None else ""
    made.notes = _engine.Notes(data_set=paid.data_set or name, purpose="", contact="", date="",
                               schema_sha256=sha256)
    return made
