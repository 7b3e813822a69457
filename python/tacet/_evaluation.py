"""The noisy evaluation of estimators."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Union

from sklearn.base import is_regressor

from . import _arguments, _engine, _paying, _records, _spending, _streams
from ._blocks import belonging, mark_of
from ._boundary import of_the_caller
from .budgets import Budget, Ledger
from .cluster import Asked, Parts
from .errors import DataError, UsageError
from .results import Result
from .schemas import Schema

Folder = Union[str, "os.PathLike[str]"]


class Evaluation(Result):
    """Noisy figures, each with the standard deviation of its noise, and what they cost."""

    __slots__ = ()


class Evaluates:
    """What gives estimators ``evaluate``."""

    @belonging
    def evaluate(
        self: Any,
        X: Any,
        y: Any = None,
        *,
        epsilon: float,
        delta: Optional[float] = None,
        adjacency: Optional[str] = None,
        public_row_count: Optional[int] = None,
        loss_cap: Optional[float] = None,
        threshold: Optional[float] = None,
        by: str = "",
        units: Any = None,
        ledger: Optional[Ledger] = None,
        data_set: Optional[str] = None,
        budget: Optional[Budget] = None,
        random_state: Any = None,
        spool: Optional[Folder] = None,
        callback: Optional[Callable[[str, int, int], object]] = None,
    ) -> Evaluation:
        """How well the model predicts private records: figures with noise, which are booked.

        Unlike ``score``, whose exact answer tells about the records, this one is private. What it
        costs adds to whatever else was released about the same people.

        Parameters
        ----------
        X : array, sparse matrix, frame, Arrow table or stream, or tacet.Parts
            Records as ``fit`` takes them.
        y : array, optional
            Their targets; may be left out where ``X`` is a table that has the column.
        epsilon : float
            Bound on the privacy loss of all figures together.
        delta : float, optional
            By default the largest power of ten below 1 / public_row_count ** 1.1.
        adjacency : str, optional
            "add_remove", "zero_out" or "replace_one"; that of the budget that pays, else
            add_remove.
        public_row_count : int, optional
            The number of these records, where it is public.
        loss_cap : float, optional
            Losses above it count as it; not for several classes.
        threshold : float, optional
            Of two classes the positive one is predicted above this probability.
        by : str
            Also the figures of each group: a column whose categories the schema lists.
        units : array, optional
            Values of the schema's unit column, if ``X`` does not have it.
        ledger, data_set, budget, random_state, callback
            As those of the estimator; what was given there does not pay for this.
        spool : path, optional
            The folder of a file for encoded records; by default that of the estimator.

        Returns
        -------
        Evaluation
            What ``tacet evaluate --json`` prints. Of classes: accuracy, majority share and, for up
            to ten classes, ``confusion`` and ``by_class``. Of two classes also ``auc`` and
            ``brier_score`` with intervals, and ``calibration`` by tenths. Of numbers: errors and
            R2. A figure that the noise drowns is None.

        Examples
        --------
        >>> import numpy as np, tacet
        >>> X, y = np.array([[0.1], [0.9]] * 500), np.array(["no", "yes"] * 500)
        >>> model = tacet.LogisticRegression(epsilon=1, bounds=(0, 1), classes=["no", "yes"],
        ...                                  public_row_count=1000).fit(X, y)
        >>> found = model.evaluate(X, y, epsilon=1, delta=1e-6)
        >>> abs(found["accuracy"]["value"] - 1) < 0.2
        True
        """
        self = self._as_fitted()
        asked = _engine.Evaluating()
        asked.epsilon = _spending.number("epsilon", epsilon)
        asked.delta = None if delta is None else _spending.number("delta", delta)
        schema = Schema._of(self._model.schema)
        unit = schema.unit or "record"
        paid = _spending.Paid(ledger, data_set, budget, random_state, mark_of(self))
        asked.adjacency = _spending.adjacency(adjacency, "add_remove", paid, unit)
        asked.public_row_count = _spending.optional_count("public_row_count", public_row_count)
        asked.loss_cap = None if loss_cap is None else _spending.number("loss_cap", loss_cap)
        asked.threshold = None if threshold is None else _spending.number("threshold", threshold)
        asked.by = by
        if isinstance(X, Parts):
            _check_parts(X, y, units, schema, paid)
            context = _spending.context(paid, unit, schema)
            with Asked(X) as over:
                return Evaluation(_engine.evaluate_parts(
                    self._model, over.engine, asked, context, of_the_caller(callback)))
        rows = _rows(self, schema, X, y, units, ledger is not None)
        context = _spending.context(paid, unit, schema)
        context.spool = _paying.spool_of(
            self.get_params(deep=False).get("spool") if spool is None else spool)
        return Evaluation(_engine.evaluate(
            self._model, rows, asked, context, of_the_caller(callback)))


def _check_parts(X: Parts, y: Any, units: Any, schema: Schema, paid: _spending.Paid) -> None:
    """What is wrong with an evaluation over parts before anybody is asked."""
    if y is not None or units is not None:
        raise UsageError("records in parts bring their targets and units along; leave y and units "
                         "out")
    if schema.unit != X.whole:
        raise UsageError(f"the schema's unit is {schema.unit or 'a single record'}: say "
                         "tacet.Parts(whole=) with its column, if each unit lies in one part")
    if paid.ledger is not None and not paid.data_set:
        raise UsageError("data_set is missing: name the account that pays")


def _rows(
    estimator: Any, schema: Schema, X: Any, y: Any, units: Any, whole: bool
) -> _engine.Rows:
    """Records with their targets, as ``fit`` would read them."""
    numbered = schema._engine.feature_count is not None
    _records.expect_records(X)
    X = _streams.opened(X)
    _streams.expect_alone(X, y=y, units=units)
    _arguments.expect_columns(y=y, units=units)
    if numbered or estimator._bounded:
        X = estimator._numbers(X, None, reset=False)
    if y is None and numbered:
        raise UsageError("requires y to be passed, but the target y is None")
    if y is not None:
        y = _arguments.one_column(y)
        if is_regressor(estimator):
            y = estimator._checked_target(y, estimator.get_params(deep=False))
    for name, beside in (("y", y), ("units", units)):
        if beside is not None and _arguments.length(X) != _arguments.length(beside):
            raise DataError(f"X and {name} are of different lengths")
    rows: _engine.Rows = estimator._rows(schema, X, y, units, whole)
    return rows
