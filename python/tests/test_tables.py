"""Which column is which: names, orders, bounds, and what a frame's attributes are."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse
from sklearn.multiclass import OneVsRestClassifier

import tacet
from tacet.compat.diffprivlib import LinearRegression

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

COUNT = 200
random = np.random.default_rng(2)
ONE, OTHER = random.random(COUNT), 10 * random.random(COUNT)
LABELS = np.where(ONE > 0.5, "b", "a")
SCHEMA = tacet.Schema([tacet.numeric("one", 0, 1), tacet.numeric("other", 0, 10)], unit=None,
                      target=tacet.binary("y", positive="b", negative="a"), public_row_count=COUNT)
KNOWN: Dict[str, Any] = {"epsilon": 50, "delta": 1e-5, "random_state": 1}


def test_an_array_has_the_columns_that_were_there_at_the_fit() -> None:
    frame = pandas.DataFrame({"id": range(COUNT), "other": OTHER, "y": LABELS, "one": ONE})
    model = tacet.LogisticRegression(schema=SCHEMA, **KNOWN).fit(frame)
    assert model.feature_names_in_.tolist() == ["id", "other", "one"] and model.n_features_in_ == 3
    expected = model.predict_proba(frame)
    seen = frame.drop(columns="y")
    with pytest.warns(UserWarning, match="feature names"):
        assert np.array_equal(model.predict_proba(seen.to_numpy()), expected)
    for order in (["one", "other"], ["other", "one", "id"]):
        assert np.array_equal(model.predict_proba(frame[order]), expected)
    with pytest.raises(tacet.DataError, match="3 columns, got 2"):
        model.predict(np.column_stack([ONE, OTHER]))
    # Fitted anew to an array it has the schema's order, and no names.
    model.fit(np.column_stack([ONE, OTHER]), LABELS)
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == 2
    assert np.array_equal(model.predict_proba(np.column_stack([ONE, OTHER])),
                          model.predict_proba(frame))


def test_a_loaded_model_reads_arrays_as_the_saved_one(tmp_path: pathlib.Path) -> None:
    frame = pandas.DataFrame({"other": OTHER, "one": ONE, "y": LABELS})
    model = tacet.LogisticRegression(schema=SCHEMA, **KNOWN).fit(frame)
    model.save(tmp_path / "model.json")
    loaded = tacet.load(tmp_path / "model.json")
    for known in (model, loaded):
        with pytest.warns(UserWarning, match="feature names"):
            assert np.array_equal(known.predict_proba(np.column_stack([OTHER, ONE])),
                                  model.predict_proba(frame))


def test_predictions_read_what_was_fitted_whatever_was_set_since() -> None:
    X = np.column_stack([ONE, OTHER])
    model = tacet.LogisticRegression(bounds=[(0, 1), (-1, 10)], classes=["a", "b"],
                                     public_row_count=COUNT, **KNOWN).fit(X, LABELS)
    expected = model.predict_proba(X)
    model.set_params(schema=SCHEMA, bounds=None, classes=None)
    assert np.array_equal(model.predict_proba(X), expected)
    with pytest.raises(tacet.DataError, match="2 features"):
        model.predict(X[:, :1])
    frame = pandas.DataFrame({"one": ONE, "other": OTHER, "y": LABELS})
    named = tacet.LogisticRegression(schema=SCHEMA, **KNOWN).fit(frame)
    expected = named.predict_proba(frame)
    named.set_params(schema=None, bounds=(0, 1), classes=["a", "b"])
    assert np.array_equal(named.predict_proba(frame), expected)
    assert named.evaluate(frame, epsilon=1, delta=1e-5)["accuracy"]["value"] is not None


RESERVED = ["column_names", "columns", "shape", "dtype", "dtypes", "select", "iloc", "keys",
            "values", "num_rows", "sparse", "ndim", "__arrow_c_stream__", "to_series", "T", "index",
            "kind", "release", "tocsr", "cat", "type", "column"]


@pytest.mark.parametrize("name", RESERVED)
def test_columns_may_have_any_name(name: str) -> None:
    schema = tacet.Schema([tacet.numeric(name, 0, 1)], public_row_count=COUNT,
                          target=tacet.binary("y", positive="b", negative="a"))
    columns = {name: ONE, "y": LABELS}
    found = []
    for table in (columns, pandas.DataFrame(columns), polars.DataFrame(columns),
                  pyarrow.table(columns)):
        model = tacet.LogisticRegression(schema=schema, knots=None, **KNOWN).fit(table)
        assert model.feature_names_in_.tolist() == [name]
        found.append([*model.encoded_coef_[0], *model.predict_proba(table)[:, 1]])
    assert all(one == found[0] for one in found)
    frame = pandas.DataFrame({name: ONE})
    bounded = tacet.LogisticRegression(bounds={name: (0, 1)}, classes=["a", "b"], knots=None,
                                       public_row_count=COUNT, **KNOWN).fit(frame, LABELS)
    assert bounded.encoded_names_ == [name] and bounded.predict(frame).shape == (COUNT,)


def test_a_column_may_be_called_as_the_constant_is() -> None:
    for intercept in (True, False):
        schema = tacet.Schema([tacet.numeric("(intercept)", 0, 1)], public_row_count=COUNT,
                              target=tacet.binary("y", positive="b", negative="a"),
                              intercept=intercept)
        model = tacet.LogisticRegression(schema=schema, knots=None, **KNOWN)
        model.fit({"(intercept)": ONE}, LABELS)
        assert model.encoded_names_ == ["(intercept)"] and model.encoded_coef_.shape == (1, 1)
        assert (model.encoded_intercept_[0] != 0) == intercept


def test_names_that_are_no_texts_are_found_by_their_place() -> None:
    schema = tacet.Schema([tacet.numeric("1", 0, 10), tacet.numeric("0", 0, 1)],
                          public_row_count=COUNT,
                          target=tacet.binary("y", positive="b", negative="a"))
    frame = pandas.DataFrame(np.column_stack([ONE, OTHER]))
    model = tacet.LogisticRegression(schema=schema, **KNOWN).fit(frame, LABELS)
    named = frame.rename(columns=str)
    assert np.array_equal(model.encoded_coef_, tacet.LogisticRegression(schema=schema, **KNOWN).fit(
        named, LABELS).encoded_coef_)
    assert np.array_equal(model.predict_proba(frame), model.predict_proba(named))


def bounded(bounds: Any, X: Any) -> Any:
    return tacet.LogisticRegression(bounds=bounds, classes=["a", "b"], public_row_count=COUNT,
                                    knots=None, **KNOWN).fit(X, LABELS)


def test_bounds_by_name_or_number() -> None:
    frame = pandas.DataFrame({"one": ONE, "other": OTHER})
    by_name = bounded({"other": (0, 10), "one": (0, 1)}, frame)
    assert by_name.encoded_names_ == ["one", "other"]
    by_number = bounded({0: (0, 1), 1: (0, 10)}, frame.to_numpy())
    assert np.array_equal(by_name.encoded_coef_, by_number.encoded_coef_)
    assert np.array_equal(bounded({"one": (0, 1), "other": (0, 10)}, polars.DataFrame(
        {"one": ONE, "other": OTHER})).encoded_coef_, by_name.encoded_coef_)
    mapping = {"one": ONE, "other": OTHER}
    fitted = bounded({"one": (0, 1), "other": (0, 10)}, mapping)
    turned = {"other": OTHER, "one": ONE}
    assert np.array_equal(fitted.predict_proba(turned), fitted.predict_proba(mapping))
    plan = tacet.LogisticRegression(bounds={"one": (0, 1)}, classes=["a", "b"], epsilon=1,
                                    public_row_count=COUNT).plan()
    assert plan["epsilon"] <= 1


@pytest.mark.parametrize("bounds, words", [
    ({"one": (0, 1)}, "no pair for column 'other'"),
    ({"one": (0, 1), "other": (0, 1), "more": (0, 1)}, "'more'"),
    ([(0, 1), (5, 10)], "which by column"), (np.array([[0, 0], [1, 10]]), "lower"),
    ((0, 1, 2), "pair"), ([(0, 1)], "2 columns, 1 pairs"), ("ab", "pair"), (7, "one pair"),
    ({"one": 1, "other": (0, 1)}, "pair of numbers"), (("a", "b"), "pair of numbers"),
    ([(0, 1, 2), (0, 1)], "pair of numbers"),
])
def test_bounds_that_say_nothing_or_two_things_are_refused(bounds: Any, words: str) -> None:
    frame = pandas.DataFrame({"one": ONE, "other": OTHER})
    with pytest.raises(tacet.UsageError, match=words):
        bounded(bounds, frame)


def test_bounds_of_two_columns_that_read_alike_are_none_too_many() -> None:
    X = np.column_stack([ONE, OTHER])
    one = bounded((0, 1), X)
    assert np.array_equal(bounded([(0, 1), (0, 1)], X).encoded_coef_, one.encoded_coef_)
    assert np.array_equal(bounded([(0, 5), (-1, 2)], X).encoded_coef_,
                          bounded({0: (0, 5), 1: (-1, 2)}, X).encoded_coef_)
    model = tacet.Ridge(epsilon=1, delta=0, adjacency="replace_one", target_bounds=(0, 1),
                        bounds={0: (0, 1), 1: (0, 10)}).fit(X, ONE)
    assert model.evaluate(X, ONE, epsilon=1, delta=1e-5).receipt is not None
    numbers = LinearRegression(epsilon=1, bounds_X=([0, 0], [1, 10]), bounds_y=(0, 1))
    assert numbers.fit(X, ONE).predict(X).shape == (COUNT,)


class Strange:
    """Says of itself that it is a table, and fails in another library's words."""

    columns = ["one", "other"]
    shape = (COUNT, 2)

    def __getitem__(self, name: str) -> Any:
        raise KeyError(f"geheim {name}")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise ValueError("geheim")


