"""How messages of the engine name parameters here: as keyword arguments.

The engine writes `public_row_count` and `method=gradient` in backquotes; what it names and no
function here takes stays as it is.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any, Dict, Iterator, Optional

from . import _engine

_MODULES = ("budgets", "devices", "embedding", "estimators", "inference", "local", "planning", "schemas",
            "splitting", "summaries", "tuning", "verification", "wide", "_reading")


def spelled(words: str) -> str:
    """The words with ``public_row_count=`` and ``method='gradient'`` in them."""
    return _engine.spell_parameters(words, _spelling) if "`" in words else words


def _spelling(name: str, value: Optional[str]) -> Optional[str]:
    owner, _, done = name.partition(".")
    if done:  # to a ledger or a schema
        return f"{owner.capitalize()}.{done}"
    if name == "force":
        return "overwrite=True"
    known = _arguments()
    if name not in known:
        return None
    if value is not None:
        return f"{name}={_literal(value)}"
    return f"{name}=True" if isinstance(known[name], bool) else f"{name}="


def _literal(value: str) -> str:
    if value == "inf":
        return "float('inf')"
    try:
        float(value)
    except ValueError:
        return value if value in ("None", "True", "False") else repr(value)
    return value


@functools.lru_cache(maxsize=None)
def _arguments() -> Dict[str, Any]:
    """What functions and classes of the package take, with the default."""
    found: Dict[str, Any] = {}
    for home in _MODULES:
        module = importlib.import_module(f".{home}", __package__)
        for name, thing in vars(module).items():
            if not name.startswith("_") and str(getattr(thing, "__module__", "")).startswith(
                    __package__):
                for function in _functions(thing):
                    for entry in inspect.signature(function).parameters.values():
                        found.setdefault(entry.name, entry.default)
    return found


def _functions(thing: Any) -> Iterator[Any]:
    if inspect.isfunction(thing):
        yield thing
    elif inspect.isclass(thing):
        for name, member in inspect.getmembers(thing, inspect.isroutine):
            if name == "__init__" or not name.startswith("_") and inspect.isfunction(
                    getattr(member, "__func__", member)):
                yield member
