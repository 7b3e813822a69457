"""What a fit of ``tacet.inference`` leaves: a table of coefficients with intervals."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from . import _engine, _hypotheses, _plots, _reports, _statsmodels
from ._boundary import boundary
from ._reports import Reports
from ._statsmodels import number as _number
from .errors import UsageError
from .receipts import Receipt

_TITLES = {"linear": "Linear regression", "logistic": "Logistic regression",
           "poisson": "Poisson regression"}


class RegressionResults(Reports):
    """A table of coefficients with intervals, in the manner of statsmodels.

    Numbers are pandas' Series and DataFrames by the coefficients' names; where pandas is not
    installed they are dicts and an array. What statsmodels has beside these says why it is missing.
    What the noise hides has NaN for its numbers: "not identified at this budget".
    """

    def __init__(self, model: _engine.Model) -> None:
        self._model = model

    def _table(self, alpha: float = 0.05, contrasts: Sequence[str] = ()) -> Dict[str, Any]:
        _statsmodels.check_alpha(alpha)
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

    def _hypotheses(self, wanted: Any) -> Tuple[List[_hypotheses.Hypothesis], List[str]]:
        names = self._names()
        return _hypotheses.read(wanted, names, self._table()["references"]), names

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

        The result has ``effect``, ``sd``, ``tvalue``, ``pvalue``, ``conf_int()`` and ``summary()``.
        One is also a dict of what the model file says."""
        wanted, names = self._hypotheses(r_matrix)
        # One at a time: that one follows from the others is no fault here.
        lines = [self._table(alpha, [one.text(names)])["contrasts"][0] for one in wanted]
        found = _statsmodels.Contrasts(map(_statsmodels.compared, lines, wanted))
        return found[0] if len(found) == 1 else found

    @boundary
    def f_test(self, r_matrix: Any) -> _statsmodels.JointTest:
        """That several combinations hold together, given as to ``t_test``: Wald's test by the law of
        F. Not of counts. The result has ``fvalue``, ``pvalue``, ``df_num`` and ``df_denom``."""
        wanted, names = self._hypotheses(r_matrix)
        texts = [one.text(names) for one in wanted]
        if len(texts) == 1:
            one = self.t_test(r_matrix)
            return _statsmodels.JointTest(
                identified=one["identified"], combinations=1, statistic=one.tvalue ** 2,
                degrees_of_freedom=one["degrees_of_freedom"], p=one["p"])
        table = self._table(contrasts=texts)
        if "joint_test" not in table:
            raise UsageError("of counts nothing is tested jointly: such regions were seen to hold 75 "
                             "of 100 times where 95 were promised")
        return _statsmodels.joint(table, [one.value for one in wanted])

    @boundary
    def wald_test(self, r_matrix: Any, *, scalar: bool = True) -> _statsmodels.JointTest:
        """The same as ``f_test``; its numbers are scalars."""
        return self.f_test(r_matrix)

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
               _statsmodels.lines_text(["", "coef", "std err", "t", "P>|t|", *ends, "noise"],
                                       table["coefficients"])]
        if "r_squared" in table:
            out.append(f"R2 {table['r_squared']:.3f}")
        cut = table.get("residual_cut")
        cuts = f", residuals beyond {cut:.3g} count as {cut:.3g}" if table["kind"] == "linear" else ""
        out.append(f"Rows beyond reach {table['reach']:.3g} are weighted down{cuts}. Errors hold "
                   "sampling (robust, by the sandwich estimator) and privacy noise; the last column "
                   "says by how much noise widened an interval.")
        if table["references"]:
            out.append(f"Categories are compared with {', '.join(table['references'])}.")
        out.extend(self._model.table_doubts)
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
