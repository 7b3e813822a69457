"""What a release cost, as it stands in the model file."""

from __future__ import annotations

import html
import json

from . import _engine
from ._frozen import FrozenText


class Receipt(FrozenText):
    """A receipt: its entries by key or as attributes. Nobody changes it: what it says, what it
    displays and what ``tacet.verify`` judges is one text.

    >>> Receipt('{"algorithm": "gradient"}').algorithm
    'gradient'
    """

    __slots__ = ()

    def statement(self) -> str:
        """The promise in words, which follows from the entries."""
        words: str = _engine.receipt_of(self._words)[1]
        return words

    def __repr__(self) -> str:
        return f"<tacet.Receipt: {self.statement()}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(str(key))}</th><td>{html.escape(json.dumps(value))}</td></tr>"
            for key, value in self.items())
        return f"<p>{html.escape(self.statement())}</p><table>{rows}</table>"
