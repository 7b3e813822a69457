"""Attacks on claims of privacy: on releases, and on a training that was planned. No data are read.

A bound above the claim refutes it. A bound below it proves nothing: it calls nothing safe.
"""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Optional, Self, Tuple

from . import _arguments, _engine, _plots, _spending, _tables
from ._reports import Paths
from ._warn import warn
from .errors import UsageError
from .planning import options_of
from .results import Result
from .schemas import Schema

__all__ = ["Audit", "list", "run", "train"]

_Callback = Callable[[str, int, int], object]


class Audit(Result):
    """What an attack has shown: ``epsilon_at_least``, ``claimed_epsilon``, ``refuted``, ``p_value``
    and the rest, as ``tacet audit run --json`` prints it.

    >>> import tacet
    >>> found = tacet.audit.run("laplace", epsilon=1, trials=3000)
    >>> found.refuted, found.epsilon_at_least < found.claimed_epsilon
    (False, True)
    """

    __slots__ = ("_page",)
    _page: str

    def __new__(cls, words: str, page: str = "") -> Self:
        made = super().__new__(cls, words)
        object.__setattr__(made, "_page", page)
        return made

    def __reduce__(self) -> Any:
        return type(self), (self._words, self._page)

    def report(self, path: Paths, *, overwrite: bool = False) -> None:  # type: ignore[override]
        """Writes one HTML page: the claimed trade-off curve, and the points that were measured.

        Parameters
        ----------
        path : path
            The file.
        overwrite : bool
            Whether a file that exists is replaced.
        """
        _engine.write_page(os.fspath(path), overwrite, self._page)

    def plot(self, ax: Any = None) -> Any:
        """The claimed trade-off curve and the points that were measured, drawn with matplotlib, on
        axes that may be given; the axes."""
        return _plots.draw_audit(dict(self), ax)


def list() -> List[Dict[str, Any]]:
    """The attacks that :func:`run` knows.

    Returns
    -------
    list of dict
        As ``tacet audit list --json`` prints it: ``name``, ``what`` is attacked, under which
        adjacencies it is ``pure`` and has a proof ``with_delta``, and how many ``trials`` are usual.

    Examples
    --------
    >>> import tacet
    >>> tacet.audit.list()[0]["name"]
    'gaussian'
    """
    found: List[Dict[str, Any]] = json.loads(_engine.audits())
    return found


def run(
    name: str,
    *,
    epsilon: float = 1,
    delta: Optional[float] = None,
    adjacency: Optional[str] = None,
    trials: Optional[int] = None,
    confidence: float = 1 - 1e-6,
    audit_seed: int = 0,
    threads: Optional[int] = None,
    n_jobs: Optional[int] = None,
    callback: Optional[_Callback] = None,
) -> Audit:
    """Attacks one kind of release, to prove its epsilon wrong.

    Runs the release on two neighbouring data sets that are made up, and tells them apart by what it
    shows.

    Parameters
    ----------
    name : str
        One of :func:`list`.
    epsilon, delta, adjacency
        What the release claims. By default epsilon 1, delta 0 for what is pure and else 1e-5, and
        the first adjacency that it has.
    trials : int
        Runs on each of both data sets; by default what :func:`list` says.
    confidence : float
        Of the measured bound: a correct claim is refuted with a probability of at most one minus it.
    audit_seed : int
        Where the randomness comes from: one seed, one result, on any number of threads.
    threads, n_jobs : int
        Threads; by default as many as the machine has.
    callback : callable
        ``callback(phase, done, total)``, called ten times a second at most.

    Returns
    -------
    Audit
        A refuted claim is warned of, with what to report.

    Examples
    --------
    >>> import tacet
    >>> tacet.audit.run("gaussian", epsilon=2, delta=1e-6, trials=3000).pair
    'a sum of nothing, and of one record at its bound'
    """
    asked = _asked(trials, confidence, audit_seed, threads, n_jobs)
    return _told(_engine.audit_run(
        str(name), _spending.number("epsilon", epsilon),
        None if delta is None else _spending.number("delta", delta),
        None if adjacency is None else str(adjacency), asked, callback))


def train(
    schema: Schema,
    *,
    epsilon: float,
    trials: Optional[int] = None,
    confidence: float = 1 - 1e-6,
    audit_seed: int = 0,
    n_jobs: Optional[int] = None,
    callback: Optional[_Callback] = None,
    **options: Any,
) -> Audit:
    """Attacks a planned training, to prove its epsilon wrong.

    Runs the training itself on records that are made up, in the shape of the schema, with and
    without a worst-case record. Books nothing.

    Parameters
    ----------
    schema : Schema
        With its target.
    epsilon : float
        Of the training.
    trials, confidence, audit_seed, n_jobs, callback
        As of :func:`run`; by default 1000 trials.
    **options
        As of :func:`tacet.plan`.

    Returns
    -------
    Audit
        A refuted claim is warned of, with what to report.

    Examples
    --------
    >>> import tacet
    >>> schema = tacet.Schema(features=tacet.numbered(1, 0, 1), public_row_count=8,
    ...                       target=tacet.binary(None, positive="1", negative="0"))
    >>> found = tacet.audit.train(schema, epsilon=1, delta=1e-5, method="gradient", steps=2,
    ...                           trials=300)
    >>> found.audit, found.refuted
    ('gradient', False)
    """
    values = options_of("audit.train", epsilon, None, options)
    asked = _asked(trials, confidence, audit_seed, options.get("threads"), n_jobs)
    return _told(_engine.audit_train(_tables.checked(schema)._engine, values, asked, callback))


def _asked(trials: Any, confidence: Any, seed: Any, threads: Any, n_jobs: Any) -> Any:
    asked = _engine.AuditOptions()
    asked.trials = _spending.optional_count("trials", trials)
    asked.confidence = _spending.number("confidence", confidence)
    number = _spending.count("audit_seed", seed)
    if not 0 <= number < 2**64:
        raise UsageError(f"audit_seed must be from 0 to 2**64 - 1, got {number}")
    asked.seed = number
    asked.threads = _arguments.thread_count(threads, n_jobs)
    return asked


def _told(shown: Tuple[str, str, str]) -> Audit:
    words, page, fault = shown
    if fault:
        warn(fault)
    return Audit(words, page)
