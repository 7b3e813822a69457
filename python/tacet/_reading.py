"""Files read into memory as the program reads them, and what pandas makes of the same files."""

from __future__ import annotations

import itertools
import os
from typing import AbstractSet, Any, Dict, Iterator, List, Sequence, Set, Tuple, Union

from . import _engine, _records
from ._boundary import boundary
from ._warn import warn
from .errors import UsageError
from .schemas import Schema

Paths = Union[str, "os.PathLike[str]"]

# What pandas.read_csv takes for a missing value by default, in any column (its STR_NA_VALUES).
_MISSING_TO_PANDAS = frozenset({
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"})


class Table(Dict[str, List[str]]):
    """The columns of a file, each a list of texts: a mapping of columns as every function takes it.

    >>> Table(age=["41", "None"])["age"]
    ['41', 'None']
    """


@boundary
def read_csv(path: Paths, schema: Schema) -> Table:
    """The records of a CSV file, cut into fields as ``tacet train`` cuts them.

    Every field stays the text that the file has, so that the schema alone decides what is a number
    and what is missing: a fit to the result is the program's, byte by byte. ``pandas.read_csv``
    decides by itself, and takes the words None, NA and null for missing ones; with
    ``keep_default_na=False`` it does not.

    Parameters
    ----------
    path : path
        A CSV file, perhaps compressed by gzip, whose records are private: so is the result.
    schema : Schema
        Says how the file is written: its separator, its quotes, its names.

    Returns
    -------
    Table
        A mapping of all columns of the file, in its order. ``pandas.DataFrame(table)`` makes a
        frame of it. Columns that the schema does not read may share a name in the file: the second
        "note" is "note.1" here. At prediction an array has the schema's columns, in its order.

    Examples
    --------
    >>> import tacet, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "people.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("age,allergy\\n41,None\\n37,pollen\\n")
    >>> schema = tacet.Schema([tacet.numeric("age", 0, 100),
    ...                        tacet.categorical("allergy", ["None", "pollen"])])
    >>> read_csv(path, schema)
    {'age': ['41', '37'], 'allergy': ['None', 'pollen']}
    """
    if not isinstance(schema, Schema):
        raise UsageError("schema must be a tacet.Schema; Schema.load(path) reads a file")
    read = {*schema.columns} | {name for name in (schema.target, schema.unit) if name}
    names, columns = _engine.read_csv(_records.path_of(path) or os.fspath(path), schema._engine, read)
    return Table(zip(_different(names, read), columns))


def _different(names: Sequence[str], read: AbstractSet[str]) -> List[str]:
    """Keys of a mapping: what nobody reads may be named twice, or not in UTF-8, in a file."""
    taken = {*names, *read}
    known: Set[str] = set()
    keys = []
    for name in names:
        key = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if name in known or key != name:
            stem, numbers = key, itertools.count(1)
            while key in taken or key in known:
                key = f"{stem}.{next(numbers)}"
        known |= {name, key}
        keys.append(key)
    return keys


def warn_of_words(schema: Schema, X: Any, y: Any = None) -> None:
    """That pandas may have lost a word which the schema lists.

    It depends on the schema, and on the types and names of what was given, alone: whether a column
    holds such a word, or held it in its file, is private.
    """
    frame, series = _records.is_pandas(X), _records.is_pandas(y)
    if not frame and not series:
        return
    there = (_records.column_names(X) or []) if frame else []
    for name, word in _listed_words(schema):
        if name in there or series and name == schema.target:
            warn(f"the schema lists '{word}' for column '{name}', and pandas.read_csv takes that "
                 "word for a missing value; then the model is not that of the file. Read files by "
                 "tacet.read_csv(path, schema), or with keep_default_na=False. Every pandas table "
                 "has this warning with such a schema, whatever the column holds", UserWarning)
            return


def _listed_words(schema: Schema) -> Iterator[Tuple[str, str]]:
    keys = schema.to_dict()
    for column in keys.get("column", []):
        for word in column.get("categories", []):
            if word in _MISSING_TO_PANDAS:
                yield str(column["name"]), word
    target = keys.get("target", {})
    for key in ("positive", "negative", "classes"):
        words = target.get(key, [])
        for word in [words] if isinstance(words, str) else words:
            if word in _MISSING_TO_PANDAS and schema.target is not None:
                yield schema.target, word
