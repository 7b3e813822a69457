"""What a release cost, as it stands in the model file."""

from __future__ import annotations

import html
import json
from typing import Any, Dict, Iterator, Mapping


class Receipt(Mapping[str, Any]):
    """A receipt: its entries by key or as attributes.

    >>> Receipt('{"algorithm": "gradient"}', "Protected.").algorithm
    'gradient'
    """

    def __init__(self, words: str, statement: str) -> None:
        self._words = words
        self._statement = statement
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
        raise AttributeError(f"a receipt has no {name}")

    def statement(self) -> str:
        """The promise in words."""
        return self._statement

    def to_json(self) -> str:
        """The text that the program writes."""
        return self._words

    def __repr__(self) -> str:
        return f"<tacet.Receipt: {self._statement}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(str(key))}</th><td>{html.escape(json.dumps(value))}</td></tr>"
            for key, value in self._entries.items())
        return f"<p>{html.escape(self._statement)}</p><table>{rows}</table>"
