"""The documentation of estimators: the engine's parameters in its words, then the package's."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import List, Tuple

from . import _engine, _signature

_CLASSES_ONLY = ("classes", "class_weights")
_NUMBERS_ONLY = ("target_bounds",)
_LINEAR_ONLY = ("inference_", "coef_, intercept_", "coef_noise_", "encoded_coef_, encoded_intercept_",
                "encoded_coef_noise_", "effects_")
_FITTED = (
    ("architecture_", "dict", "Columns with vectors, layers, and the number of numbers."),
    ("coef_, intercept_", "array, array or float",
     "In the columns' own units: ``X @ coef_.T + intercept_`` is the margin of records within the "
     "bounds. Only where the columns are numbers without curves and no row is shortened "
     "(``row_scaling=\"const\"``); elsewhere an AttributeError."),
    ("coef_noise_", "array",
     "How far privacy's noise alone moves each entry of ``coef_``; NaN: not known."),
    ("encoded_coef_, encoded_intercept_", "array, array or float",
     "In encoded units, see ``encoded_names_``; of classes a row each, of two classes one row."),
    ("encoded_coef_noise_", "array",
     "How far privacy's noise alone moves each of them; NaN: not known."),
    ("effects_", "list",
     "What each column does, a dict each, in the units of the records: ``step``, ``effect``, "
     "``noise_sd`` and ``odds_ratio``; of a column with a curve ``range``, ``direction`` and "
     "``steepest``. For a record of middle length."),
    ("classes_", "array", "Of classifiers, in the order of ``predict_proba``."),
    ("inference_", "RegressionResults",
     "Of ``method=\"inference\"``: ``params``, ``bse``, ``conf_int()``, ``summary()``. Such an "
     "estimator predicts nothing."),
    ("n_iter_", "int or None",
     "The steps or, of methods that count them, the passes; None where a method solves directly."),
    ("receipt_", "Receipt", "What was run and released, and the guarantee."),
    ("plan_", "dict", "What was chosen before a record was read, with the reasons."),
    ("n_features_in_, feature_names_in_", "int, array", "As scikit-learn's."),
)


def documented(own: str, is_classifier: bool, wide: bool) -> str:
    """An estimator's summary and example with everything that all of them share between."""
    summary, _, example = inspect.cleandoc(own).partition("\n\n>>> ")
    own_arguments = [(name, kind, words) for name, _, kind, words in _signature.OWN]
    hidden = _NUMBERS_ONLY if is_classifier else _CLASSES_ONLY
    entries = [entry for entry in (*_of_the_engine(wide), *own_arguments) if entry[0] not in hidden]
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
        words = (f"{_sentence(entry['help'])} Range: {entry['range']}. "
                 f"Default: {entry['default']}.")
        found.append((_signature.name_of(entry), _signature.kind_of(entry),
                      re.sub(r"`([^`]+)`", r"``\1``", words)))
    return found


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _section(title: str, entries: List[str]) -> str:
    return "\n".join([title, "-" * len(title), *entries])


def _entry(name: str, kind: str, words: str) -> str:
    return f"{name} : {kind}\n" + textwrap.fill(words, 96, initial_indent="    ",
                                                subsequent_indent="    ")

