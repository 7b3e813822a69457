"""What a call leaves tells nothing of a record beyond the released fields.

The data sets, the marks and the list of released fields are those of tests/leaks, whose README says
which comparison is sound.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import pathlib
import pickle
import re
import sys
import traceback
import warnings
from typing import Any, Callable, Dict, Tuple

import pandas
import pytest

import tacet
from tacet.compat import diffprivlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/leaks"))
observe: Any = importlib.import_module("observe")
released: Any = importlib.import_module("released")
worlds: Any = importlib.import_module("worlds")

FIRST, NEIGHBOURS = worlds.worlds()
Case = Tuple[str, bool, Callable[..., Any]]
PAID: Dict[str, Any] = {"epsilon": 4, "delta": 1e-5}
SEEDED: Dict[str, Any] = {**PAID, "random_state": 3}
METHODS = ["gradient", "output", "phased", "objective", "regularized-output", "ladder", "localized",
           "growth", "phased-erm", "sparse-groups"]


def schema(name: str) -> tacet.Schema:
    return tacet.Schema.load(f"{name}.toml")


def fitted(kind: type, name: str, **more: Any) -> Callable[..., Any]:
    return lambda frame, texts: kind(schema=schema(name), **{**SEEDED, **more}).fit(frame)


def public_model(kind: type = tacet.LogisticRegression, name: str = "two") -> Any:
    """Trained on records that are nobody's, so that it is the same beside every data set."""
    return kind(schema=schema(name), steps=3, public_row_count=200, **SEEDED).fit(
        pandas.read_csv("public.csv", dtype=str))


def budgeted(frame: Any, texts: Any) -> Any:
    budget = tacet.Budget(9, 1e-3)
    model = tacet.LogisticRegression(schema=schema("two"), steps=3, budget=budget, **PAID)
    return [repr(budget), model.fit(frame)]


