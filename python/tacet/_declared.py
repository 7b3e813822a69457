"""What an estimator is told about records beside them: a schema, or bounds and labels."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import schemas
from ._columns import engine_column
from ._warn import warn
from .errors import DataError, UsageError

OBSERVED = "observed"

NO_BOUNDS = (
    "nothing is known about the columns, and nothing is taken from the data: give bounds=(lower, "
    "upper) that hold for all columns, or one pair a column; or a schema, tacet.Schema([...]); or "
    "have a schema fitted privately, for a part of the budget, "
    "tacet.Schema.fit(records, epsilon=...)")
_Pair = Tuple[float, float]


def declares(what: str, whole: str) -> None:
    """Says once what the owner has declared public by the word "observed"."""
    warn(f"{what}='observed' declares that {whole} public: it is taken from the data as it is")


def pairs_of(bounds: Any, keys: Sequence[Any]) -> Optional[List[_Pair]]:
    """One pair of bounds a column; nothing where one pair is for all.

    ``keys`` are the columns' names, or their numbers where they have none.
    """
    if isinstance(bounds, Mapping):
        given = {key if isinstance(key, int) and key in keys else str(key): pair
                 for key, pair in bounds.items()}
        missing = [key for key in keys if key not in given]
        if missing:
            raise UsageError(f"bounds has no pair for column {missing[0]!r}")
        others = [key for key in given if key not in keys]
        if others:
            raise UsageError(f"bounds has a pair for {others[0]!r}, which is no column")
        return [_pair(given[key]) for key in keys]
    try:
        entries = list(bounds)
    except TypeError:
        entries = []
    if len(entries) == 2 and all(np.isscalar(entry) for entry in entries):
        _pair(bounds)
        return None
    if len(entries) != len(keys):
        raise UsageError(
            f"bounds must be one pair (lower, upper), or one a column: {len(keys)} columns, "
            f"{len(entries)} pairs")
    pairs = [_pair(entry) for entry in entries]
    if len(pairs) == 2 and _is_ambiguous(*pairs):
        raise UsageError(
            "bounds of two columns may be two pairs (lower, upper), or the lower ones and the "
            f"upper ones: say which by column, bounds={{{keys[0]!r}: (lower, upper), "
            f"{keys[1]!r}: (lower, upper)}}")
    return pairs


def _is_ambiguous(first: _Pair, second: _Pair) -> bool:
    """Whether two pairs are bounds, other ones, when they are read as lower and upper ends."""
    turned = ((first[0], second[0]), (first[1], second[1]))
    return all(lower < upper for lower, upper in turned) and turned != (first, second)


def _pair(value: Any) -> _Pair:
    try:
        lower, upper = (float(end) for end in value)
        if lower < upper:
            return lower, upper
    except (TypeError, ValueError, OverflowError):
        pass
    raise UsageError("bounds are a pair of numbers, the lower one and the larger upper one")


def spelled(label: Any) -> str:
    """A class as a file would spell it."""
    value = _own(label)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def is_number(word: str) -> bool:
    """Whether a class's word may be a number's."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def listed_classes(classes: Any) -> Any:
    """Classes that were given, as an array of their own values."""
    if isinstance(classes, (str, bytes)) or not np.iterable(classes):
        raise UsageError("classes is a list of labels, or the word 'observed'")
    if isinstance(classes, np.ndarray):
        return classes.ravel()
    return _array_of_labels(list(classes))


def observed_classes(y: Any) -> Any:
    """The labels that are there, in order; what is missing is none."""
    column = engine_column("y", y)
    type_name, values = column if isinstance(column, tuple) else ("", column)
    if type_name == "datetime64":
        raise DataError("y holds dates, which are no classes")
    if isinstance(values, np.ndarray):
        found = np.unique(values[values == values])  # without NaN
        if found.dtype.kind == "f" and (found != np.trunc(found)).any():
            raise UsageError("Unknown label type: continuous. A classifier is for classes, and y "
                             "holds numbers with a fraction; give classes as a list")
        return found
    labels: Dict[str, Any] = {}
    for value in values:
        word = _word(value)
        if word is not None:
            labels.setdefault(word, value)
    try:
        ordered = sorted(labels.values())
    except TypeError:
        ordered = [labels[word] for word in sorted(labels)]
    return _array_of_labels(ordered)


def _word(label: Any) -> Optional[str]:
    """A label as a file would spell it; nothing for a missing one, or what no file can hold."""
    if label is None or isinstance(label, list) or label != label:
        return None
    try:
        word = spelled(label)
        word.encode("utf-8")
    except ValueError:
        return None
    return word


