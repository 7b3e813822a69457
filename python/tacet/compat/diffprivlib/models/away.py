"""diffprivlib's models that are not here: who makes one is told why, and what there is."""

from __future__ import annotations

from typing import Any, ClassVar

from ....errors import UsageError


class _NotOffered:
    _why: ClassVar[str] = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise UsageError(f"{type(self).__name__} is not here: {self._why}")


class KMeans(_NotOffered):
    """Not here.

    >>> try:
    ...     KMeans(3)
    ... except UsageError as error:
    ...     print(str(error)[:22])
    KMeans is not here: no
    """

    _why = ("no clustering is proved here; groups with known labels have GaussianNB, and "
            "tacet.describe summarises columns")


class RandomForestClassifier(_NotOffered):
    """Not here.

    >>> RandomForestClassifier.__name__
    'RandomForestClassifier'
    """

    _why = ("no trees are proved here; tacet.LogisticRegression with curves (knots) and "
            "tacet.WideClassifier fit what a line does not")


class DecisionTreeClassifier(_NotOffered):
    """Not here.

    >>> DecisionTreeClassifier.__name__
    'DecisionTreeClassifier'
    """

    _why = RandomForestClassifier._why
