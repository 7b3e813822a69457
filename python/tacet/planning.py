"""What would be done and what it costs, from public facts alone."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Self, Sequence, Tuple, Union

from . import _arguments, _engine, _plots, _reports, _tables
from ._reports import Paths
from .errors import Error, UsageError
from .results import Result
from .schemas import Schema

_NAMES = [entry["name"] for wide in (False, True) for entry in _engine.parameters(wide)]
_PARAMETERS = {name.replace("-", "_"): name
               for name in ("model", *_NAMES, *_engine.table_parameters())}
_AROUND = (0.25, 0.5, 1, 2, 4)  # as the program compares a plan with others
Numbers = Union[float, Sequence[float]]


class Plan(Result):
    """Method, guarantee, settings, events, and the reasons for them.

    >>> import tacet
    >>> tacet.plan(tacet.schemas.adult(), epsilon=1).adjacency
    'add_remove'
    """

    __slots__ = ("_asked",)
    _asked: Optional[Tuple[Schema, Dict[str, str]]]

    def __new__(cls, words: str, schema: Optional[Schema] = None,
                values: Optional[Dict[str, str]] = None) -> Self:
        made = super().__new__(cls, words)
        object.__setattr__(made, "_asked", None if schema is None else (schema, dict(values or {})))
        return made

    def __reduce__(self) -> Any:
        return type(self), (self._words, *(self._asked or ()))

    def _question(self, epsilons: Optional[Sequence[float]]) -> _engine.AskedPlan:
        if self._asked is None:
            raise UsageError("this plan has no schema to plan by again: tacet.plan makes one that "
                             "can be reported")
        schema, values = self._asked
        around = [float(values["epsilon"]) * step for step in _AROUND] if "epsilon" in values else []
        return _engine.AskedPlan(schema._engine, values,
                                 around if epsilons is None else [float(one) for one in epsilons])

    def report(  # type: ignore[override]
            self, path: Paths, *, epsilons: Optional[Sequence[float]] = None,
            only: Sequence[str] = (), overwrite: bool = False) -> None:
        """Writes one HTML page, before anything is spent: what the plan promises, and what it and
        other epsilons buy. No record is read.

        Parameters
        ----------
        path : path
            The file, written whole or not at all.
        epsilons : sequence of float
            Those that are compared; by default from a quarter to four times the plan's own.
        only : sequence of str
            Sections, as of ``tacet report --plan``.
        overwrite : bool
            Whether a file that exists is replaced.
        """
        _reports.told(_engine.plan_file(os.fspath(path), overwrite, self._question(epsilons),
                                        _reports.names(only)))

    def plot(self, ax: Any = None, *, epsilons: Optional[Sequence[float]] = None) -> Any:
        """Privacy's noise in the coefficient of a usual column at each epsilon, drawn with
        matplotlib, on axes that may be given; the axes."""
        shown: Dict[str, Any] = json.loads(
            _engine.plan_shown(self._question(epsilons), ["promise", "buys"])[1])
        return _plots.draw_plan(shown, ax)

    def _repr_html_(self) -> str:
        if self._asked is None:
            return super()._repr_html_()
        try:
            return _engine.plan_shown(self._question([]), ["promise", "cost"])[0]
        except Error as error:
            return _reports.refused(error)


def plan(
    schema: Schema,
    *,
    epsilon: Optional[float] = None,
    total_epsilon: Optional[float] = None,
    **options: Any,
) -> Plan:
    """What a training by this schema would do and cost: no record is read.

    Parameters
    ----------
    schema : Schema
        With its target.
    epsilon : float
        Of the training.
    total_epsilon : float
        Instead of it: what the training and the fit of the schema spend together.
    **options
        The other arguments of estimators that are options of ``tacet train``: delta, adjacency,
        public_row_count, method, loss, steps and so on; ``model="wide"`` is for those of wide ones.

    Returns
    -------
    Plan
        As ``tacet plan --json`` prints it.

    Examples
    --------
    >>> import tacet
    >>> found = plan(tacet.schemas.adult(), epsilon=1, method="gradient", steps=100)
    >>> found.method, found.steps, found.epsilon <= 1
    ('gradient', 100, True)
    """
    values = options_of("plan", epsilon, total_epsilon, options)
    return Plan(_engine.plan(_tables.checked(schema)._engine, values).text(), schema, values)


def options_of(function: str, epsilon: Any, total_epsilon: Any,
               options: Mapping[str, Any]) -> Dict[str, str]:
    """A training that is asked for, by the names of the program."""
    if (epsilon is None) == (total_epsilon is None):
        raise UsageError("give one of epsilon and total_epsilon")
    values = {"epsilon" if total_epsilon is None else "total-epsilon":
              _arguments.option(epsilon if total_epsilon is None else total_epsilon)}
    for name, value in options.items():
        if name not in _PARAMETERS:
            raise UsageError(f"{function} has no option {name!r}")
        if value is not None:
            values[_PARAMETERS[name]] = _arguments.option(value)
    return values


def rates(
    rows: Numbers,
    columns: Numbers,
    *,
    rank: Optional[Numbers] = None,
    radius: Numbers = 1.0,
    epsilon: Numbers = 1.0,
    row_norm: float = 1.0,
    label_bound: float = 1.0,
    curvature: float = 1.0,
    slope: float = 1.0,
) -> List[Dict[str, Any]]:
    """How fast errors of private linear models fall, as published by Arora et al. (2022).

    With constants 1 and without logarithms: how the excess risk changes with each number, not how
    large it will be. ``lower`` is what no private algorithm beats.

    Parameters
    ----------
    rows, columns, rank, radius, epsilon : number or list of numbers
        Records, columns, rank of the records' second moments (by default all columns), norm of the
        best weights, privacy parameter. Every combination is a line.
    row_norm, label_bound, curvature, slope : float
        Bounds of a record's norm, of the labels, of a smooth loss's curvature and of a Lipschitz
        loss's slope.

    Returns
    -------
    list of dict
        As ``tacet rates --json`` prints it; ``pandas.json_normalize`` makes a table of it.

    Examples
    --------
    >>> small, large = rates([1e3, 1e6], 50, rank=5)
    >>> small["smooth"]["lower"] > large["smooth"]["lower"]
    True
    """
    lists = [_positive("rows", rows), _positive("columns", columns),
             [] if rank is None else _positive("rank", rank), _positive("radius", radius),
             _positive("epsilon", epsilon)]
    if not lists[0] or not lists[1]:
        raise UsageError("rows and columns are numbers, or lists of at least one")
    bounds = [_positive(name, value)[0] for name, value in (
        ("row_norm", row_norm), ("label_bound", label_bound), ("curvature", curvature),
        ("slope", slope))]
    found: List[Dict[str, Any]] = json.loads(_engine.rates(lists, *bounds))
    return found


def _positive(name: str, values: Any) -> List[float]:
    from . import _spending

    several = values if hasattr(values, "__iter__") and not isinstance(values, str) else [values]
    numbers = [_spending.number(name, value) for value in several]
    for number in numbers:
        if not 0 < number < float("inf"):
            raise UsageError(f"{name} must be a finite number above 0, got {number}")
    return numbers
