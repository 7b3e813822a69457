"""What users of statsmodels expect of a result: labelled numbers, hypotheses, and reasons for what
there is not."""

from __future__ import annotations

import numbers
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._hypotheses import Hypothesis
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

    def conf_int(self, alpha: Optional[float] = None) -> Tuple[float, float]:
        """Both ends of the interval; without ``alpha`` at the level that t_test was given."""
        if alpha is None or not self["identified"]:
            return number(self["low"]), number(self["high"])
        check_alpha(alpha)
        from scipy.stats import t
        apart = float(t.ppf(1 - alpha / 2, self.df_denom)) * self.sd
        return self.effect - apart, self.effect + apart

    def summary(self) -> str:
        """Its line, as a summary of the coefficients has it."""
        return lines_text(["", "coef", "std err", "t", "P>|t|", "[low", "high]", "noise"], [self])

    def summary_frame(self) -> Any:
        """The same numbers as a DataFrame."""
        return frame_of([self])

    def __str__(self) -> str:
        return self.summary()


class Contrasts(List[Contrast]):
    """Several of them: their numbers as arrays."""

    def __getattr__(self, name: str) -> Any:
        return np.array([getattr(one, name) for one in self])

    def conf_int(self, alpha: Optional[float] = None) -> Any:
        """Both ends of each interval, a row each."""
        return np.array([one.conf_int(alpha) for one in self])

    def summary(self) -> str:
        """A line each."""
        return lines_text(["", "coef", "std err", "t", "P>|t|", "[low", "high]", "noise"], self)

    def summary_frame(self) -> Any:
        """The same numbers as a DataFrame."""
        return frame_of(self)

    def __str__(self) -> str:
        return self.summary()


def frame_of(found: Sequence[Contrast]) -> Any:
    return rows({one["name"]: (one.effect, one.sd, one.tvalue, one.pvalue, *one.conf_int())
                 for one in found},
                ("coef", "std err", "t", "P>|t|", "Conf. Int. Low", "Conf. Int. Upp."))


def lines_text(header: Sequence[str], lines: Sequence[Dict[str, Any]]) -> str:
    """Lines of coefficients or contrasts below a header of eight words."""
    width = max([24, *(len(line["name"]) for line in lines)])
    form = f"{{:<{width}}} {{:>11}} {{:>10}} {{:>9}} {{:>9}} {{:>11}} {{:>11}} {{:>8}}"
    out = [form.format(*header)]
    for line in lines:
        if not line["identified"]:
            out.append(f"{line['name']:<{width}} not identified at this budget")
            continue
        numbers = [f"{line[key]:.4g}" for key in ("estimate", "standard_error", "t")]
        out.append(form.format(line["name"], *numbers, f"{line['p']:.3f}", f"{line['low']:.4g}",
                               f"{line['high']:.4g}", f"+{100 * line['widened_by_noise']:.0f} %"))
    return "\n".join(out)


def check_alpha(alpha: Any) -> None:
    """UsageError for what is no probability."""
    if not isinstance(alpha, numbers.Real) or not 0 < float(alpha) < 1:
        raise UsageError(f"alpha must be between 0 and 1, got {alpha}: 0.05 is for intervals of 95 %")


def number(value: Any) -> float:
    """NaN for what is not identified."""
    return float("nan") if value is None else float(value)


class JointTest(Dict[str, Any]):
    """An F test of several combinations: what the model file says of it, and statsmodels' names."""

    def __getattr__(self, name: str) -> Any:
        key = {"fvalue": "statistic", "statistic": "statistic", "pvalue": "p", "df_num": "combinations",
               "df_denom": "degrees_of_freedom"}.get(name)
        if key is None:
            raise AttributeError(f"a joint test has no '{name}'")
        return number(self.get(key))

    def summary(self) -> str:
        """One line, as statsmodels has it."""
        if not self["identified"]:
            return "not identified at this budget"
        return (f"<F test: F={self.fvalue:.4g}, p={self.pvalue:.3g}, df_num={self.df_num:.0f}, "
                f"df_denom={self.df_denom:.0f}>")

    def __str__(self) -> str:
        return self.summary()


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


def compared(found: Dict[str, Any], wanted: Hypothesis) -> Contrast:
    """The test against the hypothesis' value: by the same law of t."""
    found = {**found, "name": wanted.name}
    if wanted.value and found["identified"]:
        from scipy.stats import t
        statistic = (found["estimate"] - wanted.value) / found["standard_error"]
        p = 2 * float(t.sf(abs(statistic), found["degrees_of_freedom"]))
        found = {**found, "t": statistic, "p": p}
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
        "get_distribution", "get_prediction", "info_criteria"), _RECORDS),
    **dict.fromkeys(("compare_f_test", "compare_lr_test", "compare_lm_test", "anova_lm", "score_test"),
                    _NESTED),
    "t_test_pairwise": "there is no '{}': give t_test one hypothesis for each pair, as "
                       "'ward=2 = ward=3', and multiply each p by their number",
    **dict.fromkeys(("normalized_cov_params",),
                    "there is no '{}': cov_params() is the covariance of the errors"),
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
    "family": "OLS, Logit and Poisson are the families that there are",
    "subset": "give the records of the subset alone, under add_remove neighbours",
    "cov_type": "errors are the sandwich's, with the privacy noise in them",
}
_OF_MODULE: Dict[str, str] = {
    **dict.fromkeys(("WLS", "GLS", "GLSAR"), "records have no weights of their own; OLS has robust "
                    "errors, which hold with unequal variances too"),
    **dict.fromkeys(("GLM", "glm", "families"), "OLS, Logit and Poisson are the families that there are"),
    **dict.fromkeys(("Probit", "MNLogit", "OrderedModel", "ConditionalLogit"),
                    "Logit is the one model of classes; group several classes into two before"),
    **dict.fromkeys(("NegativeBinomial", "GeneralizedPoisson", "ZeroInflatedPoisson"),
                    "of counts there is Poisson, experimental; 'any or none' by Logit is not"),
    **dict.fromkeys(("MixedLM", "GEE"), "no random effects are fitted; with a unit in the schema one "
                    "record of each takes part"),
    **dict.fromkeys(("RLM", "QuantReg"), "residuals of OLS are cut already, as its output says"),
    "add_constant": "the intercept is always there",
    **dict.fromkeys(("GLMGam", "gam"), "for a curve give a column edges= and bins_only=True in the "
                    "schema"),
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
