"""diffprivlib's models."""

from __future__ import annotations

from .away import DecisionTreeClassifier, KMeans, RandomForestClassifier
from .linear import LinearRegression, LogisticRegression
from .moments import PCA, GaussianNB, StandardScaler

__all__ = ["DecisionTreeClassifier", "GaussianNB", "KMeans", "LinearRegression",
           "LogisticRegression", "PCA", "RandomForestClassifier", "StandardScaler"]
