"""Records that come as a stream of Arrow's C interface, batch by batch, and are not held as a whole.

A stream says the names and types of its columns before its first record: these are public, and all
that is looked at here. The engine reads the rest, once.
"""

from __future__ import annotations

import weakref
from typing import Any, Dict, Iterator, List, Sequence

from . import _engine
from ._columns import type_of
from .errors import DataError, UsageError

# How a thing that is no stream itself makes one: a method, and its arguments. DuckDB's relations and
# connections; cursors of ADBC and older DuckDB; scanners of a dataset.
_READERS = (("to_arrow_reader", (1 << 16,)), ("fetch_record_batch", ()), ("to_reader", ()))
# Those of them that make a new stream as often as they are asked to.
_READ_AGAIN = ("DuckDBPyRelation", "Scanner", "Dataset")

_taken: Dict[int, Any] = {}  # streams that were handed to the engine, by their places in memory


class Stream:
    """A stream that is open and not read yet; what was given for it, and what gave it out."""

    __slots__ = ("rows", "names", "given", "source")

    def __init__(self, rows: _engine.Rows, given: Any, source: Any) -> None:
        self.rows = rows
        self.names: List[str] = list(rows.names)
        self.given = given
        self.source = source


def is_stream(X: Any) -> bool:
    """Whether records are given out one batch after the other, and no column is there as a whole."""
    kind = type(X)
    if isinstance(X, Stream):
        return True
    if any(hasattr(kind, name) for name in ("iloc", "to_series", "column_names", "__array__")):
        return False  # frames of pandas and polars, tables of Arrow, arrays
    return hasattr(kind, "__arrow_c_stream__") or _reader_of(kind) is not None or _is_dataset(kind)


def is_read_once(X: Any) -> bool:
    """Whether it is a stream that cannot be made a second time."""
    given = X.given if isinstance(X, Stream) else X
    return is_stream(X) and not _is_made_again(type(given))


def opened(X: Any, several_passes: bool = False) -> Any:
    """A stream of the records where they are one; everything else as it is.

    With several passes over them the engine keeps the batches.
    """
    if isinstance(X, Stream) or not is_stream(X):
        return X
    _refuse_read(X, X)
    source = _source_of(X)
    _refuse_read(source, X)
    return Stream(_engine.Rows.stream(_capsule_of(source, X), several_passes), X, source)


def _refuse_read(source: Any, given: Any) -> None:
    """UsageError for a stream that was read before."""
    held = _taken.get(id(source))
    if held is not None and held() is source:
        raise UsageError(
            f"the records of this {type_of(given)} were read before, and come only once: make a "
            f"new one, or give {_again(given)}, which can be read again")


def refuse_second_pass(X: Any, what: str) -> None:
    """UsageError for a stream that is read once, where `what` reads records several times."""
    if is_read_once(X):
        given = X.given if isinstance(X, Stream) else X
        raise UsageError(
            f"{what} goes over the records several times, and those of a {type_of(given)} come "
            f"only once: give {_again(given)}, which can be read again")


def expect_alone(X: Any, **beside: Any) -> None:
    """UsageError for what stands beside a stream, whose length nobody knows before its end."""
    for name, values in beside.items():
        if isinstance(X, Stream) and values is not None:
            raise UsageError(
                f"the records of a stream bring their targets and units along as columns: leave "
                f"{name} out")


def rows_of(stream: Stream, wanted: Sequence[str], whole: bool = False) -> _engine.Rows:
    """The records for the engine, which is about to read them. All columns that are `wanted` must
    be there once. A ledger is given the `whole` stream."""
    for name in wanted:
        if name not in stream.names:
            raise DataError(f"the records have no column '{name}', which the schema reads")
        if stream.names.count(name) > 1:
            raise DataError(f"column '{name}' appears twice")
    _take(stream.source)
    if whole:
        stream.rows.give_further_columns()
    return stream.rows


def _take(source: Any) -> None:
    """Remembers a stream that is read, and forgets it when nobody holds it any more."""
    place = id(source)
    try:
        _taken[place] = weakref.ref(source, lambda _: _taken.pop(place, None))
    except TypeError:  # of a type that cannot be remembered: the engine sees that nothing comes
        pass


def _reader_of(kind: type) -> Any:
    if hasattr(kind, "__arrow_c_stream__") and not _is_made_again(kind):
        return None
    return next((entry for entry in _READERS if hasattr(kind, entry[0])), None)


def _is_dataset(kind: type) -> bool:
    return hasattr(kind, "scanner") and any(base.__name__ == "Dataset" for base in kind.__mro__)


def _is_made_again(kind: type) -> bool:
    return any(base.__name__ in _READ_AGAIN for base in kind.__mro__)


def _source_of(X: Any) -> Any:
    """What gives out the batches: a thing itself, or the reader that it makes. A cursor makes the
    same one until it runs another query."""
    try:
        if _is_dataset(type(X)):
            X = X.scanner()
        reader = _reader_of(type(X))
        return X if reader is None else getattr(X, reader[0])(*reader[1])
    except KeyboardInterrupt:
        raise
    except BaseException:  # the library's words may quote a value; panics of Rust are no Exception
        pass
    raise _gives_none(X)


def _capsule_of(source: Any, given: Any) -> Any:
    try:
        if type(source).__name__ == "RecordBatchReader" and hasattr(source, "read_next_batch"):
            # pyarrow hands batches of any type on as those of the stream.
            source = type(source).from_batches(source.schema, _checked(source))
        return source.__arrow_c_stream__()
    except KeyboardInterrupt:
        raise
    except BaseException:  # likewise
        pass
    raise _gives_none(given)


def _checked(reader: Any) -> Iterator[Any]:
    """The batches of pyarrow's reader. Its errors become ones of input, and another type is an
    invalid argument: what is raised here arrives at the engine as such a number."""
    kinds = reader.schema
    while True:
        batch: Any = None
        failed = False
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException:  # likewise
            failed = True
        if failed:
            raise OSError("the reader fails")
        if not batch.schema.equals(kinds):
            raise ValueError("a batch of another type")
        yield batch


def _gives_none(X: Any) -> DataError:
    return DataError(
        f"a {type_of(X)} gives no stream of its records: its connection may be closed, its query "
        "may fail or have no result, or another result of it may be open; what its library says may "
        "quote a value, and is left out")


def _again(X: Any) -> str:
    """What holds the same records, and can be read again."""
    if type(X).__name__ == "RecordBatchReader":
        return "the table that read_all() makes of a new reader, or the dataset or relation behind it"
    return "a table of them (pyarrow.Table, pandas.DataFrame), or a DuckDB relation"
