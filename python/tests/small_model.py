"""A small table and an unfitted estimator for it, which tests of payment share."""

from __future__ import annotations

from typing import Any

import numpy as np

import tacet

X = np.random.default_rng(0).random((200, 3))
Y = np.where(X[:, 0] > 0.5, "b", "a")


def model(**more: Any) -> tacet.LogisticRegression:
    return tacet.LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1), classes=["a", "b"],
                                    public_row_count=200, steps=5, **more)
