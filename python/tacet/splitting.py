"""Records split into a training and a test part, for their owner."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Tuple

import numpy as np

from . import _arguments, _engine, _records, _spending, _tables
from ._boundary import boundary
from ._reading import Table
from ._warn import warn
from .errors import UsageError
from .schemas import Schema


@boundary
def split(
    data: Any,
    *,
    test: float = 0.2,
    by: str = "",
    stratify: str = "",
    seed: int = 1,
    schema: Optional[Schema] = None,
    train_output: str = "",
    test_output: str = "",
    overwrite: bool = False,
) -> Tuple[Any, Any]:
    """Splits records into two parts, for the owner only: both hold records as they are.

    Whoever is in a part stays under the same budget as in the whole.

    Parameters
    ----------
    data : frame, Arrow table, mapping of columns, array, sparse matrix or path
        A path is that of a CSV or LIBSVM file, whose parts become files.
    test : float
        Share of the records that go to the test.
    by : str
        Column: records that share its value, a person's say, stay on one side.
    stratify : str
        Column: each of its values is split by the share.
    seed : int
        The same seed gives the same parts.
    schema : Schema, optional
        Says how a file is written, which is guessed otherwise.
    train_output, test_output : str
        Names of a file's parts, by default its own with ``_train`` and ``_test``.
    overwrite : bool
        Whether these may exist.

    Returns
    -------
    train, test
        Of the kind of ``data``; of a file the names of both parts.

    Examples
    --------
    >>> import numpy as np, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     train, test = split(np.arange(20).reshape(10, 2))
    >>> train.shape, test.shape
    ((8, 2), (2, 2))
    """
    options = _engine.SplitOptions()
    options.test_share = _spending.number("test", test)
    options.seed = _spending.count("seed", seed)
    options.together, options.stratify = str(by), str(stratify)
    path = _records.path_of(data)
    if path is not None:
        held = None if schema is None else _tables.checked(schema)._engine
        names = (str(os.fspath(train_output)) or _part_name(path, "train"),
                 str(os.fspath(test_output)) or _part_name(path, "test"))
        for one, other in (names, (path, names[0]), (path, names[1])):
            if _arguments.same_place(one, other):
                raise UsageError(f"'{other}' would hold two of the records, train_output and test_output: "
                                 "name other files")
        account = _engine.split_file(path, options, held, names, overwrite)
        if account:
            warn(account)
        parts: Tuple[Any, Any] = names
    else:
        if train_output or test_output or schema is not None:
            raise UsageError("schema, train_output and test_output are for files")
        chosen = np.asarray(_engine.split(_deciding(data, by or stratify), options), dtype=bool)
        parts = _taken(data, np.flatnonzero(~chosen)), _taken(data, np.flatnonzero(chosen))
    warn("NOT PRIVATE: both parts hold records as they are, for their owner only")
    return parts


def _deciding(data: Any, column: str) -> _engine.Rows:
    """The column that decides, or one that says how many records there are."""
    if not column:
        return _engine.Rows.table(None, [("record", np.zeros(_arguments.length(data)))])
    if _records.column_names(data) is None:
        raise UsageError("by and stratify name a column, and an array has no names")
    rows = _tables.named_columns(data, [column])
    assert not isinstance(rows, str)
    return rows


def _taken(data: Any, places: Any) -> Any:
    if isinstance(data, Mapping):
        parts = {name: _taken(values if isinstance(values, (list, tuple)) else np.asarray(values),
                              places) for name, values in data.items()}
        return Table(parts) if isinstance(data, Table) else parts
    if hasattr(type(data), "iloc"):
        return data.iloc[places]
    if hasattr(type(data), "column_names"):  # pyarrow
        return data.take(places)
    if isinstance(data, (list, tuple)):
        return [data[place] for place in places]
    return data[places]


def _part_name(path: str, part: str) -> str:
    """"survey.csv.gz" becomes "survey_test.csv", in its folder."""
    folder, name = os.path.split(path)
    if name.endswith(".gz"):
        name = name[:-3]
    stem, ending = os.path.splitext(name)
    return os.path.join(folder, f"{stem}_{part}{ending}")
