"""What a fitted estimator tells, all of it read from the one model that it holds.

Receipt and coefficients cannot come apart: neither is kept beside the model, so that nothing which
is assigned to an estimator, or put into its pickle, is displayed or verified in their place.
"""

from __future__ import annotations

from typing import Any, ClassVar, Dict, List, Tuple

import numpy as np

from . import _engine
from .errors import DataError
from .receipts import Receipt
from .schemas import Schema


class Told:
    """What gives estimators ``receipt_``, ``coef_`` and so on."""

    _wide: ClassVar[bool]
    _told: ClassVar[Tuple[str, ...]] = (
        "receipt_", "coef_", "coef_noise_", "intercept_", "effects_", "encoded_names_",
        "architecture_")

    @property
    def _fitted(self) -> Any:
        model = vars(self).get("_model")
        if not isinstance(model, _engine.Model):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit first")
        return model

    @property
    def _linear(self) -> Any:
        if self._wide:
            raise AttributeError("a wide model has no coefficients of its columns")
        return self._fitted

    def _of_outputs(self, values: Any) -> Any:
        """Of numbers an output each what is shown."""
        return values

    def _split(self, numbers: Any) -> Tuple[Any, Any]:
        """An output a row: of the columns, and of the constant."""
        model = self._linear
        count = len(model.feature_names)
        table = np.asarray(numbers, dtype=float)
        table = table.reshape(model.outputs, count) if table.size else np.full(
            (model.outputs, count), np.nan)
        if not Schema._of(model.schema)._engine.intercept:
            return table, np.zeros(len(table))
        return table[:, :-1], table[:, -1]

    @property
    def receipt_(self) -> Receipt:
        """What was run and released, and the guarantee."""
        return Receipt(self._fitted.receipt)

    @property
    def coef_(self) -> Any:
        """The coefficients in encoded units."""
        return self._of_outputs(self._split(self._linear.coefficients)[0])

    @property
    def coef_noise_(self) -> Any:
        """The standard deviation that privacy's noise alone has in them."""
        return self._of_outputs(self._split(self._linear.noise)[0])

    @property
    def intercept_(self) -> Any:
        """The constant; 0 without one."""
        return self._of_outputs(self._split(self._linear.coefficients)[1])

    @property
    def effects_(self) -> Any:
        """What a step of each column does, in its own units."""
        model = self._linear
        return self._of_outputs([model.effects(output) for output in range(model.outputs)])

    @property
    def encoded_names_(self) -> List[str]:
        """The names of the coefficients."""
        names = list(self._linear.feature_names)
        return names[:-1] if Schema._of(self._linear.schema)._engine.intercept else names

    def __setstate__(self, state: Dict[str, Any]) -> None:
        beside = [name for name in self._told if name in state]
        if beside:
            raise DataError(
                f"this pickle has {beside[0]} beside the model, from which alone it is read: it "
                "was changed after it was written, or written by something else; pickle the "
                "estimator again")
        super().__setstate__(state)  # type: ignore[misc]
