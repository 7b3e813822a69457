"""scikit-learn's own checks."""

from __future__ import annotations

import os
import warnings
from typing import Any, Dict, List, Sequence

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import tacet

NO_NAN = {"check_supervised_y_no_nan": "an error would depend on the values of the target"}

LONG = bool(os.environ.get("TACET_LONG"))

# Those of one output that take seconds a check wait for TACET_LONG. The exact sampler of
# inverse-sensitivity has too much to draw for 20 records at epsilon 1 with the rule's penalty; two
# groups of some hundred records are read in long steps.
BINARY: Dict[str, Dict[str, Any]] = {
    "regularized-output": {}, "ladder": {}, "localized": {}, "growth": {}, "phased-erm": {},
    "inverse-sensitivity": {"l2": 1}, "objective": {},
    "sparse-groups": {"group_column": 0, "groups": 2, "step_size": 5, "clipping_norm": 0.1},
}
# Where records are few, whose steps are a share of the radius want one that is larger than 4; and an
# intercept, which a target around 0 does without, takes half of a row's norm.
NUMBERS: Dict[str, Dict[str, Any]] = {
    "localized": {"radius": 40, "intercept": False, "target_bounds": (-1.5, 1.5)},
    "phased-erm": {"radius": 16, "intercept": False}, "growth": {"intercept": False},
}
METHODS: Dict[str, Dict[str, Any]] = {"gradient": {}, "output": {}, "phased": {}, "adassp": {}}
METHODS.update(BINARY if LONG else {})
# Privacy is as good as absent from 1,000 on; what is proved there, some 65, leaves little noise.
EPSILONS = (1, 1000, float("inf"))
# The checks scale what they learn from: features are rarely beyond 3 standard deviations.
KNOWN: Dict[str, Any] = {"bounds": (-3, 3), "public_row_count": "observed"}


# What is not proved for a family's loss, which a plan says.
REFUSED: Dict[Any, Any] = {
    tacet.LinearSVC: {"adassp", "objective"}, tacet.HuberRegressor: {"adassp", "objective"},
    tacet.Ridge: {"objective"}, tacet.LinearRegressor: {"objective"},
    tacet.QuantileRegressor: {"adassp", "inverse-sensitivity", "objective"},
    tacet.PoissonRegressor: {*METHODS, *BINARY} - {"gradient"},
}


def by_methods(first: Any, others: Sequence[Any], known: Dict[str, Any]) -> List[Any]:
    """The first one by every method, and with TACET_LONG sparse too and the others."""
    made = []
    for method, more in METHODS.items():
        if "target_bounds" in known:
            more = {**more, **NUMBERS.get(method, {})}
        for kind in (first, *others) if LONG else (first,):
            if method not in REFUSED.get(kind, ()):
                made.append(kind(**{**known, "method": method, **more}))
        if LONG and method not in REFUSED.get(first, ()):
            made.append(first(**{**known, "method": method, "storage": "sparse", **more}))
    return made


def classifiers(epsilon: float) -> List[Any]:
    known = {**KNOWN, "epsilon": epsilon, "classes": "observed"}
    kinds = (tacet.LogisticRegression, tacet.LinearSVC, tacet.LinearClassifier)
    made = [kind(**known) for kind in (*kinds, tacet.WideClassifier)]
    made.append(tacet.LogisticRegression(**known, storage="sparse"))
    if epsilon == float("inf"):  # the exact minimiser, which is no method's
        return made
    return made + by_methods(kinds[0], kinds[1:], known)


def regressors(epsilon: float) -> List[Any]:
    known = {**KNOWN, "epsilon": epsilon, "target_bounds": (-2.5, 2.5)}
    kinds = (tacet.Ridge, tacet.HuberRegressor, tacet.QuantileRegressor, tacet.LinearRegressor)
    made = [kind(**known) for kind in (*kinds, tacet.WideRegressor)]
    made.append(tacet.PoissonRegressor(**{**known, "target_bounds": (0, 8)}))
    made.append(tacet.Ridge(**known, storage="sparse"))
    if epsilon == float("inf"):
        return made
    return made + by_methods(kinds[0], kinds[1:], known)


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_left_out_is_what_a_plan_refuses(kind: Any) -> None:
    labels: Dict[str, Any] = {"target_bounds": (0, 8)} if kind is not tacet.LinearSVC else {
        "classes": [0, 1]}
    for method, more in {**METHODS, **BINARY}.items():
        made = kind(epsilon=1, bounds=(-3, 3), public_row_count=200, method=method, **labels,
                    **more)
        if method not in REFUSED[kind]:
            assert made.plan(n_features=10)["method"] == method
            continue
        with pytest.raises(tacet.Error):
            made.plan(n_features=10)


def expected_failures(estimator: Any) -> Dict[str, str]:
    return {} if hasattr(estimator, "decision_function") else NO_NAN


@pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [made for epsilon in EPSILONS for made in classifiers(epsilon) + regressors(epsilon)],
    expected_failed_checks=expected_failures)
def test_checks(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tacet.PrivacyWarning)
        check(estimator)
