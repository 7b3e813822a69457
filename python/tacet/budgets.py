"""Who pays: a budget in memory, or a ledger, which is a file."""

from __future__ import annotations

import contextvars
import os
import threading
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _engine
from .errors import UsageError

Paths = Union[str, "os.PathLike[str]"]
_Stack = Tuple["Budget", ...]
_own: "contextvars.ContextVar[_Stack]" = contextvars.ContextVar("tacet_budgets", default=())
# Open blocks with the threads that opened them, for threads without one.
_everywhere: List[Tuple[int, "Budget"]] = []
_lock = threading.Lock()
_sent_from_a_block = False  # to this process, in which the budget of that block cannot be spent


class Budget:
    """What may be spent until the process ends: epsilons add, and deltas.

    It protects ``privacy_unit``, "record" or the schema's unit column. Copies share it, also those
    that scikit-learn makes, so that a grid search stops at the cap. It cannot be pickled: another
    process would spend it again.

    >>> budget = Budget(epsilon=3, delta=1e-6)
    >>> budget.spent
    (0.0, 0.0)
    """

    def __init__(
        self,
        epsilon: float,
        delta: float = 0.0,
        adjacency: str = "add_remove",
        privacy_unit: str = "record",
    ) -> None:
        self._held = _engine.Budget(epsilon, delta, adjacency)
        self.cap = (float(epsilon), float(delta))
        self.adjacency = adjacency
        self.privacy_unit = privacy_unit

    @property
    def spent(self) -> Tuple[float, float]:
        """Epsilon and delta of everything booked."""
        return self._held.spent

    def __enter__(self) -> Budget:
        _own.set((*_own.get(), self))
        with _lock:
            _everywhere.append((threading.get_ident(), self))
        return self

    def __exit__(self, *error: object) -> None:
        _own.set(_without_last(_own.get(), self))
        with _lock:
            found = [k for k, (_, budget) in enumerate(_everywhere) if budget is self]
            here = [k for k in found if _everywhere[k][0] == threading.get_ident()]
            del _everywhere[(here or found)[-1]]

    def __copy__(self) -> Budget:
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> Budget:
        return self

    def __reduce__(self) -> Any:
        raise UsageError(
            "a budget in memory cannot go to another process, which would spend it again; use a "
            "tacet.Ledger, which processes share")

    def __repr__(self) -> str:
        epsilon, delta = self.spent
        return f"<tacet.Budget: epsilon {epsilon:g} of {self.cap[0]:g}, delta {delta:g} of " \
               f"{self.cap[1]:g} spent, {self.adjacency}>"


def _without_last(stack: _Stack, budget: Budget) -> _Stack:
    places = [k for k, entry in enumerate(stack) if entry is budget]
    return stack[: places[-1]] + stack[places[-1] + 1:] if places else stack


def current_budget() -> Optional[Budget]:
    """The budget of the innermost open block of this thread; of a thread without one that of the
    only thread which has some, since it works for that one."""
    own = _own.get()
    if own:
        return own[-1]
    with _lock:
        owners = {thread for thread, _ in _everywhere}
        if len(owners) < 2:
            return _everywhere[-1][1] if _everywhere else None
    raise UsageError(
        "several threads have opened budgets, and this one, which has none, may work for each of "
        "them: open the block in the thread that trains, or give budget=")


def paying_budget(budget: Optional[Budget], unit: str) -> Optional[Budget]:
    """The budget that pays for one run that protects each ``unit``: this one, or that of the open
    block. None where nobody adds up."""
    if budget is not None and not isinstance(budget, Budget):
        raise UsageError("budget must be a tacet.Budget")
    if budget is None:
        budget = current_budget()
    if budget is None:
        if _sent_from_a_block:
            raise UsageError(
                "this process was sent work from a block with a budget, which cannot be spent "
                "here: use a tacet.Ledger, which processes share, or another process for unpaid "
                "work")
        return None
    if budget.privacy_unit != unit:
        raise UsageError(
            f"the budget protects each {budget.privacy_unit}, this run each {unit}; epsilons of "
            "different units do not add up: Budget(privacy_unit=)")
    return budget


class Travels:
    """What is pickled while a block is open marks the process that it arrives in: nobody would pay
    there from the block's budget. The mark stays, since copies of copies do not carry one."""

    def __getstate__(self) -> Dict[str, Any]:
        made: Any = super().__getstate__()
        state: Dict[str, Any] = {} if made is None else made
        return state if current_budget() is None else {**state, "_block": os.getpid()}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        global _sent_from_a_block
        state = dict(state)
        if state.pop("_block", os.getpid()) != os.getpid():
            _sent_from_a_block = True
        super().__setstate__(state)  # type: ignore[misc]


class Ledger:
    """The account of what was spent on data sets: a file that outlives processes, which share it.

    >>> import tempfile
    >>> ledger = Ledger.create(os.path.join(tempfile.mkdtemp(), "budget.ledger"))
    >>> ledger.enrol("people", epsilon=3, delta=1e-6)
    >>> [account["data_set"] for account in ledger.show()]
    ['people']
    """

    def __init__(self, path: Paths) -> None:
        self.path = os.path.abspath(os.fspath(path))

    @classmethod
    def create(cls, path: Paths) -> Ledger:
        """Makes a new file, readable by its owner only."""
        ledger = cls(path)
        _engine.ledger_create(ledger.path)
        return ledger

    def enrol(
        self,
        data_set: str,
        *,
        cap: Optional[float] = None,
        epsilon: Optional[float] = None,
        delta: float = 0.0,
        currency: str = "basic",
        order: float = 0.0,
        adjacency: str = "add_remove",
        privacy_unit: str = "record",
    ) -> None:
        """A new account, with a cap in its currency or the largest that promises a guarantee."""
        limit = _engine.cap(currency=currency, cap=cap, epsilon=epsilon, delta=delta, order=order)
        _engine.ledger_enrol(self.path, data_set, adjacency, privacy_unit, limit)

    def show(self) -> List[Dict[str, Any]]:
        """All accounts: cap, spent, left, and every run."""
        return _engine.ledger_accounts(self.path)

    def verify(self) -> Tuple[int, str]:
        """Checks that no row was changed; their number, and the hash of the last one."""
        return _engine.ledger_verify(self.path)

    def cap(
        self,
        data_set: str = "",
        *,
        cap: Optional[float] = None,
        epsilon: Optional[float] = None,
        delta: float = 0.0,
        reason: str = "",
    ) -> None:
        """Lowers the cap; raises it only with a reason, which the ledger keeps."""
        _engine.ledger_set_cap(self.path, data_set, cap=cap, epsilon=epsilon, delta=delta,
                               reason=reason)

    def resolve(self, run: int, attestation: str) -> None:
        """Gives back what a run had booked that died and released nothing, on a person's word."""
        _engine.ledger_resolve(self.path, run, attestation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"tacet.Ledger({self.path!r})"
