"""What the functions give back: the program's JSON as a mapping, with the receipt as an object."""

from __future__ import annotations

import html
import json
from typing import Any, Dict, Iterator, Mapping

from . import _engine
from .receipts import Receipt


class Result(Mapping[str, Any]):
    """Entries by key or as attributes, as ``--json`` prints them.

    >>> Result('{"records": 5}').records
    5
    """

    def __init__(self, words: str) -> None:
        self._words = words
        self._entries: Dict[str, Any] = json.loads(words)

    def __getitem__(self, key: str) -> Any:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getattr__(self, name: str) -> Any:
        entries = self.__dict__.get("_entries", {})
        if name in entries:
            return entries[name]
        raise AttributeError(f"a result has no {name}")

    @property
    def receipt(self) -> Receipt:
        """What it cost."""
        if "receipt" not in self._entries:
            raise AttributeError("this result released nothing and has no receipt")
        return Receipt(*_engine.receipt_of(self._words))

    def to_json(self) -> str:
        """The text that the program prints."""
        return self._words

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self._entries.items()
                          if isinstance(value, (int, float, str)))
        return f"<tacet.{type(self).__name__}: {shown}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(str(key))}</th><td>{html.escape(json.dumps(value))}</td></tr>"
            for key, value in self._entries.items() if key != "receipt")
        return f"<table>{rows}</table>"
