"""Regressions whose coefficients have intervals: sampling error and privacy noise together.

In the manner of statsmodels:

    found = tacet.inference.Logit("died ~ age + sex + age:sex", frame, schema=schema, epsilon=1).fit()
    print(found.summary())

What is estimated, how well intervals hold and when not to use it: docs/explanations/inference.md.
"""

from __future__ import annotations

from typing import Any, ClassVar, Dict, List, Optional, Tuple

from . import _arguments, _declared, _engine, _paying, _records, _statsmodels, _warn
from ._boundary import boundary
from ._reading import warn_of_words
from ._regression_results import RegressionResults, load
from .budgets import Budget, Ledger
from .errors import UsageError
from .planning import Plan
from .schemas import Schema

__all__ = ["OLS", "Logit", "Poisson", "RegressionResults", "load"]


def __getattr__(name: str) -> Any:
    raise AttributeError(_statsmodels.missing_model(name))


class _Regression:
    """What the three have in common."""

    _kind: ClassVar[str] = ""

    @boundary
    def __init__(
        self,
        formula: str,
        data: Any,
        *,
        schema: Schema,
        epsilon: float,
        delta: Optional[float] = None,
        adjacency: Optional[str] = None,
        public_row_count: Any = None,
        reach: Optional[float] = None,
        errors: Optional[str] = None,
        count_cut: Optional[int] = None,
        budget: Optional[Budget] = None,
        ledger: Optional[Ledger] = None,
        data_set: Optional[str] = None,
        random_state: Optional[int] = None,
        threads: Optional[int] = None,
        **others: Any,
    ) -> None:
        _statsmodels.check_model(others)
        _records.expect_records(data)
        if not isinstance(schema, Schema):
            raise UsageError("schema must be a tacet.Schema; Schema.load(path) reads a file")
        self._terms = _terms_of(formula)
        self._data = data
        params: Dict[str, Any] = {
            "schema": schema, "epsilon": epsilon, "delta": delta, "adjacency": adjacency,
            "public_row_count": public_row_count, "reach": reach, "errors": errors,
            "count_cut": count_cut, "budget": budget, "ledger": ledger, "data_set": data_set,
            "random_state": random_state, "threads": threads, "classes": None}
        _paying.check(params)
        self._params = params
        self._expect_kind(schema)

    def _expect_kind(self, schema: Schema) -> None:
        if schema.target is None:
            raise UsageError("a regression needs a target, and the schema names none: give it target=")
        found = schema._engine.regression_kind
        if found != self._kind:
            raise UsageError(
                f"{type(self).__name__} is for {_TARGETS[self._kind]}; the schema's target is "
                f"{_TARGETS.get(found, 'none of those that have a table')}")

    def _planned(self) -> Tuple[_engine.Plan, Dict[str, Any]]:
        params = _paying.resolved(self._params, None)
        names = ["epsilon", "delta", "adjacency", *_engine.table_parameters()]
        values = {name: _arguments.option(params[name.replace("-", "_")]) for name in names
                  if params.get(name.replace("-", "_")) is not None}
        values["method"] = "inference"
        values["terms"] = self._terms
        count = params["public_row_count"]
        if count == _declared.OBSERVED:
            if params["schema"].unit is not None:
                raise UsageError("the schema protects units, and their number is not the number "
                                 "of rows: give public_row_count as a number")
            _declared.declares("public_row_count", "the number of records is")
            count = _records.length(self._data)
        if count is not None:
            values["public-row-count"] = _arguments.option(count)
        with _paying.explained(self._params, params):
            return _engine.plan(params["schema"]._engine, values), params

    @boundary
    def plan(self) -> Plan:
        """What ``fit`` would do and cost, from public facts alone: no record is read.

        Among it ``expected_width``, of an interval over that without privacy, and
        ``relative_noise``: above 0.3 nothing is fitted, above 0.15 some coefficients may come out
        as not identified.
        """
        return Plan(self._planned()[0].text())

    @classmethod
    def from_formula(cls, formula: str, data: Any, **options: Any) -> Any:
        """The same as the class itself, as statsmodels spells it."""
        return cls(formula, data, **options)

    @boundary
    def fit(self, **options: Any) -> RegressionResults:
        """Fits, and books what it costs.

        What the noise would hide is refused before a record is read, with the number of records and
        the epsilon that it takes. Of statsmodels' options ``disp`` is taken, and changes nothing.
        """
        _statsmodels.check_fit(options)
        plan, params = self._planned()
        schema = params["schema"]
        warn_of_words(schema, self._data)
        wanted: List[str] = [*schema.columns]
        wanted += [name for name in (schema.target, schema.unit)
                   if name is not None and name not in wanted]
        rows = _records.table_rows(self._data, schema.columns, wanted, {}, schema._engine.dates,
                                   params["ledger"] is not None)
        context = _paying.context_of(schema, params, None)
        found = RegressionResults(_engine.fit(plan, rows, context, None))
        if found.near_limit:
            _warn.warn_only(found._model.near_limit_text, UserWarning)
        return found


