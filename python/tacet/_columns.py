"""One column of records as the engine takes it. No message here holds a value of them.

A type is public, values are not: what has a type that no value of a column has is refused; a single
odd value among Python's own is what the schema says of a missing one.
"""

from __future__ import annotations

import datetime
import math
import numbers
import uuid
from decimal import Decimal
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _engine
from .errors import DataError

_BASIC = frozenset({type(None), bool, int, float, str})
_NATIVE_KINDS = "biuf"
_TEXT_TYPES = ("str", "large_string", "utf8", "categorical", "enum", "dictionary<values=string",
               "dictionary<values=large_string")


def array_of(values: Any, what: str, dtype: Any = None) -> Any:
    """An array; DataError in place of another library's words, which may quote a value."""
    try:
        return np.asanyarray(values) if isinstance(values, np.ma.MaskedArray) else np.asarray(
            values, dtype=dtype)
    except Exception:
        pass
    raise DataError(f"{what} cannot be read: a {type_of(values)} that makes no array")


def type_of(values: Any) -> str:
    """As people call the type of a thing."""
    kind = type(values)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def holds_text(values: Any) -> bool:
    """Whether its type says that it holds texts; one of objects says nothing."""
    dtype = getattr(values, "dtype", getattr(values, "type", None))
    categories = getattr(dtype, "categories", None)
    if categories is not None and hasattr(categories, "dtype"):
        dtype = categories.dtype
    if getattr(dtype, "kind", None) in ("U", "S", "T"):
        return True
    return str(dtype).lower().startswith(_TEXT_TYPES)


_TAKEN_APART = ("decimal", "run_end_encoded", "period", "int128", "uint128")


def holds_integers(values: Any) -> bool:
    """Whether its type says that it holds whole numbers."""
    dtype = getattr(values, "dtype", getattr(values, "type", None))
    return str(dtype).lower().startswith(("int", "uint"))


def is_taken_apart(values: Any) -> bool:
    """Whether a column's type is one that only its own library writes: ``plain`` reads it."""
    dtype = getattr(values, "dtype", getattr(values, "type", None))
    return not isinstance(dtype, np.dtype) and str(dtype).lower().startswith(_TAKEN_APART)


def plain(values: Any, what: str) -> Any:
    """A column of such a type as an array of Python's own numbers, or as what it encodes; every
    other one as it is. DataError for periods, which are neither days nor numbers."""
    if not is_taken_apart(values):
        return values
    dtype = str(getattr(values, "dtype", getattr(values, "type", None)))
    if dtype.startswith("period"):
        raise DataError(
            f"{what} has the type {dtype}, and a period is no day: give its first days, by "
            ".dt.to_timestamp() or .to_timestamp(), or texts, by .astype(str)")
    try:
        if dtype.startswith("run_end_encoded"):
            from pyarrow import compute  # whose column it is

            held = getattr(values, "array", values)  # pandas
            read = held.__arrow_array__() if hasattr(type(held), "__arrow_array__") else held
            return plain(compute.run_end_decode(read), what)
        entries = _listed(values, "to_pylist" if hasattr(type(values), "to_pylist") else "to_list")
        return np.fromiter(entries, dtype=object, count=len(entries))
    except Exception:  # the library's words may quote a value
        pass
    raise DataError(f"{what} has the type {dtype}, which cannot be read here: give numbers")


