"""Who pays for a fit, where its noise comes from, and what its receipt says in words."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional

import numpy as np

from . import _arguments, _declared, _engine
from ._blocks import Mark
from ._warn import warn
from .budgets import Ledger, paying_budget
from .errors import GuaranteeError, UsageError
from .schemas import Schema


def check(params: Dict[str, Any]) -> None:
    """Before a record is read."""
    ledger, budget = params["ledger"], params["budget"]
    if budget is not None and ledger is not None:
        raise UsageError("one training is paid once: give a budget or a ledger")
    if ledger is not None and not isinstance(ledger, Ledger):
        raise UsageError("ledger must be a tacet.Ledger")
    if params["data_set"] is not None and not isinstance(params["data_set"], str):
        raise UsageError("data_set must be a text, the name of an account")
    _arguments.thread_count(params["threads"], params.get("n_jobs"))
    spool_of(params.get("spool"))
    if isinstance(params["epsilon"], bool) or not isinstance(
            params["epsilon"], (int, float, np.integer, np.floating)):
        raise UsageError("epsilon must be a number")
    if params["random_state"] is not None:
        _arguments.check_seed(params["random_state"])


def resolved(params: Dict[str, Any], mark: Optional[Mark]) -> Dict[str, Any]:
    """The arguments, and what was not given and follows from the budget that pays: its adjacency,
    which it counts alone, and no delta where it has none."""
    if params["ledger"] is not None:
        return params
    unit = None if params["schema"] is None else params["schema"].unit
    budget = paying_budget(params["budget"], unit or "record", mark)
    if budget is None:
        return params
    params = dict(params)
    if params["delta"] is None and budget.cap[1] == 0:
        params["delta"] = 0
    if params["adjacency"] is None:
        params["adjacency"] = budget.adjacency
    return params


@contextmanager
def explained(given: Dict[str, Any], used: Dict[str, Any]) -> Iterator[None]:
    """An error inside says which arguments were those of the budget."""
    taken = [name for name in ("adjacency", "delta") if given[name] is None
             and used[name] is not None]
    try:
        yield
    except (UsageError, GuaranteeError) as error:
        if not taken:
            raise
        words = "; ".join(f"{name} is {used[name]} here, that of the budget that pays, and "
                          f"Budget({name}=) makes one with another" for name in taken)
        raise type(error)(f"{error}; {words}") from None


def spool_of(folder: Any) -> str:
    """A folder as the engine takes it; empty for none."""
    if folder is None:
        return ""
    if not isinstance(folder, (str, os.PathLike)) or not os.fspath(folder):
        raise UsageError("spool must be the path of a folder")
    return os.fsdecode(folder)


def context_of(schema: Schema, params: Dict[str, Any], mark: Optional[Mark]) -> _engine.Context:
    """Of a fit by that schema."""
    context = _engine.Context()
    context.threads = _arguments.thread_count(params["threads"], params.get("n_jobs"))
    context.spool = spool_of(params.get("spool"))
    ledger = params["ledger"]
    seeded = params["random_state"] is not None
    if ledger is not None:
        context.payer = _engine.AccountPath(ledger.path, params["data_set"] or "")
    else:
        budget = paying_budget(params["budget"], schema.unit or "record", mark)
        if budget is not None and seeded:
            raise UsageError(
                "a seeded run protects nobody, so that no budget can pay for it: leave out "
                "random_state, or the budget")
        if budget is not None:
            context.payer = budget._held
    if seeded:
        context.seed = _arguments.seed(params["random_state"])
        warn("PRIVACY: NONE (seeded noise; for tests and experiments only)")
    if np.isinf(params["epsilon"]):
        warn("PRIVACY: NONE (epsilon inf: trained without noise; the model may reveal any record)")
    observed = [name for name in ("public_row_count", "classes")
                if isinstance(params[name], str) and params[name] == _declared.OBSERVED]
    purpose = f"declared public by the owner: {', '.join(observed)}" if observed else ""
    context.notes = _engine.Notes(data_set=params["data_set"] or schema.name, purpose=purpose,
                                contact="", date="", schema_sha256=schema._sha256)
    return context
