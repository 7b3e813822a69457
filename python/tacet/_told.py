"""What a fitted estimator tells, all of it read from the one model that it holds.

Receipt and coefficients cannot come apart: neither is kept beside the model, so that nothing which
is assigned to an estimator, or put into its pickle, is displayed or verified in their place.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, Dict, List, Optional, Tuple

import numpy as np

from . import _engine
from .errors import DataError
from .receipts import Receipt
from .schemas import Schema


class Refused:
    """An attribute of scikit-learn's that there is not, with the reason."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        raise AttributeError(self._words)


class Told:
    """What gives estimators ``receipt_``, ``coef_`` and so on."""

    _wide: ClassVar[bool]
    _told: ClassVar[Tuple[str, ...]] = (
        "receipt_", "coef_", "coef_noise_", "intercept_", "encoded_coef_", "encoded_coef_noise_",
        "encoded_intercept_", "effects_", "encoded_names_", "architecture_", "n_iter_",
        "inference_")

    partial_fit = Refused(
        "there is no partial_fit: how often each record is read decides what it costs, and a "
        "caller who goes on would decide it afterwards. fit is given all records and plans the "
        "passes; steps sets how many, and a schema's unit joins the records of a person")

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
        model = self._fitted
        if model.table(0.5, []) is not None:
            raise AttributeError(
                "method inference leaves a table of coefficients in place of a model that predicts: "
                "inference_ has its params, bse, conf_int() and summary()")
        return model

    @property
    def inference_(self) -> Any:
        """Of method inference: the coefficients with their intervals, as tacet.inference has it."""
        from .inference import RegressionResults  # which few need

        model = self._fitted
        if model.table(0.5, []) is None:
            raise AttributeError(
                "there is no inference_: this model was fitted for predictions; method=\"inference\" "
                "fits coefficients with intervals, and tacet.inference does by a formula")
        return RegressionResults(model)

    def _of_outputs(self, values: Any) -> Any:
        """Of numbers an output each what is shown."""
        return values

    def _split(self, numbers: Any) -> Tuple[Any, Any]:
        """An output a row: of the columns, and of the constant."""
        model = self._linear
        count = len(model.feature_names)
        table = np.asarray(numbers, dtype=float) + 0.0
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
    def n_iter_(self) -> Optional[int]:
        """The steps of the method or, of one that counts passes over the records, these; None
        where it solves directly, or chose privately among runs."""
        said = self.receipt_["parameters"]
        found = said.get("steps", said.get("epochs"))
        return None if found is None else int(found)

    def _straight(self, name: str) -> Tuple[Any, Any]:
        """An output a row: factors of the coefficients; and the constants. AttributeError where
        the margin is no straight line of the columns."""
        model = self._linear
        lines = [model.straight_line(output) for output in range(model.outputs)]
        if any(line is None for line in lines):
            raise AttributeError(
                f"there is no {name}: this model's margin is no straight line of the columns, "
                "since it has categories, curves or texts, or rows that are shortened "
                "(row_scaling=\"const\" shortens none); see effects_, and encoded_coef_, "
                "encoded_intercept_ in the units of encoded_names_")
        return np.array([line[0] for line in lines]), np.array([line[1] for line in lines])

    def _by_column(self, values: Any) -> Any:
        """Of the columns that the schema reads each an entry, of those that it does not 0."""
        read = Schema._of(self._linear.schema).columns
        given = getattr(self, "feature_names_in_", None)
        if given is None or not read:
            return values
        place = {name: k for k, name in enumerate(read)}
        table = np.zeros((len(values), len(given)))
        for k, name in enumerate(given):
            if str(name) in place:
                table[:, k] = values[:, place[str(name)]]
        return table

    @property
    def coef_(self) -> Any:
        """The slopes in the units of the columns, where the margin is a straight line of them."""
        factors, _ = self._straight("coef_")
        encoded, _ = self._split(self._linear.coefficients)
        return self._of_outputs(self._by_column(encoded * factors) + 0.0)  # -0.0 is 0.0

    @property
    def coef_noise_(self) -> Any:
        """The standard deviation that privacy's noise alone has in them."""
        factors, _ = self._straight("coef_noise_")
        encoded, _ = self._split(self._linear.noise)
        return self._of_outputs(self._by_column(encoded * np.abs(factors)))

    @property
    def intercept_(self) -> Any:
        """The margin where all columns are 0."""
        return self._of_outputs(self._straight("intercept_")[1] + 0.0)

    @property
    def encoded_coef_(self) -> Any:
        """The coefficients in encoded units."""
        return self._of_outputs(self._split(self._linear.coefficients)[0])

    @property
    def encoded_coef_noise_(self) -> Any:
        """The standard deviation that privacy's noise alone has in them."""
        return self._of_outputs(self._split(self._linear.noise)[0])

    @property
    def encoded_intercept_(self) -> Any:
        """The constant in encoded units; 0 without one."""
        return self._of_outputs(self._split(self._linear.coefficients)[1])

    @property
    def effects_(self) -> Any:
        """What each column does, in its own units: the effect of one step in a record of middle
        length, or the range and direction of its curve."""
        model = self._linear
        return self._of_outputs(json.loads(model.effects()))

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