class OLS(_Regression):
    """Least squares of a number.

    Parameters
    ----------
    formula : str
        ``"y ~ age + sex + age:sex"`` in the words of R and statsmodels; ``"y ~ ."`` has all columns
        of the schema. Categories are compared with their reference, the schema's ``reference`` or
        its first one; records that lack a value of the formula take no part.
    data : frame, Arrow table or mapping of columns
        The records.
    schema : Schema
        Bounds, categories and the target.
    epsilon, delta, adjacency, public_row_count, budget, ledger, data_set, random_state, threads
        As of every estimator.
    reach : float, optional
        Rows whose whitened square is above this times the columns weigh less; 3 to 8 by default. A
        larger one is nearer to the plain estimate and noisier.
    errors : {"any", "symmetric"}, optional
        ``"symmetric"`` where you know it of the errors: the intercept is then stated with a narrow
        cut too.

    Examples
    --------
    >>> import numpy as np, tacet
    >>> place = np.arange(5000)  # of invented records
    >>> x = place * 379 % 1000 / 100
    >>> table = {"x": x, "y": 3 + 2 * x + (place * 811 % 997 / 997 - 0.5) * 3}
    >>> schema = tacet.Schema([tacet.numeric("x", 0, 10)], target=tacet.number("y", 0, 30),
    ...                       public_row_count=5000)
    >>> found = OLS("y ~ x", table, schema=schema, epsilon=2).fit()
    >>> bool(1.9 < found.params["x"] < 2.1), bool(found.bse["x"] < 0.05)
    (True, True)
    """

    _kind: ClassVar[str] = "linear"


class Logit(_Regression):
    """The logistic model of two classes; the arguments are those of :class:`OLS`.

    Coefficients are log odds; ``odds_ratios()`` has their exponentials with both ends.
    """

    _kind: ClassVar[str] = "logistic"


class Poisson(_Regression):
    """EXPERIMENTAL: Poisson's model of counts; the arguments are those of :class:`OLS`.

    Where counts vary more than Poisson's law says, intervals that promise 95 of 100 were seen to
    hold 91 to 96, and single ones 83. ``count_cut`` counts larger ones as this one, for counts
    that do follow the law: for others intervals hold 78 to 95.
    """

    _kind: ClassVar[str] = "poisson"


_TARGETS = {"linear": "a number", "logistic": "two classes", "poisson": "a count"}


def _terms_of(formula: Any) -> str:
    if not isinstance(formula, str):
        raise UsageError("the first argument is a formula as 'y ~ age + sex', the second a table with "
                         "these columns: arrays have no names, and so no bounds in the schema")
    if "~" not in formula:
        raise UsageError("formula must be a text as 'y ~ age + sex'")
    return formula
