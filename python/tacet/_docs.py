"""The documentation of estimators: the engine's parameters in its words, then the package's."""

from __future__ import annotations

import inspect
import textwrap
from typing import List, Tuple

from . import _engine

_TYPES = {"integer": "int", "real": "float", "text": "str"}
_MORE_TYPES = {"public_row_count": "int or 'observed'", "class_weights": "dict or str",
               "radius": "float or 'auto'", "knots": "int or str", "feature_selection": "float or str",
               "group_column": "str or int"}
_FOR_WIDE = {"hidden": "int, list of int or 'none'", "left": "list of str", "right": "list of str"}
_CLASSES_ONLY = ("classes", "class_weights")
_NUMBERS_ONLY = ("target_bounds",)
# Name, type, what it is: of what the program says by a schema's file or by other options.
_OWN: Tuple[Tuple[str, str, str], ...] = (
    ("schema", "Schema", "What is public about the columns and the target; or else ``bounds``."),
    ("bounds", "pair, list of pairs or dict of pairs",
     "Lower and upper bound of all columns, or of each by its place, name or number: public "
     "knowledge, to which values are clipped."),
    ("target_bounds", "pair",
     "The least and the largest target, which are public; beside ``bounds``."),
    ("classes", "list or 'observed'",
     "The labels, of two the positive one last; beside ``bounds``. 'observed' declares that the "
     "set of labels in ``y`` is public."),
    ("row_scaling", "str", "'clip1' or 'const', as of a schema; beside ``bounds``."),
    ("intercept", "bool", "Whether there is a constant; beside ``bounds``."),
    ("storage", "str", "'dense' or 'sparse', how encoded records are kept; beside ``bounds``."),
    ("ledger", "Ledger", "Its account pays, and remembers the records."),
    ("data_set", "str", "The account in the ledger, where it has several; a name in the receipt."),
    ("budget", "Budget", "It pays, shared by all copies of the estimator."),
    ("random_state", "int",
     "None is the operating system's randomness; a number makes the run repeatable, protects "
     "nobody, and marks model and receipt for ever."),
    ("verbose", "int", "1 shows a bar on a terminal."),
    ("callback", "callable",
     "``callback(phase, done, total)``, ten times a second at most, with public numbers alone."),
)
_LINEAR_ONLY = ("coef_", "intercept_", "coef_noise_", "effects_")
_FITTED = (
    ("architecture_", "dict", "Columns with vectors, layers, and the number of numbers."),
    ("coef_", "array", "In encoded units; of classes a row each, of two classes one row."),
    ("intercept_", "array or float", "The constant, in encoded units."),
    ("coef_noise_", "array",
     "How far privacy's noise alone moves each coefficient; NaN: not known."),
    ("effects_", "list", "What a step of each column does, in the units of the records."),
    ("classes_", "array", "Of classifiers, in the order of ``predict_proba``."),
    ("receipt_", "Receipt", "What was run and released, and the guarantee."),
    ("plan_", "dict", "What was settled before a record was read, with the reasons."),
    ("n_features_in_, feature_names_in_", "int, array", "As scikit-learn's."),
)


def documented(own: str, is_classifier: bool, wide: bool) -> str:
    """An estimator's summary and example with everything that all of them share between."""
    summary, _, example = inspect.cleandoc(own).partition("\n\n>>> ")
    hidden = _NUMBERS_ONLY if is_classifier else _CLASSES_ONLY
    entries = [entry for entry in (*_of_the_engine(wide), *_OWN) if entry[0] not in hidden]
    missing = {*(_LINEAR_ONLY if wide else ("architecture_",)),
               *(() if is_classifier else ("classes_",))}
    fitted = [entry for entry in _FITTED if entry[0] not in missing]
    parts = [summary, _section("Parameters", [_entry(name, f"{kind}, optional", words)
                                              for name, kind, words in entries]),
             _section("Attributes", [_entry(*entry) for entry in fitted])]
    if example:
        parts.append(_section("Examples", [f">>> {example}"]))
    return "\n\n".join(parts) + "\n"


def _of_the_engine(wide: bool) -> List[Tuple[str, str, str]]:
    found = []
    for entry in _engine.parameters(wide):
        name = entry["name"].replace("-", "_")
        words = _sentence(entry["help"].replace("--", ""))
        found.append((name, {**_MORE_TYPES, **_FOR_WIDE}.get(name, _TYPES[entry["type"]]),
                      f"{words} Range: {entry['range']}. Default: {entry['default']}."))
    return found


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _section(title: str, entries: List[str]) -> str:
    return "\n".join([title, "-" * len(title), *entries])


def _entry(name: str, kind: str, words: str) -> str:
    return f"{name} : {kind}\n" + textwrap.fill(words, 96, initial_indent="    ",
                                                subsequent_indent="    ")

