"""diffprivlib's accountant of what was spent."""

from __future__ import annotations

import decimal
import weakref
from typing import Any, ClassVar, Dict, Iterable, List, Optional, Sequence, Tuple

from ... import _blocks
from ..._blocks import Mark
from ...budgets import Budget as Held
from ...budgets import paying_budget
from ...errors import GuaranteeError, UsageError
from ...receipts import Receipt
from .utils import Budget

REPLACED = "replace_one"  # diffprivlib's neighbours, so that the number of records is public
_owners: "weakref.WeakKeyDictionary[Held, BudgetAccountant]" = weakref.WeakKeyDictionary()
_CONTEXT = decimal.Context(prec=15, rounding=decimal.ROUND_DOWN)


class BudgetAccountant:
    """What may be spent, by basic composition alone.

    ``receipts`` has the receipt of each release that it paid for.

    >>> from tacet.compat.diffprivlib.tools import mean
    >>> with BudgetAccountant(epsilon=2, delta=0) as accountant:
    ...     found = mean([0.25, 0.5] * 500, epsilon=0.5, bounds=(0, 1))
    >>> round(accountant.total().epsilon, 2), len(accountant)
    (0.5, 1)
    """

    _default: ClassVar[Optional[BudgetAccountant]] = None  # by set_default
    _unlimited: ClassVar[Optional[BudgetAccountant]] = None  # where nobody else pays

    def __init__(
        self, epsilon: float = float("inf"), delta: float = 1.0, slack: float = 0.0,
        spent_budget: Optional[Iterable[Tuple[float, float]]] = None
    ) -> None:
        if slack:
            raise GuaranteeError(
                "slack has no counterpart: epsilons add up here; a tacet.Ledger in the currency "
                "zcdp or gdp composes more tightly")
        self.epsilon = epsilon
        self.delta = delta
        self.slack = 0.0
        self.receipts: List[Receipt] = []
        self._spent: List[Budget] = []
        self._budget = Held(epsilon, min(delta, 1 - 1e-12), REPLACED)
        _owners[self._budget] = self
        for entry in spent_budget or ():
            self.spend(*entry)

    @property
    def spent_budget(self) -> List[Budget]:
        """What each call has spent; all that other estimators spent in its block is the last entry."""
        known = [sum(map(_decimal, entries), decimal.Decimal(0))
                 for entries in zip(*self._spent)] or [decimal.Decimal(0)] * 2
        rest = [max(float(_decimal(spent) - part), 0.0) if spent < float("inf") else 0.0
                for spent, part in zip(self._budget.spent, known)]
        return [*self._spent] + ([Budget(*rest)] if max(rest) > 1e-12 else [])

    def __len__(self) -> int:
        return len(self.spent_budget)

    def __repr__(self) -> str:
        return f"BudgetAccountant(epsilon={self.epsilon}, delta={self.delta})"

    def total(self) -> Budget:
        """Everything spent."""
        return Budget(*self._budget.spent)

    def remaining(self, k: int = 1) -> Budget:
        """What each of ``k`` further releases may cost."""
        return Budget(*(_share(cap, spent, k)
                        for cap, spent in zip((self.epsilon, self.delta), self._budget.spent)))

    def check(self, epsilon: float, delta: float) -> bool:
        """BudgetError where so much cannot be spent; nothing is spent."""
        self._budget._held.spend(*_price(epsilon, delta), False)
        return True

    def spend(self, epsilon: float, delta: float) -> BudgetAccountant:
        """Books what was released elsewhere, of which the price alone is known."""
        epsilon, delta = _price(epsilon, delta)
        self._budget._held.spend(epsilon, delta, True)
        self._spent.append(Budget(epsilon, delta))
        return self

    def set_default(self) -> BudgetAccountant:
        """It pays from now on, as in a block that ends with ``pop_default``."""
        self.pop_default()
        self._budget.__enter__()
        BudgetAccountant._default = self
        return self

    @staticmethod
    def pop_default() -> Optional[BudgetAccountant]:
        """Ends what ``set_default`` began; the accountant that was the default."""
        found = BudgetAccountant._default
        if found is not None:
            BudgetAccountant._default = None
            found._budget.__exit__()
        return found

    @staticmethod
    def load_default(accountant: Optional[BudgetAccountant]) -> BudgetAccountant:
        """This one, else that of the block or ``set_default``, else one without a cap."""
        if accountant is not None:
            return _checked(accountant)
        held = _blocks.paying(None)
        found = None if held is None else _owners.get(held)
        if found is not None:
            return found
        if BudgetAccountant._unlimited is None:
            BudgetAccountant._unlimited = BudgetAccountant()
        return BudgetAccountant._unlimited

    def __enter__(self) -> BudgetAccountant:
        self._budget.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._budget.__exit__(*error)

    def __deepcopy__(self, memo: Dict[int, Any]) -> BudgetAccountant:
        return self


