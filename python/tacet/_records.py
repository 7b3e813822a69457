"""Hands records to the engine as they lie in memory. No message here holds a value of them.

Names, shapes and types are public; where one of them does not go with a schema it is an error
before anything is booked. What kind of table it is says its class alone: a frame has its columns as
attributes, of any name.
"""

from __future__ import annotations

import os
from typing import Any, Collection, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _engine, _streams
from ._columns import engine_column, is_taken_apart, numbers_of_column, type_of
from .errors import DataError, UsageError

_NOT_2D = ("Expected 2D array, got {} instead. Reshape your data: array.reshape(-1, 1) where it is "
           "one feature, array.reshape(1, -1) where it is one record")
# What pandas reads, and nothing here: the engine's own words speak to the command line.
_OTHER_FILES = (".parquet", ".pq", ".feather", ".arrow", ".orc", ".xlsx", ".xls")


def _has(X: Any, name: str) -> bool:
    return hasattr(type(X), name)


def is_path(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))


def path_of(X: Any) -> Optional[str]:
    """The name of a CSV file, if one was given; UsageError for that of another table."""
    if not is_path(X):
        return None
    path = str(os.fspath(X))
    if path.lower().endswith(_OTHER_FILES):
        raise UsageError(
            "a file's name was given that is not that of a CSV file: read it first, by "
            "pandas.read_parquet(path) or pandas.read_excel(path), or give a DuckDB relation, as "
            "duckdb.sql(\"FROM 'people.parquet'\")")
    return path


def expect_records(X: Any) -> None:
    """UsageError for the name of a file, which is not opened here."""
    if is_path(X):
        raise UsageError(
            "a file's name was given where records are expected: read the file first, by "
            "tacet.read_csv(path, schema), pandas.read_csv(path) or pandas.read_parquet(path), or "
            "give a DuckDB relation, as duckdb.sql(\"FROM 'people.parquet'\"); the command line "
            "takes the name of a CSV file: tacet train people.csv")


def column_names(X: Any) -> Optional[List[str]]:
    """The names of a table's columns; nothing for what has none."""
    labels = _labels(X)
    return None if labels is None else [str(label) for label in labels]


def _labels(X: Any) -> Optional[List[Any]]:
    expect_records(X)
    if isinstance(X, np.ndarray):  # of records, perhaps, whose fields have names
        return None if X.dtype.names is None else list(X.dtype.names)
    if isinstance(X, _streams.Stream):
        return list(X.names)
    if _is_sparse(X):  # one kind of SciPy's is a mapping
        return None
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
        raise DataError(
            "a list of dicts says no names of columns, since each record may have other keys: give "
            "{name: [record.get(name) for record in records] for name in names}, or "
            "pandas.DataFrame(records, columns=names)")
    if isinstance(X, Mapping):
        return list(X)
    if type_of(X) == "tacet.cluster.Parts":
        raise UsageError("records in parts are for `fit` and `evaluate`, which need nothing but their sums: "
                         "give a table or a stream here")
    if _has(X, "column_names"):  # pyarrow
        return list(X.column_names)
    return list(X.columns) if _has(X, "columns") else None  # pandas, polars


def _column(X: Any, place: int, label: Any) -> Any:
    """A column by its place, since a name may stand twice, or be no text."""
    try:
        if _has(X, "iloc"):
            return X.iloc[:, place]
        if _has(X, "to_series"):
            return X.to_series(place)
        if _has(X, "column_names"):
            return X.column(place)
        return X[label]
    except Exception:  # the library's words may quote a value
        pass
    raise DataError(f"column '{label}' cannot be read from a {type_of(X)}")


def is_pandas(X: Any) -> bool:
    """A frame of which every scikit-learn knows the names; what others it knows has changed."""
    return _has(X, "iloc")


def only_column(X: Any) -> Any:
    """The column of a table that has one."""
    labels = _labels(X) or []
    return _column(X, 0, labels[0])


def chosen(X: Any, names: Iterable[str]) -> Dict[str, Any]:
    """The columns of these names that a table has."""
    places = {str(label): (place, label) for place, label in enumerate(_labels(X) or ())}
    return {name: _column(X, *places[name]) for name in names if name in places}


def length(X: Any) -> int:
    """The number of records."""
    expect_records(X)
    if _streams.is_stream(X):
        raise UsageError("a stream does not say how many records it has before they are read: give "
                         "public_row_count as a number")
    try:
        if isinstance(X, Mapping) and not _is_sparse(X):
            return min((len(values) for values in X.values()), default=0)
        if _has(X, "num_rows"):
            return int(X.num_rows)
        return int(X.shape[0]) if _has(X, "shape") else len(X)
    except Exception:
        pass
    gathers = next((name for name in ("toPandas", "compute", "collect") if _has(X, name)), None)
    raise DataError(f"a {type_of(X)} is no table of records, or no array of them"
                    + (f"; give what its {gathers}() returns" if gathers else ""))


# Numbered features.


