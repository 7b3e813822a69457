"""What is public says what it is for, and shows it; the examples run and have types."""

from __future__ import annotations

import inspect
import pathlib
import subprocess
import sys
from typing import Any, Iterator, Tuple

import pytest

import tacet
from conftest import ROOT
from tacet import _engine, events, local
from tacet.compat import diffprivlib

EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))


def public() -> Iterator[Tuple[str, Any]]:
    homes = {"": (tacet, tacet.__all__), "local.": (local, local.__all__),
             "events.": (events, [kind.__name__ for kind in events.KINDS]),
             "compat.diffprivlib.": (diffprivlib, ["LogisticRegression", "LinearRegression",
                                                   "BudgetAccountant"])}
    for home, (module, names) in homes.items():
        for name in names:
            thing = getattr(module, name)
            if not inspect.ismodule(thing):
                yield home + name, thing


PUBLIC = dict(public())


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_public_is_documented_with_an_example(name: str) -> None:
    thing = PUBLIC[name]
    words = inspect.getdoc(thing) or ""
    errors = inspect.isclass(thing) and issubclass(thing, (BaseException, Warning))
    assert len(words) > 20
    assert ">>>" in words or errors or name.startswith("events.")


ESTIMATORS = [thing for thing in PUBLIC.values() if hasattr(thing, "fit") and
              thing.__module__ in ("tacet.estimators", "tacet.wide")]


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: str(kind.__name__))
def test_estimators_document_every_argument_in_the_words_of_the_engine(kind: Any) -> None:
    words = inspect.getdoc(kind) or ""
    names = set(inspect.signature(kind).parameters)
    documented = {line.split(" : ")[0] for line in words.split("Attributes\n---")[0].splitlines()
                  if " : " in line and not line.startswith(" ")}
    has_classes = hasattr(kind, "decision_function")
    others = {"target_bounds"} if has_classes else {"classes", "class_weights"}
    wide = kind.__module__ == "tacet.wide"
    assert documented == names - others
    text = " ".join(words.split())
    for entry in _engine.parameters(wide):
        if entry["name"].replace("-", "_") in documented:
            assert entry["default"] in text
    for heading in ("Parameters\n----------", "Attributes\n----------", "Examples\n--------"):
        assert heading in words


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.name))
def test_examples_run(path: pathlib.Path) -> None:
    done = subprocess.run([sys.executable, path, ROOT / "data/berkeley1973.csv"], check=True,
                          capture_output=True, text=True)
    assert "refused" in done.stdout or "chosen privately" in done.stdout
