"""Private answers about tables: quantiles of a column, and a summary of all of them."""

from __future__ import annotations

from typing import Any, Optional

from . import _engine, _spending, _tables
from ._boundary import boundary
from .budgets import Budget, Ledger
from .errors import UsageError
from .results import Result
from .schemas import Schema


class Summary(Result):
    """A table in noisy numbers: ``records``, and of each of ``columns`` quartiles and shares.

    >>> Summary('{"records": 8990, "columns": []}').records
    8990
    """

    __slots__ = ()


class Quantile(Result):
    """One number, ``value``; for a column of dates also ``date``.

    >>> float(Quantile('{"value": 41.5}'))
    41.5
    """

    __slots__ = ()

    def __float__(self) -> float:
        return float(self["value"])


@boundary
def describe(
    data: Any,
    *,
    schema: Schema,
    epsilon: float,
    delta: Optional[float] = None,
    adjacency: Optional[str] = None,
    max_records_per_unit: int = 1,
    ledger: Optional[Ledger] = None,
    data_set: Optional[str] = None,
    budget: Optional[Budget] = None,
    random_state: Any = None,
) -> Summary:
    """A private summary of all columns: how many records, what is missing, quartiles, shares.

    Parameters
    ----------
    data : frame, Arrow table or stream, mapping, array or path
        One record per row, with the schema's columns; or a CSV file.
    schema : Schema
        Its columns, bounds and categories are those of the summary.
    epsilon, delta : float
        Of the whole summary; ``delta=0`` keeps it pure. Delta is 1e-6, or 0 where a budget pays
        that has none.
    adjacency : str, optional
        "add_remove", "zero_out" or "replace_one"; that of the budget that pays, else add_remove.
    max_records_per_unit : int
        How many of a unit's records count, chosen by a secret random draw; noise grows with it.
    ledger, data_set, budget, random_state
        Who pays, and a seed, as of estimators.

    Returns
    -------
    Summary
        As ``tacet describe --json`` prints it.

    Examples
    --------
    >>> import numpy as np, tacet
    >>> people = {"age": np.arange(5000) % 60 + 20, "town": ["Rome", "Oslo"] * 2500}
    >>> schema = tacet.Schema([tacet.numeric("age", 0, 100),
    ...                        tacet.categorical("town", ["Rome", "Oslo"])])
    >>> found = describe(people, schema=schema, epsilon=2)
    >>> 4500 < found.records < 5500, 40 < found.columns[0]["quartiles"][1] < 60
    (True, True)
    """
    _tables.checked(schema)
    paid = _spending.Paid(ledger, data_set, budget, random_state)
    unit = schema.unit or "record"
    asked = _engine.Guarantee(_spending.number("epsilon", epsilon),
                              _spending.delta(delta, 1e-6, paid, unit),
                              _spending.adjacency(adjacency, "add_remove", paid, unit))
    records = _spending.count("max_records_per_unit", max_records_per_unit)
    if records != 1 and schema.unit is None:
        raise UsageError("max_records_per_unit needs a schema with a unit column")
    passes = "once" if schema.unit is None else "several"  # the first one draws units' records
    table = _tables.of_schema(data, schema, whole=ledger is not None, passes=passes)
    context = _spending.context(paid, unit, schema)
    return Summary(_engine.describe(schema._engine, table, asked, records, context))


@boundary
def quantile(
    data: Any,
    column: str,
    *,
    schema: Schema,
    epsilon: float,
    q: float = 0.5,
    lower: Optional[float] = None,
    upper: Optional[float] = None,
    step: Optional[float] = None,
    adjacency: Optional[str] = None,
    ledger: Optional[Ledger] = None,
    data_set: Optional[str] = None,
    budget: Optional[Budget] = None,
    random_state: Any = None,
) -> Quantile:
    """A private quantile of one column, exactly epsilon-differentially private.

    Parameters
    ----------
    data : frame, Arrow table or stream, mapping, array or path
        One record per row, with the schema's columns; or a CSV file.
    column : str
        A numeric column, or the numeric target.
    schema : Schema
        Gives the bounds, which are public.
    epsilon : float
        Bound on the privacy loss.
    q : float
        0 the smallest value, 0.5 the median, 1 the largest value.
    lower, upper, step : float, optional
        Of the possible answers: the schema's bounds, and 2 ** -40 of their distance, a day for
        dates.
    adjacency : str, optional
        "replace_one", "zero_out" or "add_remove"; that of the budget that pays, else replace_one.
    ledger, data_set, budget, random_state
        Who pays, and a seed, as of estimators.

    Returns
    -------
    Quantile
        As ``tacet quantile --json`` prints it; ``float()`` makes the number of it.

    Examples
    --------
    >>> import numpy as np, tacet
    >>> people = {"age": np.arange(5000) % 60 + 20}
    >>> schema = tacet.Schema([tacet.numeric("age", 0, 100)])
    >>> 45 < float(quantile(people, "age", schema=schema, epsilon=1)) < 54
    True
    """
    _tables.checked(schema)
    asked = _engine.Ranking()
    asked.column = column
    asked.level = _spending.number("q", q)
    asked.lower = None if lower is None else _spending.number("lower", lower)
    asked.upper = None if upper is None else _spending.number("upper", upper)
    asked.step = None if step is None else _spending.number("step", step)
    asked.epsilon = _spending.number("epsilon", epsilon)
    paid = _spending.Paid(ledger, data_set, budget, random_state)
    asked.adjacency = _spending.adjacency(adjacency, "replace_one", paid, "record")
    table = _tables.of_schema(data, schema, whole=ledger is not None, passes="once")
    context = _spending.context(paid, "record", schema)
    return Quantile(_engine.quantile(schema._engine, table, asked, context))