# (kind of released fields, whether the number of records is public, the call).
CASES: Dict[str, Case] = {
    **{f"LogisticRegression {method}": (
        "train", method != "gradient", fitted(
            tacet.LogisticRegression, "two", method=method,
            **({"group_column": "b", "groups": 3} if method == "sparse-groups" else {})))
       for method in METHODS},
    "LinearClassifier": ("train", False, fitted(tacet.LinearClassifier, "three", steps=3)),
    "LinearSVC": ("train", False, fitted(tacet.LinearSVC, "two", steps=3)),
    "LinearRegressor": ("train", False, fitted(tacet.LinearRegressor, "line", steps=3)),
    "Ridge": ("train", False, fitted(tacet.Ridge, "line", steps=3)),
    "HuberRegressor": ("train", False, fitted(tacet.HuberRegressor, "line", steps=3)),
    "QuantileRegressor": ("train", False, fitted(tacet.QuantileRegressor, "line", steps=3)),
    "PoissonRegressor": ("train", False, fitted(tacet.PoissonRegressor, "count", steps=3)),
    "WideClassifier": ("train", False, fitted(tacet.WideClassifier, "wide", steps=3)),
    "WideRegressor": ("train", False, fitted(tacet.WideRegressor, "line", steps=3)),
    "units": ("train", False, fitted(tacet.LogisticRegression, "unit", steps=3,
                                     max_records_per_unit=3)),
    "budget": ("train", False, budgeted),
    "evaluate": ("evaluate", False, lambda frame, texts: public_model().evaluate(
        frame, **SEEDED, public_row_count=200)),
    "describe": ("describe", False, lambda frame, texts: tacet.describe(
        frame, schema=schema("rich"), epsilon=1, random_state=3)),
    "quantile": ("quantile", True, lambda frame, texts: tacet.quantile(
        frame, "a", schema=schema("two"), epsilon=1, random_state=3)),
    "tune": ("tune", False, lambda frame, texts: tacet.tune(
        tacet.LogisticRegression(schema=schema("two"), **SEEDED), frame, grid={"steps": [3, 5]})),
    "Schema.fit": ("fit", False, lambda frame, texts: tacet.Schema.fit(
        frame, epsilon=10, target="two", positive="p", random_state=3,
        ignore=["y", "class", "when", "count", "memo"], public_row_count=200)),
    "Schema.fit of a file": ("fit", False, lambda frame, texts: tacet.Schema.fit(
        "data.csv", epsilon=10, target="two", positive="p", random_state=3,
        ignore=["y", "class", "when", "count", "memo"], public_row_count=200)),
    "describe a file": ("describe", False, lambda frame, texts: tacet.describe(
        "data.csv", schema=schema("rich"), epsilon=1, random_state=3)),
    "embed": ("embed", False, lambda frame, texts: tacet.embed(
        texts, epsilon=4, delta=1e-5, vocabulary=worlds.WORDS, public_row_count=200, dim=3, steps=5,
        random_state=3)),
    "local.simulate": ("local", True, lambda frame, texts: tacet.local.simulate(
        frame, schema=schema("two"), epsilon=4, random_state=3)),
    "audit": ("audit", True, lambda frame, texts: [
        tacet.audit.run("laplace", trials=500),
        tacet.audit.train(schema("two"), epsilon=1, delta=1e-5, method="gradient", steps=2,
                          trials=300)]),
    "inference": ("table", False, lambda frame, texts: tacet.inference.OLS(
        "y ~ a", frame, schema=schema("line"), **SEEDED).fit()),
    "diffprivlib": ("train", True, lambda frame, texts: diffprivlib.LogisticRegression(
        epsilon=1, data_norm=2, random_state=3).fit(
            frame[["a"]].apply(pandas.to_numeric, errors="coerce").fillna(0.5).to_numpy(),
            frame["two"].where(frame["two"] == "p", "n"))),
}
# Calls that go wrong, each in the same way on both data sets.
BROKEN: Dict[str, Callable[..., Any]] = {
    "no such column": lambda frame, texts: tacet.describe(
        frame.drop(columns="a"), schema=schema("two"), epsilon=1),
    "numbers that are texts": lambda frame, texts: tacet.LogisticRegression(
        bounds=(0, 1), classes=["n", "p"], public_row_count=200, steps=3, **PAID).fit(
            frame[["memo"]], frame["two"]),
    "another length": lambda frame, texts: tacet.LogisticRegression(
        bounds=(0, 1), classes=["n", "p"], public_row_count=200, steps=3, **PAID).fit(
            frame[["a"]], frame["two"][:-1]),
    "complex numbers": lambda frame, texts: fitted(tacet.LogisticRegression, "two")(
        frame.assign(a=1j), texts),
    "past the budget": lambda frame, texts: tacet.LogisticRegression(
        schema=schema("two"), budget=tacet.Budget(0.1, 0), **PAID).fit(frame),
    "a callback that fails": lambda frame, texts: fitted(
        tacet.LogisticRegression, "two", steps=100000, callback=lambda *_: 1 // 0)(frame, texts),
    "no unit": lambda frame, texts: tacet.split(frame, by="none"),
    "embed numbers": lambda frame, texts: tacet.embed([1.5, *texts], epsilon=4, public_row_count=9),
    "no proof": lambda frame, texts: fitted(tacet.LogisticRegression, "two", method="phased",
                                            adjacency="add_remove")(frame, texts),
    "score of nothing": lambda frame, texts: public_model().evaluate(frame[["memo"]], **PAID),
    "simulate": lambda frame, texts: tacet.local.simulate(
        frame.drop(columns="two"), schema=schema("two"), epsilon=4),
}
# Functions that no record is given to, or whose result is the records themselves.
WITHOUT = {"account", "calibrate", "compose", "curve", "max_steps", "plan", "rates", "verify",
           "load", "public_evaluation", "split", "read_csv", "binary", "categorical", "count",
           "crossed", "date", "hashed", "ids", "ignored", "multiclass", "number", "numbered",
           "numeric", "text", "probability"}


def write(folder: pathlib.Path, world: Any) -> Tuple[pandas.DataFrame, Any]:
    worlds.write_public(folder)
    worlds.write_records(folder, world)
    frame = pandas.read_csv(folder / "data.csv", dtype=str, keep_default_na=False)
    return frame, list(world.texts)


def parts(value: Any, folder: pathlib.Path, kind: str) -> Dict[str, str]:
    """Everything that a value shows, as texts that have to be equal."""
    if isinstance(value, list):
        return {f"{k} {what}": text for k, one in enumerate(value)
                for what, text in parts(one, folder, kind).items()}
    if isinstance(value, str):
        return {"text": value}
    out = {"type": type(value).__name__}
    if isinstance(value, tacet.Schema):
        return {**out, "toml": released.compared_text(value.to_toml(), kind)}
    if isinstance(value, tacet.Result):
        return {**out, "json": released.compared_json(json.dumps(dict(value)), kind)}
    if not hasattr(value, "save"):
        return {**out, "attributes": str(sorted(vars(value)))}
    path = folder / ("saved.vec" if isinstance(value, tacet.WordVectors) else "saved.json")
    value.save(path, overwrite=True)
    for file in sorted(folder.glob("saved*")):
        out[file.name] = released.compared_file(file.name, file.read_bytes(), kind)
    return {**out, "attributes": str(sorted(getattr(value, "__dict__", {})))}


def called(call: Callable[..., Any], folder: pathlib.Path, world: Any, kind: str,
           capfd: Any) -> Tuple[Dict[str, str], bytes]:
    """What a call shows that has to be equal, and everything that must hold no mark."""
    frame, texts = write(folder, world)
    shown: Dict[str, str] = {}
    raw = b""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            value = call(frame, texts)
        except Exception as error:  # what anybody may catch and print
            trace = "".join(traceback.format_exception(error))
            # Objects stand in it with their addresses.
            shown["error"] = f"{type(error).__name__}: {re.sub('0x[0-9a-f]+', '0x', str(error))}"
            raw += f"{trace}{error.args!r}{vars(error)!r}".encode()
        else:
            shown.update(parts(value, folder, kind))
            raw += repr(value).encode() + b"".join(
                file.read_bytes() for file in folder.glob("saved*"))
            with contextlib.suppress(tacet.UsageError):  # a budget may not leave its process
                raw += pickle.dumps(value)
    shown["warnings"] = " ".join(sorted(str(entry.message) for entry in warned))
    for name, text in zip(("standard output", "standard error"), capfd.readouterr()):
        shown[name] = released.compared_talk(text, kind)
        raw += text.encode()
    shown["warnings"] = released.compared_talk(shown["warnings"], kind)
    return shown, raw + shown["warnings"].encode()


def compare(what: str, call: Callable[..., Any], kind: str, public: bool, tmp_path: pathlib.Path,
            monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Dict[str, str]:
    (tmp_path / "here").mkdir()
    (tmp_path / "hidden").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "hidden"))
    watch = observe.Watch(tmp_path / "hidden")
    first, raw = called(call, tmp_path / "here", FIRST, kind, capfd)
    for world in NEIGHBOURS:
        if world.name not in ("a hostile record", "a hostile record more", "no record"):
            continue
        for mark in observe.SPELLINGS:
            assert mark not in raw
        other, raw = called(call, tmp_path / "here", world, kind, capfd)
        if not (public and world.count_differs):
            assert other == first, f"{what} tells the first data set from '{world.name}'"
    assert not any(mark in raw for mark in observe.SPELLINGS)
    assert watch.names() == []
    return first


