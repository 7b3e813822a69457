"""scikit-learn's own checks."""

from __future__ import annotations

import os
import warnings
from typing import Any, Dict, List

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import tacet

NO_NAN = {"check_supervised_y_no_nan": "an error would depend on the values of the target"}

LONG = bool(os.environ.get("TACET_LONG"))

# Those of one output that take seconds a check wait for TACET_LONG. Of inverse-sensitivity the exact
# sampler has too much to draw for 20 records at epsilon 1 with the rule's penalty.
BINARY: Dict[str, Dict[str, Any]] = {
    "regularized-output": {}, "ladder": {}, "localized": {}, "growth": {}, "phased-erm": {},
    "inverse-sensitivity": {"l2": 1}, "sparse-groups": {"group_column": 0}, "objective": {},
}
METHODS: Dict[str, Dict[str, Any]] = {"gradient": {}, "output": {}, "phased": {}, "adassp": {}}
METHODS.update(BINARY if LONG else {})
# Privacy is as good as absent from 1,000 on; what is proved there, some 65, leaves little noise.
EPSILONS = (1, 1000, float("inf"))
# The checks scale what they learn from: features are rarely beyond 3 deviations.
KNOWN: Dict[str, Any] = {"bounds": (-3, 3), "public_row_count": "observed"}


def classifiers(epsilon: float) -> List[Any]:
    known = {**KNOWN, "epsilon": epsilon, "classes": "observed"}
    kinds = (tacet.LogisticRegression, tacet.LinearSVC, tacet.LinearClassifier)
    made = [kind(**known) for kind in (*kinds, tacet.WideClassifier)]
    made.append(tacet.LogisticRegression(**known, storage="sparse"))
    if epsilon == float("inf"):  # it is the exact minimiser, by whatever method
        return made
    for method, more in METHODS.items():
        made.append(tacet.LogisticRegression(**known, method=method, **more))
        if LONG:
            made.append(tacet.LogisticRegression(**known, method=method, storage="sparse", **more))
            made += [kind(**known, method=method, **more) for kind in kinds[1:]
                     if method != "adassp"]
    return made


def regressors(epsilon: float) -> List[Any]:
    known = {**KNOWN, "epsilon": epsilon, "target_bounds": (-2.5, 2.5)}
    kinds = (tacet.Ridge, tacet.HuberRegressor, tacet.QuantileRegressor, tacet.LinearRegressor,
             tacet.WideRegressor)
    made = [kind(**known) for kind in kinds]
    made.append(tacet.PoissonRegressor(**{**known, "target_bounds": (0, 8)}))
    if epsilon == float("inf"):
        return made
    for method, more in METHODS.items():
        if method == "objective":  # proved for losses of a bounded slope
            continue
        made.append(tacet.Ridge(**known, method=method, **more))
        if LONG:
            made.append(tacet.Ridge(**known, method=method, storage="sparse", **more))
    return made


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
