"""Regressions whose coefficients have intervals: sampling error and privacy noise together.

In the manner of statsmodels:

    found = tacet.inference.Logit("died ~ age + sex + age:sex", frame, schema=schema, epsilon=1).fit()
    print(found.summary())

What is estimated, how well intervals hold and when not to use it: docs/explanations/inference.md.
"""

from __future__ import annotations

import json
import os
from typing import Any, ClassVar, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import (_arguments, _declared, _engine, _paying, _plots, _records, _reports,
               _statsmodels, _warn)
from ._boundary import boundary
from ._reading import warn_of_words
from ._reports import Reports
from ._statsmodels import number as _number
from .budgets import Budget, Ledger
from .errors import UsageError
from .planning import Plan
from .receipts import Receipt
from .schemas import Schema

__all__ = ["OLS", "Logit", "Poisson", "RegressionResults", "load"]


def __getattr__(name: str) -> Any:
    raise AttributeError(_statsmodels.missing_model(name))


_LINE = "{:<24} {:>11} {:>10} {:>9} {:>9} {:>11} {:>11} {:>8}"


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
        if not isinstance(schema, Schema):
            raise UsageError("schema must be a tacet.Schema; Schema.load(path) reads a file")
        self._terms = _terms_of(formula, schema)
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
        if self._terms:
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
    def fit(self, **options: Any) -> "RegressionResults":
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
            _warn.warn_only(_NEAR_LIMIT, UserWarning)
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
    hold 90. ``count_cut`` counts larger ones as this one, for counts that do follow it.
    """

    _kind: ClassVar[str] = "poisson"


_TARGETS = {"linear": "a number", "logistic": "two classes", "poisson": "a count"}


def _terms_of(formula: Any, schema: Schema) -> str:
    if not isinstance(formula, str):
        raise UsageError("the first argument is a formula as 'y ~ age + sex', the second a table with "
                         "these columns: arrays have no names, and so no bounds in the schema")
    if "~" not in formula:
        raise UsageError("formula must be a text as 'y ~ age + sex'")
    left, _, right = map(str.strip, formula.partition("~"))
    if left and left.strip("`") != schema.target:
        raise UsageError(f"the formula is about '{left}', but the schema's target is "
                         f"'{schema.target}'")
    if not right:
        raise UsageError("the formula has no terms; 'y ~ .' has all columns of the schema")
    return "" if right == "." else right


class RegressionResults(Reports):
    """A table of coefficients with intervals, in the manner of statsmodels.

    Numbers are pandas' Series and DataFrames by the coefficients' names; where pandas is not
    installed they are dicts and an array. What statsmodels has beside these says why it is missing.
    What the noise hides has NaN for its numbers: "not identified at this budget".
    """

    def __init__(self, model: _engine.Model) -> None:
        self._model = model

    def _table(self, alpha: float = 0.05, contrasts: Sequence[str] = ()) -> Dict[str, Any]:
        if not 0 < alpha < 1:
            raise UsageError(f"alpha must be between 0 and 1, got {alpha}: 0.05 is for intervals of 95 %")
        words = self._model.table(1 - alpha, list(contrasts))
        if words is None:
            raise UsageError("the model is no table of coefficients; method inference leaves one")
        found: Dict[str, Any] = json.loads(words, parse_float=lambda word: float(word) + 0.0)
        return found

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(_statsmodels.missing(name))

    def __reduce__(self) -> Any:
        return _from_bytes, (self._model.to_bytes(None),)

    def _names(self) -> List[str]:
        return [line["name"] for line in self._table()["coefficients"]]

    def _of(self, key: str) -> Any:
        return _statsmodels.vector(
            {line["name"]: _number(line[key]) for line in self._table()["coefficients"]})

    @property
    def params(self) -> Any:
        """The coefficients by name, in the units of the data."""
        return self._of("estimate")

    @property
    def bse(self) -> Any:
        """Standard errors: sampling and privacy noise together."""
        return self._of("standard_error")

    @property
    def tvalues(self) -> Any:
        """Coefficients over their standard errors."""
        return self._of("t")

    @property
    def pvalues(self) -> Any:
        """Of the two-sided test that a coefficient is 0."""
        return self._of("p")

    @property
    def pvalues_holm(self) -> Any:
        """The same, of all slopes together, corrected by Holm."""
        return self._of("p_holm")

    @property
    def noise_widened(self) -> Any:
        """By which share privacy noise made each interval wider."""
        return self._of("widened_by_noise")

    @property
    def df_denom(self) -> Any:
        """Degrees of freedom of each coefficient's t law: noise blurs its standard error too."""
        return self._of("degrees_of_freedom")

    @property
    def df_model(self) -> int:
        """How many slopes there are."""
        return len(self._names()) - 1

    @property
    def rsquared(self) -> float:
        """R2 of a number; NaN of other targets and where a slope is not identified."""
        return _number(self._table().get("r_squared"))

    @property
    def converged(self) -> bool:
        """False where the fit of two classes did not get to its end: then nothing is identified."""
        return bool(self._table()["converged"])

    @property
    def near_limit(self) -> bool:
        """True where a fit of two classes may not have got to its end: a class is very rare, or a
        column decides it nearly alone. Then intervals hold less often than they say."""
        return bool(self._table()["near_limit"])

    @property
    def nobs(self) -> int:
        """The declared number of records; how many took part is as private as a record."""
        return int(self._table()["rows"])

    @boundary
    def row_weights(self) -> Tuple[Any, float]:
        """What says which rows were weighted down: a matrix S, in the order of ``params``, and a
        bound. A row x, with a 1 for the intercept, weighs ``min(1, bound / (x @ S @ x))``."""
        table = self._table()
        return np.array(table["row_shape"]), table["reach"] * len(table["coefficients"])

    @boundary
    def conf_int(self, alpha: float = 0.05) -> Any:
        """Both ends of the intervals, which hold in 1 - alpha of all runs: columns 0 and 1."""
        return _statsmodels.rows(
            {line["name"]: (_number(line["low"]), _number(line["high"]))
             for line in self._table(alpha)["coefficients"]}, (0, 1))

    @boundary
    def odds_ratios(self, alpha: float = 0.05) -> Any:
        """exp of a coefficient and of both ends: odds ratios of classes, rate ratios of counts."""
        table = self._table(alpha)
        if table["kind"] == "linear":
            raise UsageError("odds and rates are of classes and counts; a number has neither")
        keys = ("ratio", "ratio_low", "ratio_high")
        return _statsmodels.rows(
            {line["name"]: tuple(_number(line[key]) for key in keys)
             for line in table["coefficients"]}, ("ratio", "low", "high"))

    @boundary
    def cov_params(self) -> Any:
        """The covariance of the coefficients' errors, in the order of ``params``."""
        matrix = np.array([[_number(value) for value in row] for row in self._table()["covariance"]])
        return _statsmodels.square(matrix, self._names())

    @boundary
    def t_test(self, r_matrix: Any, alpha: float = 0.05) -> Any:
        """A combination of coefficients: ``"ward=2 - ward=3"``, ``"ward=2 = ward=3"``,
        ``"age = 0.1"``, or numbers in the order of ``params``. Several, as in ``"age = 0, bmi = 0"``
        or of an array of two dimensions, give a list. They are tested one by one.

        The result has ``effect``, ``sd``, ``tvalue``, ``pvalue`` and ``conf_int()``, and is a dict
        of what the model file says."""
        wanted = _statsmodels.hypotheses(r_matrix, self._names())
        # One at a time: that one follows from the others is no fault here.
        lines = [self._table(alpha, [text])["contrasts"][0] for text, _ in wanted]
        found = [_statsmodels.compared(line, value) for line, (_, value) in zip(lines, wanted)]
        return found[0] if len(found) == 1 else found

    @boundary
    def f_test(self, r_matrix: Any) -> _statsmodels.JointTest:
        """That several combinations hold together, given as to ``t_test``: Wald's test by the law of
        F. Not of counts. The result has ``fvalue``, ``pvalue``, ``df_num`` and ``df_denom``."""
        wanted = _statsmodels.hypotheses(r_matrix, self._names())
        texts = [text for text, _ in wanted]
        if len(texts) == 1:
            one = self.t_test(r_matrix)
            return _statsmodels.JointTest(
                identified=one["identified"], combinations=1, statistic=one.tvalue ** 2,
                degrees_of_freedom=one["degrees_of_freedom"], p=one["p"])
        table = self._table(contrasts=texts)
        if "joint_test" not in table:
            raise UsageError("of counts nothing is tested jointly: such regions were seen to hold 75 "
                             "of 100 times where 95 were promised")
        return _statsmodels.joint(table, [value for _, value in wanted])

    wald_test = f_test

    @boundary
    def wald_test_terms(self) -> Any:
        """Each term of several coefficients, as a category of three levels has: that all are 0."""
        return _statsmodels.rows(
            {test["term"]: (_number(test["statistic"]), _number(test["combinations"]),
                            _number(test["degrees_of_freedom"]), _number(test["p"]))
             for test in self._table()["term_tests"]}, ("F", "df_num", "df_denom", "pvalue"))

    @property
    def receipt(self) -> Receipt:
        """What it cost."""
        return Receipt(self._model.receipt)

    @boundary
    def save(self, path: Any, overwrite: bool = False) -> None:
        """The model file, as the program writes it; ``load`` reads it."""
        self._model.save(os.fspath(path), overwrite, None)

    @boundary
    def summary(self, alpha: float = 0.05) -> _statsmodels.Summary:
        """The table as a text."""
        table = self._table(alpha)
        ends = [f"[{alpha / 2:g}", f"{1 - alpha / 2:g}]"]
        out = [f"{_TITLES[table['kind']]}, {table['rows']} records declared",
               _LINE.format("", "coef", "std err", "t", "P>|t|", *ends, "noise")]
        for line in table["coefficients"]:
            if not line["identified"]:
                out.append(f"{line['name']:<24} not identified at this budget")
                continue
            numbers = [f"{line[key]:.4g}" for key in ("estimate", "standard_error", "t")]
            out.append(_LINE.format(line["name"], *numbers, f"{line['p']:.3f}",
                                    f"{line['low']:.4g}", f"{line['high']:.4g}",
                                    f"+{100 * line['widened_by_noise']:.0f} %"))
        if table["experimental"]:
            out.append("EXPERIMENTAL: intervals of counts may hold less often than they say.")
        if "r_squared" in table:
            out.append(f"R2 {table['r_squared']:.3f}")
        cut = table.get("residual_cut")
        cuts = f", residuals beyond {cut:.3g} count as {cut:.3g}" if table["kind"] == "linear" else ""
        out.append(f"Rows beyond reach {table['reach']:.3g} are weighted down{cuts}. Errors hold "
                   "sampling (robust: the sandwich's) and privacy noise; the last column says by how much noise widened an "
                   "interval.")
        if table["references"]:
            out.append(f"Categories are compared with {', '.join(table['references'])}.")
        out.extend(_doubts(table))
        for test in table["term_tests"]:
            if test["identified"]:
                out.append(f"All coefficients of {test['term']} are 0: F({test['combinations']}, "
                           f"{test['degrees_of_freedom']:.0f}) = {test['statistic']:.3g}, "
                           f"p {test['p']:.3g}")
        files = {kind: self._model.table_file(kind, 1 - alpha, []) for kind in ("csv", "latex")}
        return _statsmodels.Summary.of("\n".join(out), files)

    def _reported(self) -> Tuple[str, bytes]:
        return "table", self._model.to_bytes(None)

    def _repr_html_(self) -> str:
        return _reports.shown([self._reported()], None, "promise", "model")

    def plot(self, ax: Any = None) -> Any:
        """The coefficients with their 95 % intervals, drawn with matplotlib; the axes."""
        [drawn] = _plots.draw_coefficients(
            _reports.numbers([self._reported()], None, "model"), ax)
        return drawn

    def __repr__(self) -> str:
        return f"<tacet.inference.RegressionResults of {len(self._names())} coefficients>"


