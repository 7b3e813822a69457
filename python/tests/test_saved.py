"""A saved estimator reads as before; a refused fit changes nothing, and nobody sees a part."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict, List

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

COUNT = 80
X = np.random.default_rng(1).random((COUNT, 3))
LABELS = np.where(X[:, 0] > X[:, 1], "b", "a")
NAMED = tacet.Schema([tacet.numeric(name, 0, 1) for name in "abc"], public_row_count=COUNT,
                     target=tacet.binary("y", positive="b", negative="a"))
NUMBERED = tacet.Schema(features=tacet.numbered(3, 0, 1), public_row_count=COUNT,
                        target=tacet.binary(None, positive="b", negative="a"))
FREE: Dict[str, Any] = {"classes": ["a", "b"], "public_row_count": COUNT}


def frame(columns: str, **more: Any) -> pandas.DataFrame:
    values = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "d": X[:, 0] * 5}
    return pandas.DataFrame({**{name: values[name] for name in columns}, **more})


def classifier(**more: Any) -> Any:
    return tacet.LogisticRegression(epsilon=8, steps=60, random_state=1, **more)


# How an estimator was fitted.
FITS: Dict[str, Callable[[], Any]] = {
    "the schema's order": lambda: classifier(schema=NAMED).fit(frame("abc", y=LABELS)),
    "another order": lambda: classifier(schema=NAMED).fit(frame("cab", y=LABELS)),
    "more columns": lambda: classifier(schema=NAMED).fit(frame("adcb", y=LABELS)),
    "a mapping": lambda: classifier(schema=NAMED).fit(dict(frame("cba")), LABELS),
    "polars": lambda: classifier(schema=NAMED).fit(polars.from_pandas(frame("cba")), LABELS),
    "an array": lambda: classifier(schema=NAMED).fit(X, LABELS),
    "numbered": lambda: classifier(schema=NUMBERED).fit(X, LABELS),
    "numbered, a frame": lambda: classifier(schema=NUMBERED).fit(frame("cab"), LABELS),
    "sparse": lambda: classifier(schema=NUMBERED).fit(scipy.sparse.csr_matrix(X), LABELS),
    "bounds": lambda: classifier(bounds=(0, 1), **FREE).fit(X, LABELS),
    "bounds, a frame": lambda: classifier(bounds=(0, 1), **FREE).fit(frame("cab"), LABELS),
    "bounds a column": lambda: classifier(bounds=[(0, 1), (0, 2), (0, 1)], **FREE).fit(X, LABELS),
    "bounds by name": lambda: classifier(
        bounds={"a": (0, 1), "b": (0, 2), "c": (0, 1)}, **FREE).fit(frame("cab"), LABELS),
    "wide": lambda: tacet.WideClassifier(
        epsilon=8, schema=NAMED, hidden=4, steps=9, random_state=1).fit(frame("cab", y=LABELS)),
    "numbers": lambda: tacet.Ridge(
        epsilon=8, bounds=(0, 1), target_bounds=(0, 1), public_row_count=COUNT).fit(
            frame("cab"), X[:, 0]),
}


def answer(model: Any, records: Any) -> Any:
    try:
        return model.predict(records).tolist()
    except tacet.Error as error:
        return type(error)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("what", FITS)
def test_a_loaded_estimator_reads_as_the_saved_one(what: str, tmp_path: pathlib.Path) -> None:
    model = FITS[what]()
    model.save(tmp_path / "model.json")
    loaded = tacet.load(tmp_path / "model.json")
    for name in ("feature_names_in_", "n_features_in_", "classes_"):
        assert hasattr(loaded, name) == hasattr(model, name)
        assert not hasattr(model, name) or np.array_equal(
            getattr(loaded, name), getattr(model, name))
    wide = np.column_stack([X[:, 0], X[:, 0] * 5, X[:, 2], X[:, 1]])
    odd = X.astype(object)
    odd[3, 1], odd[4, 0] = "0.5", True
    for records in (X, X[:, ::-1].copy(), wide, odd, X.tolist(), frame("abc"), frame("cab"),
                    frame("adcb"), frame("ab"), dict(frame("cab")),
                    polars.from_pandas(frame("bca")), scipy.sparse.csr_matrix(X)):
        assert answer(loaded, records) == answer(model, records)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize("classes", [[False, True], [0.0, 1.0], [0.5, 1.0], ["0", "1"], [0, 1],
                                     ["True", "False"], [1, "one"], [0, 1, 2], [0.0, 1.5, 2.0]])
def test_classes_keep_their_types(classes: List[Any], tmp_path: pathlib.Path) -> None:
    y = np.array([*classes, *classes], dtype=object)[np.arange(COUNT) % len(classes)]
    model = tacet.LogisticRegression(epsilon=8, bounds=(0, 1), classes=classes,
                                     public_row_count=COUNT).fit(X, y.tolist())
    model.save(tmp_path / "model.json")
    loaded = tacet.load(tmp_path / "model.json")
    found, expected = loaded.classes_.tolist(), model.classes_.tolist()
    assert found == expected and list(map(type, found)) == list(map(type, expected))
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.predict(X).tolist() == model.predict(X).tolist()


def test_the_program_reads_what_python_saved(program: Any, tmp_path: pathlib.Path) -> None:
    model = FITS["more columns"]()
    model.save(tmp_path / "model.json")
    frame("dacb").to_csv(tmp_path / "new.csv", index=False)
    lines = program("predict", tmp_path / "model.json", tmp_path / "new.csv").splitlines()
    assert len(lines) == COUNT + 1
    assert tacet.verify(tmp_path / "model.json") is not None


class Watched(Dict[str, Any]):
    """Columns that somebody else looks at an estimator from."""

    look: Callable[[], None]

    def __getitem__(self, name: str) -> Any:
        self.look()
        return super().__getitem__(name)


def test_nobody_sees_a_part_of_a_fit() -> None:
    model = tacet.LogisticRegression(epsilon=8, bounds=(0, 1), **FREE)
    model.fit(dict(frame("abc")), LABELS)
    before = vars(model).copy()
    expected = model.predict(frame("abc")).tolist()
    seen: List[Any] = []

    def look() -> None:
        fitted = {name: value for name, value in vars(model).items() if name.endswith("_")}
        assert all(value is before[name] for name, value in fitted.items())
        seen.append(model.predict(frame("abc")).tolist())

    columns = Watched(frame("cb"))
    columns.look = look
    model.set_params(classes=["c", "d", "e"])
    with pytest.raises(tacet.DataError, match="different lengths"):
        model.fit(columns, ["c", "d"])
    assert seen and all(one == expected for one in seen)
    after = vars(model)
    assert after.keys() == before.keys()
    assert all(after[name] is before[name] for name in before if name.endswith("_"))
    budget = tacet.Budget(0.5, 1e-3)
    with pytest.raises(tacet.BudgetError):
        model.set_params(budget=budget, classes=["d", "e"]).fit(
            frame("ca"), ["d", "e"] * (COUNT // 2))
    assert model.predict(frame("abc")).tolist() == expected
    # What is set while a fit runs is kept.
    columns.look = lambda: setattr(model, "note", "kept")
    model.set_params(budget=None, classes=["d", "e"]).fit(columns, ["d", "e"] * (COUNT // 2))
    assert model.note == "kept" and model.classes_.tolist() == ["d", "e"]
    assert model.feature_names_in_.tolist() == ["c", "b"]


def test_exports_are_the_programs_texts() -> None:
    fitted = FITS["the schema's order"]()
    source = fitted.to_c()
    assert "tacet_margins" in source and "UNPROTECTED" in source  # its seed is known
    query = fitted.to_sql(table="people", keep=["id"])
    assert '"people"' in query and "prediction_UNPROTECTED" in query
    with pytest.raises(tacet.UsageError):
        fitted.to_sql(dialect="oracle")
    with pytest.raises(tacet.UsageError):
        fitted.to_sql(keep=["id", "id"])
