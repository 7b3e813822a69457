"""What users of statsmodels expect of a result: labelled numbers, hypotheses, and reasons for what
there is not."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from .errors import UsageError


class Rows(Dict[str, Any]):
    """Rows by name where pandas is missing: ``.loc`` finds one, as in a frame."""

    @property
    def loc(self) -> "Rows":
        return self


def vector(values: Dict[str, float]) -> Any:
    """A pandas Series, or a dict where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        return values
    return pandas.Series(values, dtype=float)


def rows(values: Dict[str, Tuple[float, ...]], columns: Sequence[Any]) -> Any:
    """A pandas DataFrame with a row for each name, or a dict of tuples."""
    try:
        import pandas
    except ImportError:
        return Rows(values)
    return pandas.DataFrame.from_dict(values, orient="index", columns=list(columns), dtype=float)


def square(values: Any, names: Sequence[str]) -> Any:
    """A pandas DataFrame with names on both sides, or an array."""
    try:
        import pandas
    except ImportError:
        return values
    return pandas.DataFrame(values, index=list(names), columns=list(names))


class Summary(str):
    """A text that a prompt shows as it is."""

    def __repr__(self) -> str:
        return str(self)

    def as_text(self) -> str:
        return str(self)


class Contrast(Dict[str, Any]):
    """A combination of coefficients: what the model file says of it, and statsmodels' names."""

    def __getattr__(self, name: str) -> Any:
        key = {"effect": "estimate", "sd": "standard_error", "tvalue": "t", "statistic": "t",
               "pvalue": "p", "df_denom": "degrees_of_freedom"}.get(name)
        if key is None:
            raise AttributeError(f"a contrast has no '{name}'")
        return number(self.get(key))

    def conf_int(self) -> Tuple[float, float]:
        """Both ends of the interval, at the level that t_test was given."""
        return number(self["low"]), number(self["high"])


def number(value: Any) -> float:
    """NaN for what is not identified."""
    return float("nan") if value is None else float(value)


def hypotheses(wanted: Any, names: Sequence[str]) -> List[Tuple[str, float]]:
    """Combinations of coefficients, each with the value that it is compared with: of a text such as
    ``"a - b"``, ``"a = b, c = 0"``, of numbers in the order of the coefficients, or of rows of them."""
    if isinstance(wanted, str):
        # A comma may be part of a level's name: one without a blank behind it is.
        parts = [wanted] if wanted.strip() in names else re.split(r",\s+", wanted.strip())
        return [_hypothesis(part, names) for part in parts]
    if isinstance(wanted, (list, tuple)) and wanted and all(isinstance(one, str) for one in wanted):
        return [_hypothesis(part, names) for part in wanted]
    matrix = np.asarray(wanted)
    if matrix.dtype.kind not in "iuf" or matrix.ndim not in (1, 2) or matrix.shape[-1] != len(names):
        raise UsageError(
            f"a hypothesis is a text as 'age - 2 * sex=m', or {len(names)} numbers, one for each "
            "coefficient")
    found = []
    for row in np.atleast_2d(matrix):
        if not np.all(np.isfinite(row)) or not np.any(row):
            raise UsageError("a hypothesis needs finite numbers, one of which is not 0")
        found.append((_text(row, names), 0.0))
    return found


def _text(row: Any, names: Sequence[str]) -> str:
    words = ""
    for weight, name in zip(row, names):
        if weight != 0:
            sign = ("-" if weight < 0 else "") if not words else (" - " if weight < 0 else " + ")
            words += f"{sign}{abs(float(weight)):.17g} * {name}"
    return words


def _hypothesis(text: str, names: Sequence[str]) -> Tuple[str, float]:
    """``a = b`` is ``a - b`` compared with 0. The sign of a level, as in ``sex=m``, has no blanks."""
    left, equals, right = text.rpartition(" = ")
    if not equals:
        return text.strip(), 0.0
    try:
        return left.strip(), float(right)
    except ValueError:
        pass
    if re.search(r" [+-] ", right):
        raise UsageError(
            f"'{right.strip()}' stands behind '=': write one coefficient or one number there, and the "
            "rest before it")
    return f"{left.strip()} - {right.strip()}", 0.0


def compared(found: Dict[str, Any], value: float) -> Contrast:
    """The test against another value than 0: by the same law of t."""
    if value and found["identified"]:
        from scipy.stats import t
        statistic = (found["estimate"] - value) / found["standard_error"]
        p = 2 * float(t.sf(abs(statistic), found["degrees_of_freedom"]))
        found = {**found, "name": f"{found['name']} = {value:g}", "t": statistic, "p": p}
    return Contrast(found)


_RECORDS = ("there is no '{}': it would be computed from the records, and a figure of records costs "
            "budget. The fit released coefficients and their errors alone")
_JOINT = ("there is no '{}': joint tests are not stated. pvalues_holm holds for all slopes together, "
          "and t_test tests one combination")
_REASONS: Dict[str, str] = {
    **dict.fromkeys((
        "resid", "wresid", "resid_response", "resid_pearson", "resid_dev", "resid_generalized",
        "fittedvalues", "aic", "bic", "llf", "llf_obs", "llnull", "llr", "llr_pvalue", "prsquared",
        "pseudo_rsquared", "deviance", "null_deviance", "pearson_chi2", "ssr", "ess", "centered_tss",
        "uncentered_tss", "mse_resid", "mse_model", "mse_total", "scale", "rsquared_adj",
        "condition_number", "eigenvals", "get_influence", "outlier_test", "pred_table",
        "get_distribution", "get_prediction"), _RECORDS),
    **dict.fromkeys(("f_test", "wald_test", "wald_test_terms", "fvalue", "f_pvalue",
                     "compare_f_test", "compare_lr_test", "compare_lm_test"), _JOINT),
    **dict.fromkeys(("get_margeff",),
                    "there is no '{}': marginal effects are means over records, which cost budget. "
                    "odds_ratios() has the ratios with both ends"),
    **dict.fromkeys(("predict",),
                    "there is no '{}': a table of coefficients predicts nothing. "
                    "tacet.LogisticRegression and tacet.Ridge train models that do"),
    **dict.fromkeys(("summary2",), "there is no '{}': summary() is the table"),
    **dict.fromkeys(("get_robustcov_results", "HC0_se", "HC1_se", "HC2_se", "HC3_se", "cov_HC0",
                     "cov_HC1", "cov_HC2", "cov_HC3", "cov_type"),
                    "there is no '{}': bse is the sandwich's already, with the privacy noise in it"),
    **dict.fromkeys(("df_resid",),
                    "there is no '{}': each coefficient has degrees of freedom of its own, "
                    "df_denom"),
}


def missing(name: str) -> str:
    """Why a result does not have an attribute of statsmodels'."""
    return _REASONS.get(name, "a regression's results have no '{}'").format(name)


_OF_FIT: Dict[str, str] = {
    "cov_type": "errors are the sandwich's, and hold the privacy noise: there is no other cov_type",
    "use_t": "tests are of a t law whose degrees of freedom hold the doubt about the errors",
}


def check_fit(options: Dict[str, Any]) -> None:
    """Options of statsmodels' fit: ``disp`` changes nothing, others are refused with a reason."""
    for name in options:
        if name != "disp":
            raise UsageError(_OF_FIT.get(
                name, f"fit has no '{name}': the plan fixes steps and start from public facts"))