@pytest.mark.parametrize("what", CASES)
def test_results_tell_what_is_released(what: str, tmp_path: pathlib.Path, capfd: Any,
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    kind, public, call = CASES[what]
    shown = compare(what, call, kind, public, tmp_path, monkeypatch, capfd)
    assert "error" not in shown, shown["error"]


@pytest.mark.parametrize("what", BROKEN)
def test_errors_tell_nothing(what: str, tmp_path: pathlib.Path, capfd: Any,
                             monkeypatch: pytest.MonkeyPatch) -> None:
    shown = compare(what, BROKEN[what], "", True, tmp_path, monkeypatch, capfd)
    assert "error" in shown


def test_every_function_has_a_case() -> None:
    words = " ".join([*CASES, *BROKEN])
    for name in tacet.__all__:
        value = getattr(tacet, name)
        if callable(value) and (not isinstance(value, type) or hasattr(value, "fit")):
            assert name in WITHOUT or name in words, name


@pytest.mark.parametrize("leak", [
    lambda frame, texts: warnings.warn(f"cannot read {texts[3]}"),
    lambda frame, texts: print(f"{len(frame)} records"),
    lambda frame, texts: [str((frame["count"] == "NaN").sum())],
    lambda frame, texts: frame["none"] if len(frame) > 200 else tacet.Result("{}"),
])
def test_planted_leaks_are_found(leak: Callable[..., Any], tmp_path: pathlib.Path, capfd: Any,
                                 monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError):
        compare("a leak", lambda frame, texts: leak(frame, texts) or tacet.Result("{}"), "", False,
                tmp_path, monkeypatch, capfd)
