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

# Those that take seconds a check wait for TACET_LONG. Two methods have no place here:
# inverse-sensitivity needs more records than scikit-learn's smallest sets have, and sparse-groups a
# column of a schema to group by.
BINARY = ["regularized-output", "ladder", "localized", "growth", "phased-erm", "objective"]
METHODS = ["gradient", "output", "phased", "adassp"]
METHODS += BINARY if LONG else []
EPSILONS = (1, 50, 1000, float("inf")) if LONG else (1, 50, float("inf"))


def wide_models_take(epsilon: float) -> bool:
    """Whether their secret samples leave something of delta at that epsilon: 50 is refused."""
    return epsilon < 40 or epsilon == float("inf")


def classifiers(epsilon: float) -> List[Any]:
    known: Dict[str, Any] = {"epsilon": epsilon, "bounds": (-10, 10), "classes": "observed",
                             "public_row_count": "observed"}
    made = [kind(**known) for kind in
            (tacet.LogisticRegression, tacet.LinearSVC, tacet.LinearClassifier)]
    made.append(tacet.LogisticRegression(**known, storage="sparse"))
    made += [tacet.WideClassifier(**known)] if wide_models_take(epsilon) else []
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
    kinds = (tacet.Ridge, tacet.HuberRegressor, tacet.QuantileRegressor, tacet.LinearRegressor)
    counted = tacet.PoissonRegressor(**{**known, "target_bounds": (0, 8)})
    made = [kind(**known) for kind in kinds] + [counted]
    made += [tacet.WideRegressor(**known, steps=1000)] if wide_models_take(epsilon) else []
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
