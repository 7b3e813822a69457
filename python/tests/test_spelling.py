"""Messages name parameters as arguments of Python's, never as options of the program."""

from __future__ import annotations

from typing import Any, Dict

import pytest

import tacet
from tacet._spelling import spelled


@pytest.mark.parametrize("given", [
    {"method": "objective", "steps": 3},
    {"method": "output", "adjacency": "add_remove"},
    {"method": "gradient", "delta": 0},
    {"method": "output", "batch_size": 10**9},
    {"sampling": "fixed_size"},
    {"order_seed": 3},
    {"max_records_per_unit": 2},
    {"loss_parameter": 0.3},
    {"projection_width": 16},
    {"calibration": "paper", "clipping_norm": 1},
    {"step_size": -1},
    {"knots": 1},
])
def test_refusals_speak_of_arguments(schema: tacet.Schema, given: Dict[str, Any]) -> None:
    arguments = {"schema": schema, "epsilon": 1, "public_row_count": 80, "random_state": 1, **given}
    with pytest.raises(tacet.Error) as refused:
        tacet.LogisticRegression(**arguments).plan()
    words = str(refused.value)
    assert "--" not in words and "`" not in words, words
    assert any(name in words for name in given) or "='" in words, words
    for name in given:
        assert name == name.replace("_", "-") or name.replace("_", "-") not in words, words


def test_names_become_arguments() -> None:
    assert spelled("use `method=regularized-output` or a smaller `step_size`") == (
        "use method='regularized-output' or a smaller step_size=")
    assert spelled("`projection_width=1024`, `epsilon=inf`") == (
        "projection_width=1024, epsilon=float('inf')")
    assert spelled("`ledger.cap` changes it, `schema.fit` finds it") == (
        "Ledger.cap changes it, Schema.fit finds it")


def test_words_of_others_stay() -> None:
    for words in ("column 'method'", "`no_such_thing`", "`Method`", "`method", "a `method ` b", ""):
        assert spelled(words) == words


def test_operations_of_messages_exist() -> None:
    for name in ("enrol", "cap", "resolve", "show"):
        assert callable(getattr(tacet.Ledger, name))
    assert callable(tacet.Schema.fit)
