"""Who pays: a budget in memory, or a ledger, which is a file."""

from __future__ import annotations

import os
import secrets
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _blocks, _engine, _plots, _reports
from ._blocks import Mark
from .errors import UsageError

Paths = Union[str, "os.PathLike[str]"]


_MAX_SHOWN = 5  # accounts in a notebook


class Budget:
    """What may be spent until the process ends: epsilons add, and deltas, as the decimals that they
    are written as.

    It protects ``privacy_unit``, "record" or the schema's unit column. Copies share it, also those
    that scikit-learn makes, so that a grid search stops at the cap. It cannot be pickled: another
    process would spend it again.

    ``with budget:`` pays for what is trained in the block, and for what is submitted in it and
    starts later. An estimator that was made or used in a block belongs to it: the budget pays for
    it after the block, too, within its cap, and where it cannot pay (another process) the
    estimator trains nothing. A fitted schema is paid for once. A run whose adjacency is not given
    takes the budget's; where delta is not given and the budget has none, delta is 0.

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
        self._cap = (float(epsilon), float(delta))
        self._adjacency = adjacency
        self._privacy_unit = privacy_unit
        self._token = secrets.token_hex(16)
        _blocks.known(self)

    @property
    def cap(self) -> Tuple[float, float]:
        """Epsilon and delta that may be spent."""
        return self._cap

    @property
    def adjacency(self) -> str:
        """Which data sets are neighbours."""
        return self._adjacency

    @property
    def privacy_unit(self) -> str:
        """Who is protected: "record", or a unit column."""
        return self._privacy_unit

    @property
    def spent(self) -> Tuple[float, float]:
        """Epsilon and delta of everything booked."""
        return self._held.spent

    def __enter__(self) -> Budget:
        _blocks.enter(self)
        return self

    def __exit__(self, *error: object) -> None:
        _blocks.leave(self)

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


def paying_budget(budget: Optional[Budget], unit: str, mark: Optional[Mark]) -> Optional[Budget]:
    """The budget that pays for one run that protects each ``unit``: this one, or that of the block
    that the run belongs to. None where nobody adds up."""
    if budget is not None and not isinstance(budget, Budget):
        raise UsageError("budget must be a tacet.Budget")
    if budget is None:
        budget = _blocks.paying(mark)
    if budget is None:
        return None
    if budget.privacy_unit != unit:
        raise UsageError(
            f"the budget protects each {budget.privacy_unit}, this run each {unit}; epsilons of "
            "different units do not add up: Budget(privacy_unit=)")
    return budget


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
        """Adds an account for a data set, with a cap that no run can pass.

        Give the cap as ``epsilon`` and ``delta``, or as a number of the currency.

        Parameters
        ----------
        data_set : str
            Name of the account. Runs name it as ``data_set`` if the ledger has several.
        cap : float, optional
            Instead of ``epsilon``: the largest sum. It is rho for "zcdp", mu for "gdp", the Renyi
            bound for "rdp", else epsilon.
        epsilon, delta : float
            What all runs together may cost. ``delta`` is 0 for a "pure" account.
        currency : str
            How costs add up: "basic" adds epsilons and deltas. "gdp" and "zcdp" let more Gaussian
            runs fit under the same cap. "rdp" suits sampled batches, "pure" is for delta 0.
        order : float
            Renyi order of an "rdp" account, above 1.
        adjacency : str
            "add_remove", "zero_out" or "replace_one".
        privacy_unit : str
            "record", or the unit column of the schemas, if a person has several records.
        """
        limit = _engine.cap(currency=currency, cap=cap, epsilon=epsilon, delta=delta, order=order)
        _engine.ledger_enrol(self.path, data_set, adjacency, privacy_unit, limit)

    def show(self) -> List[Dict[str, Any]]:
        """All accounts: cap, spent, left, and every run.

        A dict for each account. ``cap``, ``spent`` and ``left`` have a ``value`` in the account's
        currency (mu squared for "gdp"), a ``delta``, and both in ``words``. ``runs`` lists what was
        booked, each with the number that ``resolve`` takes.
        """
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

    def report(self, path: Paths, data_set: str = "", *, only: Sequence[str] = (),
               overwrite: bool = False) -> None:
        """Writes one HTML page about an account, that of ``tacet report --ledger``: what is
        promised, spent and left, and every run. ``data_set`` is its name where there are several;
        ``only`` names sections: "promise", "budget", "check"."""
        _reports.write(path, [], (self.path, data_set), _reports.commands_of(self), only, overwrite)

    def plot(self, data_set: str = "", ax: Any = None) -> Any:
        """What was spent, run by run, below the cap: drawn with matplotlib, on axes that may be
        given; the axes."""
        return _plots.draw_budget(
            _reports.numbers([], (self.path, data_set), "promise", "budget"), ax)

    def _repr_html_(self) -> str:
        names = [account["data_set"] for account in self.show()]
        shown = [_reports.shown([], (self.path, name), "promise", "budget")
                 for name in names[:_MAX_SHOWN]]
        if len(names) > _MAX_SHOWN:
            shown.append(f"<p>And {len(names) - _MAX_SHOWN} accounts more.</p>")
        return "\n".join(shown) or "<p>A ledger without accounts.</p>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"tacet.Ledger({self.path!r})"
