"""Private answers about tables: quantiles of a column, and a summary of all of them."""

from __future__ import annotations

from typing import Any, Optional

from . import _engine, _spending, _tables
from ._door import door
from .budgets import Budget, Ledger
from .errors import UsageError
from .results import Result
from .schemas import Schema


class Summary(Result):
    """A table in noisy numbers: ``records``, and of each of ``columns`` quartiles and shares.

    >>> Summary('{"records": 8990, "columns": []}').records
    8990
    """


class Quantile(Result):
    """One number, ``value``; for a column of dates also ``date``.

    >>> float(Quantile('{"value": 41.5}'))
    41.5
    """

    def __float__(self) -> float:
        return float(self["value"])


@door
def describe(
    data: Any,
    *,
    schema: Schema,
    epsilon: float,
    delta: float = 1e-6,
    adjacency: str = "add_remove",
    records_a_unit: int = 1,
    ledger: Optional[Ledger] = None,
    data_set: Optional[str] = None,
    budget: Optional[Budget] = None,
    random_state: Any = None,
) -> Summary:
    """A private summary of all columns: how many records, what is missing, quartiles, shares.

    Parameters
    ----------
    data : frame, Arrow table, mapping, array or path
        One record a row, with the schema's columns; or a CSV file.
    schema : Schema
        Its columns, bounds and categories are those of the summary.
    epsilon, delta : float
        Of the whole summary; ``delta=0`` keeps it pure.
    adjacency : str
        "add_remove", "zero_out" or "replace_one".
    records_a_unit : int
        How many of a unit's records count, chosen by a secret coin; noise grows with it.
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
    asked = _engine.Guarantee(_spending.number("epsilon", epsilon),
                              _spending.number("delta", delta), adjacency)
    records = _spending.count("records_a_unit", records_a_unit)
    if records != 1 and schema.unit is None:
        raise UsageError("records_a_unit needs a schema with a unit column")
    table = _tables.of_schema(data, schema, whole=ledger is not None)
    paid = _spending.Paid(ledger, data_set, budget, random_state)
    means = _spending.means(paid, schema.unit or "record", schema)
    return Summary(_engine.describe(schema._engine, table, asked, records, means))


@door
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
    adjacency: str = "replace_one",
    ledger: Optional[Ledger] = None,
    data_set: Optional[str] = None,
    budget: Optional[Budget] = None,
    random_state: Any = None,
) -> Quantile:
    """A private quantile of one column, exactly epsilon-differentially private.

    Parameters
    ----------
    data : frame, Arrow table, mapping, array or path
        One record a row, with the schema's columns; or a CSV file.
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
    adjacency : str
        "replace_one", "zero_out" or "add_remove".
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
    asked.adjacency = adjacency
    table = _tables.of_schema(data, schema, whole=ledger is not None)
    means = _spending.means(_spending.Paid(ledger, data_set, budget, random_state), "record",
                            schema)
    return Quantile(_engine.quantile(schema._engine, table, asked, means))