def engine_column(name: str, values: Any, is_date: bool = False) -> Any:
    """A column as the engine takes one: an array of numbers, a list of own values, or a pair of a
    type's name and one of both.

    Each value is read by itself: one that is missing, or of another type, changes no other one.
    """
    values = plain(values, f"column '{name}'")
    if hasattr(type(values), "to_physical") and str(values.dtype).startswith("Date"):
        values = array_of(values, f"column '{name}'")  # polars panics at dates that Python has not
    type_name, items = _items(name, values)
    if items is not None:
        own = own_values(items, is_date)
        return own if type_name is None else (type_name, own)
    array = array_of(values, f"column '{name}'")
    if array.ndim != 1:
        raise DataError(f"column '{name}' must have one dimension, got {array.ndim}")
    kind = array.dtype.kind
    if kind == "M":
        return ("datetime64", array.astype("datetime64[D]").astype(np.int64))
    if array.dtype == np.float16:
        return ("float16", array.astype(np.float64))
    if kind == "f" and array.dtype.itemsize > 8:
        return array.astype(np.float64)
    if kind == "u" and array.dtype.itemsize == 8:
        return ("uint64", array.tolist())
    if kind in _NATIVE_KINDS:
        own = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
        # A field of records that lie packed begins, and goes on, at any byte.
        return own if own.flags.aligned and own.strides[0] % own.itemsize == 0 else own.copy()
    if kind in "OUT":
        return own_values(_listed(array, "tolist"), is_date)
    raise DataError(
        f"column '{name}' has the type {array.dtype}, which holds no single number, text or date; "
        "ignore the column, or give it as one")


def _items(name: str, values: Any) -> Tuple[Optional[str], Optional[List[Any]]]:
    """The values one by one, and the name of their type, of what is no array of NumPy's."""
    if isinstance(values, (list, tuple)):
        return None, list(values)
    dtype: Any = getattr(values, "dtype", getattr(values, "type", None))
    try:
        if isinstance(values, np.ma.MaskedArray):
            objects: Any = values.astype(object)
            return None if dtype.kind in "OUT" else str(dtype), objects.filled(None).tolist()
        if isinstance(dtype, np.dtype):
            return None, None
        held = getattr(values, "cat", values)  # pandas
        if hasattr(held, "categories") and hasattr(held, "codes"):
            kinds = [*held.categories, None]
            return str(held.categories.dtype), [kinds[code] for code in np.asarray(held.codes)]
        for method in ("to_pylist", "to_list"):  # pyarrow; polars, pandas
            if hasattr(type(values), method):
                return str(dtype), _listed(values, method)
    except Exception:  # the library's words may quote a value
        pass
    else:
        return None, None
    raise DataError(f"column '{name}' cannot be read from a {type_of(values)}")


def _listed(values: Any, method: str) -> List[Any]:
    """One by one where all at once fails: Python has no date in the year 20000, say."""
    try:
        return list(getattr(values, method)())
    except Exception:
        places = getattr(values, "iloc", values)
        return [_one_of(places, k) for k in range(len(values))]


def _one_of(values: Any, place: int) -> Any:
    try:
        value = values[place]
        return value.as_py() if hasattr(type(value), "as_py") else value
    except Exception:  # one value is never an error
        return None


def numbers_of_column(values: Any, what: str) -> Any:
    """A column as float64; what is none or not finite is missing, and so NaN."""
    values = plain(values, what)
    type_name, items = None, None
    if isinstance(values, (list, tuple, np.ma.MaskedArray)):
        type_name, items = _items(what, values)
    else:
        array = array_of(values, what)
        if array.dtype.kind in _NATIVE_KINDS:
            return array.astype(np.float64, copy=False)
        if array.dtype.kind == "c":
            raise DataError(f"Complex data not supported: {what} has the type {array.dtype}")
        type_name, items = _items(what, values)
        if items is None:
            type_name = str(array.dtype)
            items = array.tolist() if array.dtype.kind == "O" else None
    if holds_text(values) or items is None or not _engine.may_hold_numbers(type_name or "object"):
        kind = "texts" if holds_text(values) else f"values of the type {type_name}"
        raise DataError(f"{what} holds {kind}, and without a schema it must hold numbers; "
                        "declare the columns in a tacet.Schema")
    return _engine.numbers(own_values(items))


def items_of(values: Any) -> List[Any]:
    """The values as Python's own list."""
    values = plain(values, "a column")
    items = _items("units", values)[1]
    if items is not None:
        return items
    array = array_of(values, "a column")
    if array.dtype.kind == "M":
        return [None if word == "NaT" else word for word in array.astype(str).tolist()]
    return [*array.tolist()]


