"""The arguments of estimators, and the text of the module that declares them.

The engine's table of options says what the parameters of a training are; here stand the types that
Python knows better and the arguments that only Python has. When the extension is built,

    python _signature.py FOLDER OUTPUT

imports it from FOLDER and writes OUTPUT, which is installed as tacet/_options.py: arguments that
inspect, editors and type checkers read without running anything. So this file imports nothing else
of the package.
"""

from __future__ import annotations

import importlib
import pathlib
import sys
from typing import Any, Dict, List, Tuple

Entry = Dict[str, str]

_TYPES = {"integer": ("int", "int"), "real": ("float", "float"), "text": ("str", "str")}
# Name: its annotation and its type in words, where the engine's type alone does not say it.
_MORE_TYPES = {
    "public_row_count": ("Union[int, str]", "int or 'observed'"),
    "class_weights": ("Union[Dict[Any, float], str]", "dict or str"),
    "radius": ("Union[float, str]", "float or 'auto'"),
    "knots": ("Union[int, str, None]", "int, 'auto' or None"),
    "curves": ("Union[float, str]", "float, 'auto' or 'none'"),
    "feature_selection": ("Union[float, str]", "float or str"),
    "group_column": ("Union[str, int]", "str or int"),
    "hidden": ("Union[int, Sequence[int], str]", "int, list of int or 'none'"),
    "left": ("Union[str, Sequence[str]]", "list of str"),
    "right": ("Union[str, Sequence[str]]", "list of str"),
}
_DEFAULTS = {"method": '"auto"', "knots": '"auto"', "verbose": "0"}  # None elsewhere: the engine's default
# Name, annotation, type in words, what it is: what the program says by a schema's file or by other
# options.
OWN: Tuple[Tuple[str, str, str, str], ...] = (
    ("schema", "Schema", "Schema",
     "What is public about the columns and the target; or else ``bounds``."),
    ("bounds", "Any", "pair, list of pairs or dict of pairs",
     "Lower and upper bound of all columns, or of each by its place, name or number: public "
     "knowledge, to which values are clipped."),
    ("target_bounds", "Any", "pair",
     "The least and the largest target, which are public; beside ``bounds``."),
    ("classes", "Union[Sequence[Any], str]", "list or 'observed'",
     "The labels, of two the positive one last; beside ``bounds``. 'observed' declares that the "
     "set of labels in ``y`` is public."),
    ("row_scaling", "str", "str", "'clip1' or 'const', as of a schema; beside ``bounds``."),
    ("intercept", "bool", "bool", "Whether there is a constant; beside ``bounds``."),
    ("storage", "str", "str",
     "'dense' or 'sparse', how encoded records are kept; beside ``bounds``."),
    ("ledger", "Ledger", "Ledger", "Its account pays, and remembers the records."),
    ("data_set", "str", "str",
     "The account in the ledger, where it has several; a name in the receipt."),
    ("budget", "Budget", "Budget", "It pays, shared by all copies of the estimator."),
    ("random_state", "Any", "int or RandomState",
     "None is the operating system's randomness; a number, or NumPy's RandomState, makes the run "
     "repeatable, protects nobody, and marks model and receipt for ever."),
    ("spool", "Union[str, os.PathLike[str]]", "path",
     "A folder of a disk: a fit, a tuning and ``evaluate`` keep encoded records in a file there, which "
     "has no name and is gone afterwards. None keeps them in memory."),
    ("n_jobs", "int", "int",
     "scikit-learn's word for ``threads``: -1 is all of them, as without either."),
    ("verbose", "int", "int", "1 shows a bar on a terminal."),
    ("callback", "Progress", "callable",
     "``callback(phase, done, total)``, at most ten times per second, with public numbers alone."),
)
_HEAD = '''"""The arguments of estimators. Made by _signature.py from the table of options; do not edit."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Optional, Sequence, Union

from .budgets import Budget, Ledger
from .schemas import Schema

Progress = Callable[[str, int, int], object]
'''
_CLASS = '''

class {name}:
    """{words}"""

    def __init__(
        self,
        *,
{arguments}
    ) -> None:
        for name, value in list(locals().items()):
            if name not in ("self", "__class__"):
                setattr(self, name, value)
'''


def name_of(entry: Entry) -> str:
    """What a parameter of the engine is called as an argument."""
    return entry["name"].replace("-", "_")


def kind_of(entry: Entry) -> str:
    """Its type in words."""
    return _MORE_TYPES.get(name_of(entry), _TYPES[entry["type"]])[1]


def _declared(entries: List[Entry]) -> str:
    types = {name_of(entry): _MORE_TYPES.get(name_of(entry), _TYPES[entry["type"]])[0]
             for entry in entries}
    types.update((name, annotation) for name, annotation, _, _ in OWN)
    lines = []
    for name, annotation in types.items():
        usual = _DEFAULTS.get(name, "None")
        if annotation.startswith("Union[") and usual == "None":
            annotation = f"{annotation[:-1]}, None]"
        elif annotation != "Any" and usual == "None":
            annotation = f"Optional[{annotation}]"
        lines.append(f"        {name}: {annotation} = {usual},")
    return "\n".join(lines)


def written(engine: Any) -> str:
    """The text of the module."""
    return _HEAD + "".join(
        _CLASS.format(name=name, words=words, arguments=_declared(engine.parameters(wide)))
        for name, words, wide in (("LinearOptions", "Arguments of linear models.", False),
                                  ("WideOptions", "Arguments of wide models.", True)))


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    pathlib.Path(sys.argv[2]).write_text(written(importlib.import_module("_engine")), "utf-8")
