"""What the functions give back: the program's JSON as a mapping, with the receipt as an object."""

from __future__ import annotations

from typing import Tuple

from . import _engine, _reports
from ._frozen import FrozenText
from ._reports import Reports
from .errors import UsageError
from .receipts import Receipt


class Result(Reports, FrozenText):
    """Entries by key or as attributes, as ``--json`` prints them. Nobody changes them.

    >>> Result('{"records": 5}').records
    5
    """

    __slots__ = ()

    @property
    def receipt(self) -> Receipt:
        """What it cost."""
        if "receipt" not in self:
            raise AttributeError("this result released nothing and has no receipt")
        return Receipt(_engine.receipt_of(self._words)[0])

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.items()
                          if isinstance(value, (int, float, str)))
        return f"<tacet.{type(self).__name__}: {shown}>"

    def _reported(self) -> Tuple[str, bytes]:
        if "receipt" not in self:
            raise UsageError("this result released nothing, so that there is nothing to report")
        return type(self).__name__.lower(), self._words.encode()

    def _repr_html_(self) -> str:
        if "receipt" in self:
            return _reports.shown([self._reported()], None, "promise", "metrics", "summary")
        return _reports.table(list(self.items()))
