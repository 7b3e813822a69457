"""What the functions give back: the program's JSON as a mapping, with the receipt as an object."""

from __future__ import annotations

import html
import json

from . import _engine
from ._frozen import FrozenText
from .receipts import Receipt


class Result(FrozenText):
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

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(str(key))}</th><td>{html.escape(json.dumps(value))}</td></tr>"
            for key, value in self.items() if key != "receipt")
        return f"<table>{rows}</table>"
