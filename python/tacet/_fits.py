"""What the makers of schemas are told about a table: names, texts, and whether its file has a header."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, TypeVar

from . import _engine
from ._parts import listed
from .errors import UsageError

Made = TypeVar("Made")


def vouched(header: Optional[bool], data: Any) -> bool:
    """Whether somebody says that the first line names columns."""
    if not isinstance(data, (str, os.PathLike)):
        return True
    if header is not None and not header:
        raise UsageError(
            "a file without a line of names would give its first record away as names: read it "
            "with names of your own (pandas.read_csv(file, names=[...])) and hand over the frame")
    return bool(header)


def spelling(**keys: Any) -> _engine.SpellingWords:
    """How a file spells its values."""
    return _filled(_engine.SpellingWords(), keys)


def said(spelled: _engine.SpellingWords, **keys: Any) -> _engine.Said:
    """What is said of a table whose values are spelt that way."""
    made = _filled(_engine.Said(), keys)
    made.spelling = spelled
    return made


def _filled(made: Made, keys: Dict[str, Any]) -> Made:
    for key, value in keys.items():
        several = isinstance(getattr(made, key), list)
        if not several and not isinstance(value, str):
            raise UsageError(f"{key} must be a text, got {value!r}")
        texts = listed(key, value) if several else [value]
        if not all(isinstance(text, str) for text in texts):
            raise UsageError(f"{key} must be texts, got {value!r}")
        setattr(made, key, texts if several else value)
    return made
