"""Wide models: a vector for each id, and hidden layers, for baskets, codes and words."""

from __future__ import annotations

from typing import Any, ClassVar, Dict, Tuple

from ._linear import Linear, named_here
from ._options import WideOptions
from ._supervised import Classifier, Probabilities, Regressor

__all__ = ["WideClassifier", "WideRegressor"]


class _Wide(WideOptions, Linear):
    _parameters: ClassVar[Dict[str, str]] = named_here(wide=True)
    _wide: ClassVar[bool] = True
    _fixed: ClassVar[Dict[str, str]] = {"model": "wide"}

    @property
    def architecture_(self) -> Dict[str, Any]:
        """What the model consists of."""
        found: Dict[str, Any] = self._fitted.architecture
        return found


class WideClassifier(Probabilities, _Wide, Classifier):
    """A private wide model of classes.

    >>> import tacet
    >>> schema = tacet.Schema([tacet.ids("basket", count=50, embedding=4)], public_row_count=200,
    ...                       target=tacet.binary("bought", positive="yes", negative="no"))
    >>> table = {"basket": [[1, 2], [7]] * 100, "bought": ["yes", "no"] * 100}
    >>> model = WideClassifier(epsilon=4, schema=schema, hidden=8).fit(table)
    >>> model.predict_proba(table).shape, model.architecture_["hidden"]
    ((200, 2), [8])
    """

    _losses: ClassVar[Tuple[str, ...]] = ("logistic", "softmax")


class WideRegressor(_Wide, Regressor):
    """A private wide model of numbers.

    >>> import numpy as np
    >>> X = np.tile([[0.1], [0.9]], (500, 1))
    >>> model = WideRegressor(epsilon=4, bounds=(0, 1), target_bounds=(0, 10), hidden="none",
    ...                       public_row_count=1000)
    >>> model.fit(X, 10 * X.ravel()).predict([[0.5]]).shape
    (1,)
    """

    _losses: ClassVar[Tuple[str, ...]] = ("squared",)