def numbers_of(X: Any) -> Any:
    """X as float64 in C order, or in compressed sparse rows. What no schema declares is a number:
    types that hold others are refused, single values that are none are missing."""
    if _is_sparse(X):
        return _sparse_numbers(X)
    labels = _labels(X)
    if labels is None:
        array = _dense_numbers(X)
    else:
        array = _table_numbers(X, labels)
    if array.shape[1] == 0:
        raise DataError(
            "Found array with 0 feature(s) (shape=(, 0)) while a minimum of 1 is required.")
    if array.shape[0] == 0:
        raise DataError("Found array with 0 sample(s) while a minimum of 1 is required.")
    return array


def _is_sparse(X: Any) -> bool:
    return _has(X, "tocsr") and _has(X, "shape")


def _sparse_numbers(X: Any) -> Any:
    if len(X.shape) != 2:
        raise DataError(_NOT_2D.format("a sparse array of other dimensions"))
    if X.dtype.kind == "c":
        raise DataError(f"Complex data not supported: X has the type {X.dtype}")
    if X.dtype.kind not in "biuf":
        raise DataError(f"X has the type {X.dtype}, and must hold numbers")
    return X.tocsr().astype(np.float64, copy=False)


def _dense_numbers(X: Any) -> Any:
    if isinstance(X, (list, tuple)):
        array = _of_objects(X)
    else:
        array = X if isinstance(X, np.ndarray) else numbers_of_column(X, "X")
    if array.ndim != 2:
        raise DataError(_NOT_2D.format({0: "scalar array", 1: "1D array"}.get(
            array.ndim, f"array with dim {array.ndim}")))
    if array.dtype.kind in "biuf" and not isinstance(array, np.ma.MaskedArray):
        return np.ascontiguousarray(array, dtype=np.float64)
    flat = numbers_of_column(array.ravel(), "X")
    return np.ascontiguousarray(flat).reshape(array.shape)


def _of_objects(X: Any) -> Any:
    """Rows of values that keep their own types: one of another type changes no other one.

    A row is what holds entries; what these hold has no say in the shape. Without any row it is an
    array of one dimension.
    """
    rows = [_entries_of(row) for row in X]
    if all(row is None for row in rows):
        return np.fromiter(X, dtype=object, count=len(rows))
    count = next(len(row) for row in rows if row is not None)
    if any(row is None or len(row) != count for row in rows):
        raise DataError("the rows of X are of different lengths")
    flat = (entry for row in rows if row is not None for entry in row)
    return np.fromiter(flat, dtype=object, count=count * len(rows)).reshape(len(rows), count)


def _entries_of(row: Any) -> Optional[List[Any]]:
    """Those of a row; nothing for a value by itself."""
    if isinstance(row, (str, bytes)):
        return None
    try:
        if isinstance(row, (Sequence, np.ndarray)):
            return list(row)
        if _has(row, "__array__") and not _has(row, "columns"):  # one dimension of another library
            return list(np.asarray(row, dtype=object))
    except Exception:  # it has no dimension
        pass
    return None


def _table_numbers(X: Any, labels: List[Any]) -> Any:
    columns = [numbers_of_column(_column(X, k, label), f"column '{label}'")
               for k, label in enumerate(labels)]
    if any(column.ndim != 1 for column in columns):
        raise DataError("the columns of X must have one dimension each")
    if len({len(column) for column in columns}) > 1:
        raise DataError("the columns of X are of different lengths")
    out = np.empty((len(columns[0]) if columns else 0, len(columns)))
    for k, column in enumerate(columns):
        out[:, k] = column
    return out


def numbered_rows(X: Any, y: Any) -> _engine.Rows:
    """Rows of what ``numbers_of`` made."""
    labels = None if y is None else engine_column("y", y)
    if isinstance(X, np.ndarray):
        return _engine.Rows.dense(X, labels)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.size and not 0 <= X.indices.min() <= X.indices.max() < X.shape[1]:
        raise DataError("a sparse matrix has indices that are none of its columns")
    return _engine.Rows.sparse(
        np.array(X.indptr, dtype=np.int64),
        np.ascontiguousarray(X.indices).astype(np.uint32, copy=False),
        np.ascontiguousarray(X.data, dtype=np.float64), X.shape[1], labels)


# Named columns.