_TITLES = {"linear": "Linear regression", "logistic": "Logistic regression",
           "poisson": "Poisson regression"}


_NEAR_LIMIT = ("Doubtful: as far as noise shows, the fit may have stopped before its end, because one "
               "class is rarer than about 4 in 100 records or a column decides the class nearly alone. "
               "Intervals then hold less often than they say.")


def _doubts(table: Dict[str, Any]) -> List[str]:
    """Why something is not stated, or means less than it seems to."""
    hidden = [line["name"] for line in table["coefficients"] if not line["identified"]]
    found = []
    if table["blurred_directions"]:
        found.append(f"Noise hides how rows spread in {table['blurred_directions']} of "
                     f"{len(table['coefficients'])} directions, and so decides which rows lie beyond "
                     "the reach: if the model is wrong, they move what is estimated.")
    if table["near_limit"]:
        found.append(_NEAR_LIMIT)
    if not table["converged"]:
        found.append("Nothing is stated: as far as noise shows, a column decides the class "
                     "nearly alone, or one class is rarer than 4 in 100 records. Leave that column "
                     "out.")
    elif hidden:
        near = table["kind"] == "linear" and table["residual_cut"] < 5.9 * table["residual_stddev"]
        if near and hidden[0] == "(intercept)":
            found.append("The intercept is not identified: residuals are cut so near that skewed "
                         "errors would move it. A larger budget has a wider cut; errors=\"symmetric\" "
                         "says that you know errors to be.")
            hidden = hidden[1:]
        if hidden:
            found.append(f"Not identified: {', '.join(hidden)}. The noise hides what this needs. "
                         "More records, a larger epsilon or fewer terms identify it.")
    return found


def _from_bytes(words: bytes) -> RegressionResults:
    """What a pickle holds: the model file."""
    found = RegressionResults(_engine.Model.from_bytes(words, "the pickled table"))
    found._table()
    return found


@boundary
def load(path: Any) -> RegressionResults:
    """The table of a model file that method inference left."""
    found = RegressionResults(_engine.Model.load(os.fspath(path)))
    found._table()
    return found
