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

# Those of one output that take seconds a check wait for TACET_LONG.
BINARY = ["regularized-output", "ladder", "localized", "growth", "phased-erm", "objective"]
METHODS = ["gradient", "output", "phased", "adassp"]
METHODS += BINARY if LONG else []
# Privacy is as good as absent from 1,000 on; what is proved there, some 65, leaves little noise.
EPSILONS = (1, 1000, float("inf"))


def classifiers(epsilon: float) -> List[Any]:
    known: Dict[str, Any] = {"epsilon": epsilon, "bounds": (-10, 10), "classes": "observed",
                             "public_row_count": "observed"}
    made = [kind(**known) for kind in
            (tacet.LogisticRegression, tacet.LinearSVC, tacet.LinearClassifier,
             tacet.WideClassifier)]
    made.append(tacet.LogisticRegression(**known, storage="sparse"))
    if epsilon == 1:
        made += [tacet.LogisticRegression(**known, method=method) for method in METHODS]
    if epsilon == 1 and LONG:
        made += [kind(**known, method=method) for method in METHODS if method != "adassp"
                 for kind in (tacet.LinearSVC, tacet.LinearClassifier)]
        made += [tacet.LogisticRegression(**known, method=method, storage="sparse")
                 for method in METHODS]
    return made


def regressors(epsilon: float) -> List[Any]:
    known: Dict[str, Any] = {"epsilon": epsilon, "bounds": (-10, 10), "target_bounds": (-4, 4),
                             "public_row_count": "observed"}
    kinds = (tacet.Ridge, tacet.HuberRegressor, tacet.QuantileRegressor, tacet.LinearRegressor,
             tacet.WideRegressor)
    counted = tacet.PoissonRegressor(**{**known, "target_bounds": (0, 8)})
    made = [kind(**known) for kind in kinds] + [counted]
    if epsilon == 1:
        made += [tacet.Ridge(**known, method=method) for method in METHODS if method not in BINARY]
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