def table_rows(X: Any, names: Sequence[str], wanted: Sequence[str], beside: Dict[str, Any],
               dates: Iterable[str] = (), whole: bool = False) -> _engine.Rows:
    """Rows of a table of columns: a frame, an Arrow table, a mapping, or an array with `names`.

    All those `wanted` must be there, or `beside`. An array, or Python's own list of rows, may hold
    times in its columns of `dates`. The `whole` table, with columns that nobody reads, is for a
    ledger, which knows records again by all of them.
    """
    X = _streams.opened(X)
    if isinstance(X, _streams.Stream):
        return _streams.rows_of(X, wanted, whole)
    dated = frozenset(dates)
    further = [(name, engine_column(name, values)) for name, values in beside.items()]
    if not wanted and not beside:  # a model of the constant alone still has one answer a record
        further = [("", np.zeros(length(X), dtype=bool))]
    labels = _labels(X)
    if labels is None:
        read = frozenset(names if whole else wanted) - beside.keys()
        return _engine.Rows.table(None, _array_columns(X, names, read, dated) + further)
    chosen = [(k, label) for k, label in enumerate(labels)
              if str(label) in set(wanted) and str(label) not in beside]
    missing = set(wanted) - beside.keys() - {str(label) for _, label in chosen}
    if missing:
        first = next(name for name in wanted if name in missing)
        raise DataError(f"the records have no column '{first}', which the schema reads")
    streamed = [] if isinstance(X, Mapping) else [entry for entry in chosen if _is_typed(X, *entry)]
    stream = _stream_of(X, streamed) if streamed else None
    if stream is not None:
        chosen = [entry for entry in chosen if entry not in streamed]
    own = [(str(label), engine_column(str(label), _column(X, k, label), str(label) in dated))
           for k, label in chosen]
    if whole:
        own += _unread_columns(X, labels, {*wanted, *beside})
    return _engine.Rows.table(stream, own + further)


def _unread_columns(X: Any, labels: List[Any], read: Collection[str]) -> List[Tuple[str, Any]]:
    """The other columns; what is none that the engine takes tells nothing about the records."""
    columns = []
    for place, label in enumerate(labels):
        if str(label) in read:
            continue
        try:
            columns.append((str(label), engine_column(str(label), _column(X, place, label))))
        except DataError:
            continue
    return columns


def named_columns(X: Any, names: Optional[Sequence[str]] = None, dates: Sequence[str] = (),
                  whole: bool = False, passes: str = "several") -> _engine.Rows:
    """All columns of a table, or those `names` that it has, in their order.

    An array has columns of these names in their order. `whole` as for `table_rows`. Of a stream
    that is read in several `passes` the batches are kept; of one that is read "once", they are not.
    """
    X = _streams.opened(X, passes != "once")
    if isinstance(X, _streams.Stream):
        return _streams.rows_of(X, X.names if names is None else
                                [name for name in names if name in X.names], whole)
    labels = _labels(X)
    if labels is None and names is None:
        raise DataError("columns need names: give a frame, an Arrow table or a mapping of columns")
    if labels is None:
        return _engine.Rows.table(None, _array_columns(X, names or (), frozenset(names or ()),
                                                       frozenset(dates)))
    given = [str(label) for label in labels]
    wanted = given if names is None else [name for name in names if name in given]
    twice = [name for name in wanted if given.count(name) > 1]
    if twice:
        raise DataError(f"column '{twice[0]}' appears twice")
    places = [given.index(name) for name in wanted]
    columns = [(given[k], engine_column(given[k], _column(X, k, labels[k]), given[k] in dates))
               for k in places]
    if whole:
        columns += _unread_columns(X, labels, set(wanted))
    return _engine.Rows.table(None, columns)


def _is_typed(X: Any, place: int, label: Any) -> bool:
    """Whether a column's type is its own: that of Python's objects would be guessed from them."""
    column = _column(X, place, label)
    if is_taken_apart(column):
        return False
    dtype = getattr(column, "dtype", None) if _has(X, "iloc") else None
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        dtype = getattr(categories, "dtype", None)
    return not (isinstance(dtype, np.dtype) and dtype.kind == "O")


def _stream_of(X: Any, chosen: List[Tuple[int, Any]]) -> Any:
    """The columns as a stream of Arrow's C interface; nothing where no library makes one."""
    if not _has(X, "__arrow_c_stream__"):
        return None
    places = [place for place, _ in chosen]
    try:
        if _has(X, "iloc"):  # an index would be a column more
            part = X.iloc[:, places].reset_index(drop=True)
            part.columns = [str(label) for label in part.columns]
        elif _has(X, "column_names"):
            part = X.select(places)
        else:
            part = X[:, places]
        return part.__arrow_c_stream__()
    except Exception:  # the library's words may quote a value
        return None


def _array_columns(X: Any, names: Sequence[str], wanted: "frozenset[str]",
                   dates: "frozenset[str]") -> List[Tuple[str, Any]]:
    if isinstance(X, (list, tuple)):
        X = _of_objects(X)
    elif not isinstance(X, np.ndarray):
        raise DataError(f"a {type_of(X)} has no columns by name: give a frame, an Arrow table, a "
                        "mapping, or an array")
    if X.ndim != 2 or X.shape[1] != len(names):
        given = f"{X.shape[1]} columns" if X.ndim == 2 else f"{X.ndim} dimensions"
        raise DataError(
            f"records without column names must be an array of {len(names)} columns, got {given}; "
            f"it is read as {', '.join(names)}")
    return [(name, engine_column(name, X[:, k], name in dates))
            for k, name in enumerate(names) if name in wanted]