def own_values(values: Any, is_date: bool = False) -> List[Any]:
    """None, booleans, integers, floats, texts and lists of these; None is missing."""
    return [value if type(value) in _BASIC else own_value(value, is_date) for value in values]


def own_value(value: Any, is_date: bool = False) -> Any:
    """Of a value that is, or that says what it is, in these types; None for every other one.

    A list of such values is one too: a column of ids takes it.
    """
    if type(value) in _BASIC:
        return value
    try:
        if isinstance(value, (list, tuple, np.ndarray)):
            entries = value.tolist() if isinstance(value, np.ndarray) else value
            return [None if isinstance(entry, (list, tuple, np.ndarray)) else own_value(entry)
                    for entry in entries]
        if type(value).__name__ in ("NAType", "NaTType"):
            return None
        if isinstance(value, np.generic):
            return _of_numpy(value, is_date)
        if isinstance(value, datetime.date):
            return _of_date(value, is_date)
        return _of_python(value)
    except Exception:  # one value is never an error
        return None


def _of_numpy(value: Any, is_date: bool) -> Any:
    if isinstance(value, np.datetime64):
        day = value.astype("datetime64[D]")
        return None if np.isnat(value) else str(day if is_date or day == value else value)
    for kind, own in ((np.bool_, bool), (np.integer, int), (np.floating, float), (np.str_, str)):
        if isinstance(value, kind):
            return own(value)
    return None


def _of_date(value: Any, is_date: bool) -> str:
    """As a file spells it; of a time within a day a column of dates has the day, in UTC."""
    if not isinstance(value, datetime.datetime):
        return str(value.isoformat())
    if value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc)
    day = str(value.date().isoformat())
    begins = value.time() == datetime.time() and not getattr(value, "nanosecond", 0)
    return day if is_date or begins else str(value.isoformat(sep=" "))


def _of_python(value: Any) -> Any:
    if isinstance(value, Decimal):
        return _of_decimal(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, uuid.UUID):
        return str(value)
    if not isinstance(value, numbers.Real):
        return None
    try:
        return float(value)
    except OverflowError:  # a fraction beyond the floats is near to a whole number
        return math.trunc(value)


def _of_decimal(value: Decimal) -> Any:
    """Equal ones alike: an integer, a float where it is that very number, or all of its digits."""
    if not value.is_finite():
        return None if value.is_nan() else float(value)
    if abs(value.adjusted()) > 400:  # no float, and too many digits to write
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(float(value)) == value else f"{value:f}".rstrip("0")


def unit_names(units: Any) -> List[Optional[str]]:
    """Any hashable value is a name of a unit, equal ones the same; what is missing is nobody's.

    Different ones that are written alike share a name: they are then bounded together.
    """
    names: Dict[Any, Optional[str]] = {}
    return [_name_among(names, unit) for unit in items_of(units)]


def _name_among(names: Dict[Any, Optional[str]], unit: Any) -> Optional[str]:
    try:
        return names.setdefault(unit, _unit_name(unit))
    except Exception:  # it has no hash, and so no equals
        return _unit_name(unit)


def _unit_name(unit: Any) -> Optional[str]:
    try:
        own = own_value(unit)
        if isinstance(own, list) or own is None and not _is_missing(unit):
            own = unit
        if own is None or own != own:
            return None
        if isinstance(own, bool) or isinstance(own, float) and own.is_integer():
            own = int(own)
        return hex(own) if isinstance(own, int) and own.bit_length() > 10000 else str(own)
    except Exception:  # one value is never an error
        return None


def _is_missing(unit: Any) -> bool:
    if isinstance(unit, Decimal):
        return unit.is_nan()
    return unit is None or type(unit).__name__ in ("NAType", "NaTType") or (
        isinstance(unit, np.datetime64) and bool(np.isnat(unit)))