def _array_of_labels(labels: List[Any]) -> Any:
    """An array in which each keeps its value: numbers and texts together stay objects."""
    if len({type(label) for label in labels}) == 1:
        return np.asarray(labels)
    found = np.empty(len(labels), dtype=object)
    found[:] = labels
    return found


def class_values(names: Sequence[str]) -> Any:
    """A schema's classes as people use them: numbers where each is spelt as one, else texts."""
    for kind in (int, float):
        try:
            values = [kind(name) for name in names]
        except ValueError:
            continue
        if [str(value) for value in values] == list(names):
            return np.asarray(values)
    return np.asarray(names)


def class_types(classes: Sequence[Any]) -> List[str]:
    """The type of each class: what its text does not say, as of 1.0 and 1, or True and "True"."""
    return [next((name for name, kind in _CLASS_TYPES.items() if isinstance(_own(label), kind)),
                 "text") for label in classes]


def typed_classes(names: Sequence[str], types: Sequence[str]) -> Any:
    """Classes of these types as they are spelled."""
    try:
        return _array_of_labels([_CLASS_READERS[kind](name) for name, kind in zip(names, types)])
    except ValueError:
        pass
    raise DataError("python.class_types of the model file do not go with its classes")


def _own(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


_CLASS_TYPES: Dict[str, Any] = {"bool": bool, "int": int, "float": float}
_CLASS_READERS: Dict[str, Any] = {
    "bool": lambda name: name == "True", "int": int, "float": float, "text": str}


def class_target(column: Optional[str], classes: Sequence[Any]) -> schemas.Part:
    """The target of classes in this order; of two the second one is the positive one."""
    words = [spelled(label) for label in classes]
    if len(words) < 2:
        raise UsageError(f"a classifier needs at least 2 classes, got {len(words)} class")
    if len(words) == 2:
        return schemas.binary(column, positive=words[1], negative=words[0])
    return schemas.multiclass(column, words)


def number_target(column: Optional[str], bounds: Any, counts: bool) -> schemas.Part:
    """The target of numbers between bounds, or of counts up to the upper one."""
    if bounds is None:
        raise UsageError(
            "target_bounds is missing: the least and the largest target, which are public; nothing "
            "is taken from the data")
    lower, upper = _pair(bounds)
    if not counts:
        return schemas.number(column, lower, upper)
    if lower != 0:
        raise UsageError("counts begin at 0: give target_bounds=(0, upper)")
    return schemas.count(column, upper)


def column_names(names: Optional[Sequence[str]], count: int) -> List[str]:
    """The names of columns between bounds of their own, where the records have none too."""
    return list(names) if names is not None else [f"x{k}" for k in range(count)]


def column_at(columns: Sequence[str], place: int) -> str:
    """The name of a column by its number."""
    if 0 <= place < len(columns):
        return columns[place]
    raise UsageError(f"group_column {place} is no column: there are {len(columns)}, from 0 on")


def made_schema(
    names: Optional[Sequence[str]], count: int, params: Dict[str, Any], target: Any
) -> schemas.Schema:
    """The schema of numbers between bounds, in columns of these names or, without names, so many.

    ``target`` makes the target's part for a column's name.
    """
    if params["bounds"] is None:
        raise UsageError(NO_BOUNDS)
    bounds = params["bounds"]
    pairs = pairs_of(bounds, range(count) if names is None else names)
    bent = any(params.get(name) not in (None, "auto", "none", 0) for name in ("knots", "curves"))
    by_name = bent or params.get("group_column") is not None or params.get("method") == "inference"
    if pairs is None and by_name:  # columns to bend, to name one of, or each in a table
        pairs = [_pair(bounds)] * count
    elif pairs is not None and len(set(pairs)) == 1 and not (by_name or isinstance(bounds, Mapping)):
        bounds, pairs = pairs[0], None  # a list that says of each column what one pair says of all
    common = {"row_scaling": params["row_scaling"], "intercept": params["intercept"],
              "storage": params["storage"]}
    if pairs is None:
        lower, upper = _pair(bounds)
        return schemas.Schema(features=schemas.numbered(count, lower, upper),
                              target=target(None), **common)
    columns = column_names(names, count)
    label = "target"
    while label in columns:
        label += "_"
    return schemas.Schema(
        [schemas.numeric(name, *pair) for name, pair in zip(columns, pairs)],
        target=target(label), **common)
