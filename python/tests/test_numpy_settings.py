"""No value makes NumPy warn or raise, whatever the caller has asked it to do with such values."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, Iterator, List

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse

import tacet

COUNT = 60
LABELS = np.array(["a", "b"] * (COUNT // 2))
SEEDED: Dict[str, Any] = {"epsilon": 5, "steps": 10, "random_state": 3}
SIGNALLING = np.array([0x7FA00000], dtype=np.uint32).view(np.float32)[0]
SIGNALLING_64 = np.array([0x7FF4 << 48], dtype=np.uint64).view(np.float64)[0]


@pytest.fixture(autouse=True)
def strict() -> Iterator[None]:
    """Every warning is an error, but for those that a seed brings."""
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", tacet.PrivacyWarning)
        yield


def with_one(value: Any, dtype: Any) -> Any:
    """A column of halves, but for one value, without a conversion that would change its bits."""
    values = np.full(COUNT, 0.5, dtype=dtype)
    values[7] = np.asarray(value, dtype=dtype) if not isinstance(value, np.generic) else value
    return values


def single() -> Any:
    values = np.full(COUNT, 0.5, dtype=np.float32)
    values.view(np.uint32)[7] = 0x7FA00000
    return values


def double() -> Any:
    values = np.full(COUNT, 0.5)
    values.view(np.uint64)[7] = 0x7FF4 << 48
    return values


def half() -> Any:
    values = np.full(COUNT, 0.5, dtype=np.float16)
    values.view(np.uint16)[7] = 0x7D00
    return values


def objects(value: Any) -> Any:
    values = np.full(COUNT, 0.5, dtype=object)
    values[7] = value
    return values


# Columns with one odd value, and what it is read as.
MISSING, LARGE, CLIPPED = np.nan, np.inf, np.finfo(float).max
ODD: Dict[str, Any] = {
    "single": (single(), MISSING), "double": (double(), MISSING), "half": (half(), MISSING),
    "beyond double": (with_one(np.longdouble("1e4000"), np.longdouble), LARGE),
    "below double": (with_one(np.longdouble("1e-4000"), np.longdouble), 0.0),
    "signalling object": (objects(SIGNALLING), MISSING),
    "long object": (objects(np.longdouble("1e4000")), LARGE),
    "signalling double object": (objects(SIGNALLING_64), MISSING),
    "large integer": (objects(10**400), CLIPPED),
}
FORMS: Dict[str, Callable[[Any], Any]] = {
    "array": lambda column: column.reshape(-1, 1),
    "rows": lambda column: [[value] for value in column],
    "columns": lambda column: {"x": column},
    "frame": lambda column: pandas.DataFrame({"x": column}),
}


def expected_of(read: float, known: Dict[str, Any]) -> Any:
    column = np.full(COUNT, 0.5)
    column[7] = read
    X = column.reshape(-1, 1)
    if known.get("schema") is not None:
        return tacet.LogisticRegression(**known).fit({"x": column}, LABELS).encoded_coef_
    return tacet.LogisticRegression(**known).fit(X, LABELS).encoded_coef_


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", ODD)
def test_no_value_of_a_feature_warns(what: str, form: str) -> None:
    column, read = ODD[what]
    schema = tacet.Schema(
        [tacet.numeric("x", 0, 1)], public_row_count=COUNT,
        target=tacet.binary("y", positive="b", negative="a"))
    for known in ({"bounds": (0, 1), "classes": ["a", "b"], "public_row_count": COUNT, **SEEDED},
                  {"schema": schema, **SEEDED}):
        X = FORMS[form](column)
        model = tacet.LogisticRegression(**known).fit(X, LABELS)
        assert np.array_equal(model.encoded_coef_, expected_of(read, known))
        assert model.predict(X).shape == model.predict_log_proba(X)[:, 0].shape == (COUNT,)
    found = tacet.describe({"x": column}, schema=tacet.Schema([tacet.numeric("x", 0, 1)]),
                           epsilon=1)
    assert found.records is not None


@pytest.mark.parametrize("what", ["single", "double", "beyond double"])
def test_no_value_of_a_sparse_matrix_warns(what: str) -> None:
    column, read = ODD[what]
    known: Dict[str, Any] = {"bounds": (0, 1), "classes": ["a", "b"], "public_row_count": COUNT,
                             **SEEDED}
    rows = np.arange(COUNT)
    X = scipy.sparse.coo_matrix((column, (rows, np.zeros(COUNT, dtype=int))), shape=(COUNT, 1))
    model = tacet.LogisticRegression(**known).fit(X, LABELS)
    assert np.array_equal(model.encoded_coef_, expected_of(read, known))


@pytest.mark.parametrize("what", ODD)
def test_no_value_of_a_target_warns(what: str) -> None:
    column, read = ODD[what]
    X = np.linspace(0, 1, COUNT).reshape(-1, 1)
    plain = np.full(COUNT, 0.5)
    plain[7] = read
    known: Dict[str, Any] = {"bounds": (0, 1), "target_bounds": (0, 1), "public_row_count": COUNT,
                             **SEEDED}
    found = [tacet.Ridge(**known).fit(X, y).encoded_coef_ for y in (plain, column, column.tolist())]
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    whole = column.copy()
    whole[:7], whole[8:] = 0, 1
    if np.isnan(read):
        model = tacet.LogisticRegression(bounds=(0, 1), classes="observed", public_row_count=COUNT,
                                         **SEEDED).fit(X, whole)
        assert [float(label) for label in model.classes_] == [0, 1]


def test_no_date_decides_whether_a_fit_runs() -> None:
    schema = tacet.Schema(
        [tacet.date("when", "2020-01-01", "2021-01-01")], public_row_count=COUNT,
        target=tacet.binary("y", positive="b", negative="a"))

    def fitted(values: Any) -> Any:
        return tacet.LogisticRegression(schema=schema, **SEEDED).fit({"when": values}, LABELS).encoded_coef_

    days = np.full(COUNT, "2020-05-17", dtype="M8[D]")
    for unit in ("D", "s", "ms", "h", "Y", "ns"):
        for odd in (np.iinfo(np.int64).max, np.iinfo(np.int64).min + 1, np.iinfo(np.int64).min):
            values = days.astype(f"M8[{unit}]")
            plain = fitted(values)
            values.view(np.int64)[7] = odd
            assert fitted(values).shape == plain.shape
    late = polars.Series([0] * (COUNT - 1) + [2**30], dtype=polars.Int32).cast(polars.Date)
    missing = polars.Series([0] * (COUNT - 1) + [None], dtype=polars.Int32).cast(polars.Date)
    assert fitted(late).shape == fitted(missing).shape


def test_a_callback_has_its_callers_settings() -> None:
    seen: List[Any] = []

    def note(*_: object) -> None:
        seen.append(np.geterr())

    tacet.LogisticRegression(epsilon=5, bounds=(0, 1), classes=["a", "b"], steps=20000,
                             method="gradient", public_row_count=COUNT, callback=note).fit(
                                 np.zeros((COUNT, 50)), LABELS)
    assert all(settings == np.geterr() for settings in seen)


def test_a_label_in_a_list_changes_no_other_one() -> None:
    X = np.linspace(0, 1, COUNT).reshape(-1, 1)
    labels = [int(x > 0.5) for x in X[:, 0]]
    known: Dict[str, Any] = {"bounds": (0, 1), "classes": [0, 1], "public_row_count": COUNT,
                             **SEEDED}

    def fitted(y: Any) -> Any:
        return tacet.LogisticRegression(**known).fit(X, y).encoded_coef_

    expected = fitted(labels)
    assert np.array_equal(fitted([[label] for label in labels]), expected)
    assert np.array_equal(fitted([[labels[0]], *labels[1:]]), expected)
    missing = fitted([None, *labels[1:]])
    for odd in ([0, 1], [], [[0]], np.array([1, 2]), (0, 1), np.array([])):
        assert np.array_equal(fitted([odd, *[[label] for label in labels[1:]]]), missing)
        assert np.array_equal(fitted([odd, *labels[1:]]), missing)
    targets = [label / 2 for label in labels]
    numbers: Dict[str, Any] = {"bounds": (0, 1), "target_bounds": (0, 1),
                               "public_row_count": COUNT, **SEEDED}
    ridge = [tacet.Ridge(**numbers).fit(X, y).encoded_coef_ for y in (
        [None, *targets[1:]], [[0, 1], *[[target] for target in targets[1:]]])]
    assert np.array_equal(ridge[0], ridge[1])


def test_an_entry_that_is_a_list_changes_no_other_one() -> None:
    known: Dict[str, Any] = {"bounds": (0, 1), "classes": ["a", "b"], "public_row_count": COUNT,
                             **SEEDED}
    rows: List[List[Any]] = [[0.25, 0.5] for _ in range(COUNT)]

    def fitted(first: Any, others: Any) -> Any:
        X = [[first, 0.5], *[[others, 0.5] for _ in rows[1:]]]
        return tacet.LogisticRegression(**known).fit(X, LABELS).encoded_coef_

    # All of them are lists, or all but one: of the same length, or not.
    expected = fitted(None, None)
    assert np.array_equal(fitted([1], [1]), expected)
    assert np.array_equal(fitted([1, 2], [1]), expected)
    assert np.array_equal(fitted(None, [1]), expected)
    schema = tacet.Schema([tacet.ids("basket", count=9), tacet.numeric("x", 0, 1)],
                          target=tacet.binary("y", positive="b", negative="a"),
                          public_row_count=COUNT)
    baskets = [[1, 2] for _ in range(COUNT)]
    models = [tacet.LogisticRegression(schema=schema, **SEEDED).fit(records, LABELS).encoded_coef_
              for records in ([[basket, 0.5] for basket in baskets],
                              {"basket": baskets, "x": [0.5] * COUNT})]
    assert np.array_equal(models[0], models[1])


def test_a_text_that_is_a_list_decides_nothing() -> None:
    known: Dict[str, Any] = {"epsilon": 4, "public_row_count": COUNT, "vocabulary": ["the", "cat"],
                             "dim": 2, "steps": 2, "random_state": 1}

    for last in (["the", "cat"], ["the"], "the cat", None):
        found = tacet.embed([*[["the", "cat"]] * (COUNT - 1), last], **known)
        assert found.vectors.shape == (2, 2)


def test_a_missing_label_of_a_table_changes_no_other_one() -> None:
    X = np.linspace(0, 1, COUNT).reshape(-1, 1)
    small, large = 2**53, 2**53 + 1
    y = [small if x < 0.5 else large for x in X[:, 0]]
    known: Dict[str, Any] = {"bounds": (0, 1), "classes": [small, large],
                             "public_row_count": COUNT, **SEEDED}
    found = []
    for labels in ([None, *y[1:]], polars.DataFrame({"y": [None, *y[1:]]})):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(tacet.LogisticRegression(**known).fit(X, labels).encoded_coef_)
    assert np.array_equal(found[0], found[1])