FOREIGN: Dict[str, Callable[[Any], object]] = {
    "table": lambda fit: fit(schema=SCHEMA)(Strange(), LABELS),
    "numbers": lambda fit: fit(bounds=(0, 1), classes=["a", "b"])(Strange(), LABELS),
    "target": lambda fit: fit(schema=SCHEMA)({"one": ONE, "other": OTHER}, Strange()),
    "column": lambda fit: fit(schema=SCHEMA)({"one": Strange(), "other": OTHER}, LABELS),
    "units": lambda fit: fit(schema=SCHEMA)({"one": ONE, "other": OTHER}, LABELS, units=Strange()),
    "lazy": lambda fit: fit(schema=SCHEMA)(
        polars.DataFrame({"one": ONE, "other": OTHER}).lazy(), LABELS),
    "nothing": lambda fit: fit(schema=SCHEMA)({}, LABELS),
    "none": lambda fit: fit(schema=SCHEMA)(None, LABELS),
    "a text": lambda fit: fit(bounds=(0, 1), classes=["a", "b"])("geheim", LABELS),
    "one row": lambda fit: fit(schema=SCHEMA)(ONE, LABELS),
    "a series": lambda fit: fit(schema=SCHEMA)(pandas.Series(ONE), LABELS),
    "sparse by name": lambda fit: fit(schema=SCHEMA)(scipy.sparse.csr_matrix((COUNT, 2)), LABELS),
    "two dimensions": lambda fit: fit(schema=SCHEMA)(
        {"one": np.ones((COUNT, 2)), "other": OTHER}, LABELS),
    "a wide target": lambda fit: fit(schema=SCHEMA)(
        {"one": ONE, "other": OTHER}, np.ones((COUNT, 2))),
    "epsilon": lambda fit: fit(schema=SCHEMA, epsilon="1")({"one": ONE, "other": OTHER}, LABELS),
    "seed": lambda fit: fit(schema=SCHEMA, random_state=-1)({"one": ONE, "other": OTHER}, LABELS),
    "a new generator": lambda fit: fit(schema=SCHEMA, random_state=np.random.default_rng(1))(
        {"one": ONE, "other": OTHER}, LABELS),
    "threads": lambda fit: fit(schema=SCHEMA, threads="2")({"one": ONE, "other": OTHER}, LABELS),
    "classes": lambda fit: fit(bounds=(0, 1), classes=3)(ONE.reshape(-1, 1), LABELS),
    "budget": lambda fit: fit(schema=SCHEMA, budget=0)({"one": ONE, "other": OTHER}, LABELS),
    "ledger": lambda fit: fit(schema=SCHEMA, ledger="path")({"one": ONE, "other": OTHER}, LABELS),
    "arguments": lambda fit: fit(schema=SCHEMA)({"one": ONE, "other": OTHER}, weights=LABELS),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_errors_are_this_packages_own(what: str) -> None:
    def fit(**more: Any) -> Any:
        return tacet.LogisticRegression(**{"epsilon": 1, "public_row_count": COUNT, **more}).fit

    with pytest.raises((tacet.DataError, tacet.UsageError)) as caught:
        FOREIGN[what](fit)
    assert "geheim" not in str(caught.value) and caught.value.__context__ is None


def test_a_frame_that_is_not_there_yet_is_told_how_to_come() -> None:
    lazy = polars.DataFrame({"a": [0.5] * 20, "y": ["a", "b"] * 10}).lazy()
    schema = tacet.Schema([tacet.numeric("a", 0, 1)], public_row_count=20,
                          target=tacet.binary("y", positive="b", negative="a"))
    with pytest.raises(tacet.DataError, match=r"LazyFrame is no table .* give what its collect\(\) returns"):
        tacet.LogisticRegression(epsilon=1, schema=schema).fit(lazy)


def test_meta_estimators_train_classes_by_number() -> None:
    labels: List[int] = (np.digitize(ONE, [0.33, 0.66]) + 1).tolist()
    model = tacet.LogisticRegression(bounds=(0, 1), classes=range(2), public_row_count=COUNT,
                                     epsilon=50, delta=1e-5)
    found = OneVsRestClassifier(model).fit(ONE.reshape(-1, 1), labels).predict(ONE.reshape(-1, 1))
    assert set(found) <= {1, 2, 3} and (found == labels).mean() > 0.5


def test_what_beginners_write_is_answered() -> None:
    """Each mistake by its own words, before anything is booked."""
    X, y = np.zeros((20, 2)), np.array(["a", "b"] * 10)
    known: Dict[str, Any] = {"epsilon": 1, "classes": ["a", "b"], "public_row_count": 20}
    schema = tacet.Schema([tacet.numeric("age", 0, 99)], public_row_count=20,
                          target=tacet.binary("y", positive="b", negative="a"))
    frame = pandas.DataFrame({"age": range(20), "y": y})
    cases: List[Tuple[Any, str]] = [
        (lambda: tacet.LogisticRegression(epsilon=1).fit(X, y), r"bounds=.*tacet.Schema\(.*fit\("),
        (lambda: tacet.LogisticRegression(**known, bounds=(1, 0)).fit(X, y), "larger upper one"),
        (lambda: tacet.LogisticRegression(**known, bounds=(0, 1)).fit(X.astype(str), y), "texts"),
        (lambda: tacet.LogisticRegression(epsilon=1, schema=schema).fit(frame[["y"]]),
         "no column 'age'"),
        (lambda: tacet.LogisticRegression(epsilon=1, schema=schema).fit(
            frame.assign(age=pandas.Timedelta(1))), "the type duration"),
        (lambda: tacet.categorical("sex", "male"), "is a list"),
        (lambda: tacet.multiclass("kind", "oak"), "is a list"),
        (lambda: tacet.Schema("age"), "is a list"),  # type: ignore[arg-type]
        (lambda: tacet.Schema(["age"]), "what numeric, categorical"),  # type: ignore[list-item]
    ]
    for wrong, words in cases:
        with pytest.raises(tacet.Error, match=words):
            wrong()
    with pytest.raises(TypeError, match=r"LogisticRegression.*'C'"):
        tacet.LogisticRegression(C=1.0)  # type: ignore[call-arg]
