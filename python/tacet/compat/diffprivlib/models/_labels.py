"""Labels as diffprivlib takes them: the set of them is taken from y, which is declared."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from .... import _arguments, _declared, _records
from ...._columns import engine_column
from ....errors import DataError, UsageError


def refuse_weights(given: Any) -> None:
    """A weight of a record is no fact that its privacy may depend on."""
    if given is not None:
        raise UsageError("sample_weight has no counterpart: a weight multiplies what a record can do")


def classes_and_codes(X: Any, y: Any) -> Tuple[Any, Any]:
    """The classes in order, and the place of each label among them; NaN where one is missing."""
    _records.expect_records(X)
    if y is None:
        raise UsageError("requires y to be passed, but the target y is None")
    y = _arguments.one_column(y)
    if _records.length(X) != _records.length(y):
        raise DataError("X and y are of different lengths")
    _declared.declares("classes", "the set of labels is")
    classes = _declared.observed_classes(y)
    if len(classes) < 2:
        raise UsageError(
            f"This solver needs samples of at least 2 classes in the data, got {len(classes)}")
    column = engine_column("y", y)
    values = column[1] if isinstance(column, tuple) else column
    place = {_declared.spelled(label): float(k) for k, label in enumerate(classes)}
    words = (_declared._word(value) for value in
             (values.tolist() if isinstance(values, np.ndarray) else values))
    return classes, np.array([place.get(word, np.nan) if word is not None else np.nan
                              for word in words])
