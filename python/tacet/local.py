"""Learning from people who trust nobody: tried out on records at hand, and a device's own part."""

from __future__ import annotations

from typing import Any, Callable, Optional

from . import _arguments, _engine, _records, _spending
from ._boundary import boundary, of_the_caller
from .budgets import Budget, Ledger
from .devices import Client, Participation, Policy, Reply, Transport
from .errors import UsageError
from .estimators import LinearClassifier, LinearRegressor, LogisticRegression
from .schemas import Schema

__all__ = ["Client", "Participation", "Policy", "Reply", "Transport", "simulate"]

_PARAMETERS = {name.replace("-", "_"): name for name in _engine.local_parameters()}


@boundary
def simulate(
    X: Any,
    y: Any = None,
    *,
    schema: Schema,
    epsilon: float,
    ledger: Optional[Ledger] = None,
    data_set: Optional[str] = None,
    budget: Optional[Budget] = None,
    random_state: Any = None,
    callback: Optional[Callable[[str, int, int], object]] = None,
    **options: Any,
) -> Any:
    """Trains as if each record were a device that sends one private report.

    Each computes the gradient of its own record, clips it and makes it private before it leaves, so
    that the guarantee holds against everybody, the server too.

    Parameters
    ----------
    X : frame, Arrow table, mapping of columns, array or sparse matrix
        Records as estimators take them.
    y : array, optional
        Their targets; may be left out where ``X`` is a table that has the column.
    schema : Schema
        What is public, the number of devices among it.
    epsilon : float
        Of all that one device sends.
    ledger, data_set, budget, random_state, callback
        As those of estimators. Neighbours are those of replace_one, which a budget that pays has
        to count: ``Budget(epsilon, adjacency="replace_one")``.
    **options
        The other options of ``tacet local simulate``: mechanism, loss, clipping_norm, batch_size,
        step_size, radius and so on.

    Returns
    -------
    estimator
        Fitted, as ``tacet.load`` would read it.

    Examples
    --------
    >>> import numpy as np, tacet
    >>> X, y = np.array([[0.1], [0.9]] * 2000), np.array([0, 1] * 2000)
    >>> schema = tacet.Schema(features=tacet.numbered(1, 0, 1), public_row_count=4000,
    ...                       target=tacet.binary(None, positive="1", negative="0"))
    >>> model = simulate(X, y, schema=schema, epsilon=8, batch_size=100)
    >>> model.receipt_.algorithm, model.receipt_.guarantee["adjacency"]
    ('banco', 'replace_one')
    """
    _records.expect_records(X)
    if not isinstance(schema, Schema):
        raise UsageError("schema must be a tacet.Schema; Schema.load(path) reads a file")
    values = {"epsilon": _arguments.option(_spending.number("epsilon", epsilon))}
    for name, value in options.items():
        if name not in _PARAMETERS or name == "epsilon":
            raise UsageError(f"local.simulate has no option {name!r}")
        if value is not None:
            values[_PARAMETERS[name]] = _arguments.option(value)
    family: Any = LinearClassifier if schema.classes else LinearRegressor
    reader = family(schema=schema, epsilon=1, public_row_count=1)  # which it is not trained by
    _, rows, _ = reader._prepared(X, y, None, reader.get_params(deep=False))
    context = _spending.context(_spending.Paid(ledger, data_set, budget, random_state),
                            schema.unit or "record", schema)
    model = _engine.local_simulate(schema._engine, rows, values, context, of_the_caller(callback))
    if model.has_probabilities:
        family = LogisticRegression
    trained = family(schema=schema, loss=model.loss if schema.classes else None)
    trained.__dict__.update(
        {name: value for name, value in vars(reader).items() if name.endswith("_")})
    trained._model = model
    return trained
