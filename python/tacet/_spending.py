"""What functions that spend have in common: who pays, and where the noise comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _arguments, _engine
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


def payer(
    ledger: Optional[Ledger], data_set: Optional[str], budget: Optional[Budget], unit: str
) -> Any:
    """Who pays for one run that protects each ``unit``; None where nobody adds up."""
    if budget is not None and ledger is not None:
        raise UsageError("one run is paid once: give a budget or a ledger")
    if ledger is not None:
        return _engine.LedgerAccount(ledger.path, data_set or "")
    budget = paying_budget(budget, unit)
    return None if budget is None else budget._held


@dataclass(frozen=True)
class Paid:
    """How a function was told to pay."""

    ledger: Optional[Ledger]
    data_set: Optional[str]
    budget: Optional[Budget]
    random_state: Any


def means(paid: Paid, unit: str, schema: Optional[Schema] = None) -> _engine.Means:
    """What pays for a run that protects each ``unit``, and its noise; ``schema`` names the data."""
    made = _engine.Means()
    who = payer(paid.ledger, paid.data_set, paid.budget, unit)
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