class Payment:
    """Who pays for one call, which may release several times."""

    def __init__(
        self, accountant: Optional[BudgetAccountant], random_state: Any, mark: Optional[Mark]
    ) -> None:
        given = None if accountant is None else _checked(accountant)._budget
        self.budget = paying_budget(given, "record", mark)
        if self.budget is None and random_state is None:
            self.budget = BudgetAccountant.load_default(None)._budget
        if self.budget is not None and self.budget.adjacency != REPLACED:
            raise UsageError(
                f"the budget that pays is of {self.budget.adjacency} neighbours, and diffprivlib's "
                f"replace one record: Budget(adjacency={REPLACED!r}), or a BudgetAccountant")
        if self.budget is not None and random_state is not None:
            raise UsageError(
                "a seeded run protects nobody, so that no budget can pay for it: leave out "
                "random_state, or the accountant")

    def booked_whole(self, epsilon: float) -> Optional[Held]:
        """For several releases that cost ``epsilon`` together: all of it is booked now, before the
        first one, and what is given back pays for each; None where nobody adds up."""
        if self.budget is None:
            return None
        self.budget._held.spend(epsilon, 0.0, True)
        self._note(Budget(epsilon, 0.0))
        return Held(epsilon, 0.0, REPLACED)

    def paid(self, receipt: Receipt) -> None:
        """Notes what a release of ``budget`` has cost."""
        guarantee = receipt["guarantee"]
        self._note(Budget(guarantee["epsilon"], guarantee["delta"]))
        self.told([receipt])

    def told(self, receipts: Sequence[Receipt]) -> None:
        """Keeps receipts of what was booked before."""
        owner = self._owner()
        if owner is not None:
            owner.receipts.extend(receipts)

    def _note(self, cost: Budget) -> None:
        owner = self._owner()
        if owner is not None:
            owner._spent.append(cost)

    def _owner(self) -> Optional[BudgetAccountant]:
        return None if self.budget is None else _owners.get(self.budget)


def _checked(accountant: Any) -> BudgetAccountant:
    if not isinstance(accountant, BudgetAccountant):
        raise UsageError("accountant must be a BudgetAccountant of this module")
    return accountant


def _price(epsilon: float, delta: float) -> Tuple[float, float]:
    if not (epsilon >= 0 and 0 <= delta <= 1 and epsilon + delta > 0):
        raise UsageError("epsilon must be at least 0 and delta from 0 to 1, one of them above 0")
    return float(epsilon), float(delta)


def _decimal(value: float) -> decimal.Decimal:
    return decimal.Decimal(repr(float(value)))


def _share(cap: float, spent: float, k: int) -> float:
    """A k-th part of what is left, which k further releases can really spend."""
    if k < 1:
        raise UsageError("k is a number of releases, at least 1")
    left = _decimal(cap) if cap == float("inf") else _decimal(cap) - _decimal(spent)
    return max(float(_CONTEXT.divide(left, decimal.Decimal(k))), 0.0)
