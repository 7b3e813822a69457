"""One request is one model from Python and from the program, and is planned once."""

from __future__ import annotations

import pathlib
import sys
from typing import Any, List

import pandas
import pytest

import tacet
from tacet import _engine

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tests/front_ends"))

import settings  # noqa: E402
import through_python  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("front_ends")
    settings.write(made)
    return made


@pytest.mark.parametrize("setting", settings.SETTINGS, ids=settings.Setting.name)
def test_python_trains_what_the_program_trains(
    setting: settings.Setting, folder: pathlib.Path, program: Any, tmp_path: pathlib.Path
) -> None:
    command, words = setting.command(folder)
    program(command, *words, "--output", tmp_path / "program.json")
    through_python.train(folder, setting, tmp_path / "python.json")
    assert settings.same_model(tmp_path / "program.json", tmp_path / "python.json")


def test_a_fit_is_planned_once(
    berkeley: pandas.DataFrame, schema: tacet.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: List[Any] = []
    trained: List[Any] = []
    plan, fit = _engine.plan, _engine.fit

    def counted(*given: Any) -> Any:
        planned.append(plan(*given))
        return planned[-1]

    def seen(given: Any, *more: Any) -> Any:
        trained.append(given)
        return fit(given, *more)

    monkeypatch.setattr(_engine, "plan", counted)
    monkeypatch.setattr(_engine, "fit", seen)
    model = tacet.LogisticRegression(epsilon=1, schema=schema, steps=5).fit(berkeley)
    assert len(planned) == 1 and trained == planned  # what is trained is that plan, no other one
    assert model.plan_ == planned[0].facts
