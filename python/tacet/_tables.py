"""Tables as the functions take them: frames, mappings, arrays with names, or a file's path."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Union

from . import _engine, _records
from ._reading import warn_of_words
from .errors import UsageError
from .schemas import Schema


def named_columns(
    data: Any, names: Optional[Sequence[str]] = None, dates: Sequence[str] = (),
    whole: bool = False, passes: str = "several"
) -> Union[str, _engine.Rows]:
    """All columns of a table, or those `names` that it has; a path as it is.

    An array has columns of these names in their order. A ledger is given the `whole` table. In how
    many `passes` it is read, "once" or "several", decides what is kept of a stream.
    """
    path = _records.path_of(data)
    if path is not None:
        return path
    return _records.named_columns(data, names, dates, whole, passes)


def of_schema(data: Any, schema: Any, whole: bool = False,
              passes: str = "several") -> Union[str, _engine.Rows]:
    """The columns that a schema reads, its target and unit among them."""
    names = read_names(checked(schema))
    warn_of_words(schema, data)
    return named_columns(data, names, schema._engine.dates, whole, passes)


def checked(schema: Any) -> Schema:
    if not isinstance(schema, Schema):
        raise UsageError("schema must be a tacet.Schema; Schema.load(path) reads a file")
    return schema


def read_names(schema: Schema) -> List[str]:
    names = list(schema.columns)
    return names + [name for name in (schema.target, schema.unit) if name and name not in names]
