"""Wide models: a vector for each id, and hidden layers, for baskets, codes and words."""

from __future__ import annotations

from typing import Any, ClassVar, Dict, Optional, Sequence, Tuple, Union

from ._linear import Linear, Progress, named_here
from .budgets import Budget, Ledger
from .estimators import _Classifier, _Probabilities, _Regressor
from .schemas import Schema

__all__ = ["WideClassifier", "WideRegressor"]


class _Wide(Linear):
    _parameters: ClassVar[Dict[str, str]] = named_here(wide=True)
    _wide: ClassVar[bool] = True
    _fixed: ClassVar[Dict[str, str]] = {"model": "wide"}

    def __init__(
        self,
        *,
        epsilon: Optional[float] = None,
        delta: Optional[float] = None,
        adjacency: Optional[str] = None,
        public_row_count: Union[int, str, None] = None,
        loss: Optional[str] = None,
        loss_parameter: Optional[float] = None,
        loss_width: Optional[float] = None,
        steps: Optional[int] = None,
        step_size: Optional[float] = None,
        clipping_norm: Optional[float] = None,
        batch_size: Optional[int] = None,
        max_records_per_unit: Optional[int] = None,
        threshold: Optional[float] = None,
        feature_selection: Union[float, str, None] = None,
        dim: Optional[int] = None,
        hidden: Union[int, Sequence[int], str, None] = None,
        pooling: Optional[str] = None,
        linear_part: Optional[str] = None,
        head: Optional[str] = None,
        left: Union[str, Sequence[str], None] = None,
        right: Union[str, Sequence[str], None] = None,
        optimizer: Optional[str] = None,
        selection: Optional[str] = None,
        selection_share: Optional[float] = None,
        start_seed: Optional[int] = None,
        threads: Optional[int] = None,
        schema: Optional[Schema] = None,
        bounds: Any = None,
        target_bounds: Any = None,
        classes: Union[Sequence[Any], str, None] = None,
        row_scaling: Optional[str] = None,
        intercept: Optional[bool] = None,
        storage: Optional[str] = None,
        ledger: Optional[Ledger] = None,
        data_set: Optional[str] = None,
        budget: Optional[Budget] = None,
        random_state: Any = None,
        verbose: int = 0,
        callback: Optional[Progress] = None,
    ) -> None:
        for name, value in list(locals().items()):
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    @property
    def architecture_(self) -> Dict[str, Any]:
        """What the model consists of."""
        found: Dict[str, Any] = self._fitted.architecture
        return found


class WideClassifier(_Probabilities, _Wide, _Classifier):
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


class WideRegressor(_Wide, _Regressor):
    """A private wide model of numbers.

    >>> import numpy as np
    >>> X = np.tile([[0.1], [0.9]], (500, 1))
    >>> model = WideRegressor(epsilon=4, bounds=(0, 1), target_bounds=(0, 10), hidden="none",
    ...                       public_row_count=1000)
    >>> model.fit(X, 10 * X.ravel()).predict([[0.5]]).shape
    (1,)
    """

    _losses: ClassVar[Tuple[str, ...]] = ("squared",)
