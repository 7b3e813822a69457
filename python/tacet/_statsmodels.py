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
    """A text that a prompt shows as it is; its table as CSV and as LaTeX too."""

    _files: Dict[str, str] = {}

    @classmethod
    def of(cls, text: str, files: Dict[str, str]) -> "Summary":
        found = cls(text)
        found._files = files
        return found

    def __repr__(self) -> str:
        return str(self)

    def as_text(self) -> str:
        return str(self)

    def as_csv(self) -> str:
        """All numbers of all lines."""
        return self._files["csv"]

    def as_latex(self) -> str:
        """A tabular for a paper."""
        return self._files["latex"]


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


class JointTest(Dict[str, Any]):
    """An F test of several combinations: what the model file says of it, and statsmodels' names."""

    def __getattr__(self, name: str) -> Any:
        key = {"fvalue": "statistic", "statistic": "statistic", "pvalue": "p", "df_num": "combinations",
               "df_denom": "degrees_of_freedom"}.get(name)
        if key is None:
            raise AttributeError(f"a joint test has no '{name}'")
        return number(self.get(key))


def joint(table: Dict[str, Any], values: Sequence[float]) -> JointTest:
    """That the contrasts of the table have these values: by the law of F."""
    test = table["joint_test"]
    if test["identified"] and any(values):
        from scipy.stats import f
        apart = np.array([line["estimate"] for line in table["contrasts"]]) - np.array(values)
        wald = float(apart @ np.linalg.solve(np.array(table["contrast_covariance"]), apart))
        statistic = wald / len(values)
        p = float(f.sf(statistic, len(values), test["degrees_of_freedom"]))
        test = {**test, "statistic": statistic, "p": p}
    return JointTest(test)


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
_NESTED = ("there is no '{}': fit the larger model alone, and test the terms that it has more by f_test "
           "or wald_test_terms. A second fit would cost its budget again")
_OVERALL = ("there is no '{}': f_test with all slopes is that test, and pvalues_holm holds for all of "
            "them together")
_REASONS: Dict[str, str] = {
    **dict.fromkeys((
        "resid", "wresid", "resid_response", "resid_pearson", "resid_dev", "resid_generalized",
        "fittedvalues", "aic", "bic", "llf", "llf_obs", "llnull", "llr", "llr_pvalue", "prsquared",
        "pseudo_rsquared", "deviance", "null_deviance", "pearson_chi2", "ssr", "ess", "centered_tss",
        "uncentered_tss", "mse_resid", "mse_model", "mse_total", "scale", "rsquared_adj",
        "condition_number", "eigenvals", "get_influence", "outlier_test", "pred_table",
        "get_distribution", "get_prediction"), _RECORDS),
    **dict.fromkeys(("compare_f_test", "compare_lr_test", "compare_lm_test", "anova_lm"), _NESTED),
    **dict.fromkeys(("fvalue", "f_pvalue"), _OVERALL),
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
    "cov_type": "errors are the sandwich's, which is robust, and hold the privacy noise: there is no "
                "other cov_type. For records that belong together name the column that says so as the "
                "schema's unit",
    "use_t": "tests are of a t law whose degrees of freedom hold the doubt about the errors",
}


_OF_MODEL: Dict[str, str] = {
    **dict.fromkeys(("weights", "freq_weights", "var_weights"),
                    "records have no weights of their own: one that stands for several would count as "
                    "one in the noise. Give each record a row"),
    "offset": "no offset is fitted: where the target is a number, take the offset from it before",
    "exposure": "no exposure is read: counts of unequal exposure have no counterpart here",
    "missing": "records with a missing value are always left out; nothing else is offered",
    "hasconst": "the intercept is always there",
    "groups": "name the column that says which records belong together as the schema's unit",
}
_OF_MODULE: Dict[str, str] = {
    **dict.fromkeys(("WLS", "GLS", "GLSAR"), "records have no weights of their own; OLS has robust "
                    "errors, which hold with unequal variances too"),
    **dict.fromkeys(("GLM",), "OLS, Logit and Poisson are the families that there are"),
    **dict.fromkeys(("Probit", "MNLogit", "OrderedModel", "ConditionalLogit"),
                    "Logit is the one model of classes; group several classes into two before"),
    **dict.fromkeys(("NegativeBinomial", "GeneralizedPoisson", "ZeroInflatedPoisson"),
                    "of counts there is Poisson, experimental; 'any or none' by Logit is not"),
    **dict.fromkeys(("MixedLM", "GEE"), "no random effects are fitted; with a unit in the schema one "
                    "record of each takes part"),
    **dict.fromkeys(("RLM", "QuantReg"), "residuals of OLS are cut already, as its output says"),
    "PHReg": "no survival models are fitted",
    **dict.fromkeys(("ols", "logit", "poisson"), "the classes OLS, Logit and Poisson take formulas"),
}


def missing_model(name: str) -> str:
    """Why the module has no such model."""
    reason = _OF_MODULE.get(name)
    return f"module 'tacet.inference' has no '{name}'" + (f": {reason}" if reason else "")


def check_model(options: Dict[str, Any]) -> None:
    """Arguments of statsmodels' models that there are not, refused with what to write."""
    for name in options:
        raise UsageError(f"there is no '{name}': {_OF_MODEL[name]}" if name in _OF_MODEL
                         else f"a regression takes no argument '{name}'")


def check_fit(options: Dict[str, Any]) -> None:
    """Options of statsmodels' fit: ``disp`` changes nothing, others are refused with a reason."""
    for name in options:
        if name != "disp":
            raise UsageError(_OF_FIT.get(
                name, f"fit has no '{name}': the plan fixes steps and start from public facts"))
