"""What the makers of schemas are told about a table: names, texts, and whether its file has a header."""

from __future__ import annotations

import os
from typing import Any, Optional

from . import _engine
from .errors import UsageError


def vouched(header: Optional[bool], data: Any) -> bool:
    """Whether somebody says that the first line names columns."""
    if not isinstance(data, (str, os.PathLike)):
        return True
    if header is not None and not header:
        raise UsageError(
            "a file without a line of names would give its first record away as names: read it "
            "with names of your own (pandas.read_csv(file, names=[...])) and hand over the frame")
    return bool(header)


def said(**keys: Any) -> _engine.Said:
    made = _engine.Said()
    for key, value in keys.items():
        if key not in ("ignored", "missing") and not isinstance(value, str):
            raise UsageError(f"{key} must be a text, got {value!r}")
        setattr(made, key, value)
    return made
