"""Reports and what notebooks show: made by the engine, of results and the account alone."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _engine
from ._warn import warn
from .errors import Error, GuaranteeError, UsageError

Paths = Union[str, "os.PathLike[str]"]
Named = List[Tuple[str, bytes]]
Account = Optional[Tuple[str, str]]


def write(path: Paths, results: Named, account: Account, commands: List[Tuple[str, str]],
          only: Sequence[str], overwrite: bool) -> None:
    """The page in a file. GuaranteeError, when it is written, where a guarantee does not follow."""
    told(_engine.report_file(os.fspath(path), overwrite, results, account, commands, names(only)))


def names(only: Sequence[str]) -> List[str]:
    """Sections; a text is one of them."""
    return [only] if isinstance(only, str) else list(only)


def told(outcome: Tuple[str, str]) -> None:
    """Tells the banner of a page that was written, and what does not follow."""
    banner, refuted = outcome
    if refuted:
        raise GuaranteeError(refuted)
    if banner:
        warn(banner)


def numbers(results: Named, account: Account, *only: str) -> Dict[str, Any]:
    """What ``tacet report --json`` prints."""
    found: Dict[str, Any] = json.loads(_engine.report_shown(results, account, list(only))[1])
    return found


def shown(results: Named, account: Account, *only: str) -> str:
    """For a notebook: HTML whose style holds for itself alone. Where nothing can be computed that
    is said, and nothing is promised."""
    try:
        return _engine.report_shown(results, account, list(only))[0]
    except Error as error:
        return refused(error)


def refused(error: Error) -> str:
    return f"<p>There is no report: {html.escape(str(error))}</p>"


def table(rows: Sequence[Tuple[str, Any]]) -> str:
    """Names and values of JSON, for a notebook."""
    cells = "".join(f"<tr><th>{html.escape(str(name))}</th><td>{_words(value)}</td></tr>"
                    for name, value in rows)
    return f"<table>{cells}</table>"


def _words(value: Any) -> str:
    return html.escape(value if isinstance(value, str) else json.dumps(value))


def account_of(ledger: Any, data_set: str) -> Account:
    """What a report reads of a ledger."""
    from .budgets import Ledger  # which shows reports

    if ledger is None:
        if data_set:
            raise UsageError("data_set names an account of a ledger; give both")
        return None
    if not isinstance(ledger, Ledger):
        raise UsageError("ledger must be a tacet.Ledger")
    return ledger.path, data_set


def commands_of(ledger: Any) -> List[Tuple[str, str]]:
    """How a reader with Python computes the account again."""
    if ledger is None:
        return []
    return [("The account, run by run:", f"{ledger!r}.show()"),
            ("Whether the ledger is whole:", f"{ledger!r}.verify()")]


class Reports:
    """What gives models and results ``report``."""

    __slots__ = ()

    def _reported(self) -> Tuple[str, bytes]:
        """What it is called in a report, and the text of its file."""
        raise NotImplementedError

    def report(self, path: Paths, *, results: Sequence[Any] = (), ledger: Any = None,
               data_set: str = "", only: Sequence[str] = (), overwrite: bool = False) -> None:
        """Writes one HTML page: what is promised, what the model says, what it cost.

        It is the page of ``tacet report``: it loads nothing, runs no script and is made of results
        and the ledger alone. Guarantees are computed again; where one does not follow the page says
        so, and GuaranteeError is raised when it is written.

        Parameters
        ----------
        path : path
            The file, written whole or not at all.
        results : sequence
            More results of the same records, which are accounted together: models, evaluations,
            summaries, quantiles.
        ledger, data_set : Ledger, str
            The account of the records, and its name where the ledger has several.
        only : sequence of str
            Sections: "promise", "model", "metrics", "cost", "epsilon", "budget", "summary",
            "check". By default all.
        overwrite : bool
            Whether a file that exists is replaced.
        """
        named: Named = []
        for one in (self, *results):
            if not isinstance(one, Reports):
                raise UsageError(f"results must be models or results with a receipt, got a "
                                 f"{type(one).__name__}")
            name, words = one._reported()
            again = sum(known.split(" ")[0] == name for known, _ in named)
            named.append((f"{name} {again + 1}" if again else name, words))
        write(path, named, account_of(ledger, data_set), commands_of(ledger), only, overwrite)
