"""What a release cost, as it stands in the model file."""

from __future__ import annotations

from typing import Tuple

from . import _engine, _reports
from ._frozen import FrozenText
from ._reports import Reports


class Receipt(Reports, FrozenText):
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

    def _reported(self) -> Tuple[str, bytes]:
        return "receipt", self._words.encode()

    def _repr_html_(self) -> str:
        return _reports.shown([self._reported()], None, "promise", "cost")
