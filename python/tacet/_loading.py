"""Estimators of model files."""

from __future__ import annotations

import os
from typing import Any

from . import _engine, estimators, wide
from ._fitted import Paths
from .errors import UsageError
from .schemas import Schema


def load(path: Paths) -> Any:
    """A fitted estimator of any model file of the program, linear or wide.

    It predicts, and tells what it cost; fitting it again needs its arguments.

    >>> import numpy as np, tempfile
    >>> model = estimators.Ridge(epsilon=1, bounds=(0, 1), target_bounds=(0, 1),
    ...                          public_row_count=100)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> model.fit(np.ones((100, 1)), np.ones(100)).save(path)
    >>> load(path).receipt_.to_json() == model.receipt_.to_json()
    True
    """
    model = _engine.Model.load(os.fspath(path))
    if model.table(0.95, []) is not None:
        raise UsageError("the model is a table of coefficients and predicts nothing; "
                         "tacet.inference.load reads it")
    schema = Schema._of(model.schema)
    has_classes = bool(model.classes)
    kind: Any = estimators.LinearRegressor
    if model.architecture is not None:
        kind = wide.WideClassifier if has_classes else wide.WideRegressor
    elif has_classes:
        kind = (estimators.LogisticRegression if model.has_probabilities
                else estimators.LinearClassifier)
    estimator = kind(schema=schema, loss=model.loss if has_classes else None)
    estimator._model = model
    estimator._remember(model.python)
    return estimator
