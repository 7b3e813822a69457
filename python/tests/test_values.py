"""No value is an error or changes how another one is read; types and shapes are errors, at once."""

from __future__ import annotations

import datetime
import pathlib
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Dict, List

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

COUNT = 60
LABELS = np.array(["a", "b"] * (COUNT // 2))
SEEDED: Dict[str, Any] = {"epsilon": 5, "steps": 10, "random_state": 3}


def schema_of(*columns: Any, **more: Any) -> tacet.Schema:
    known: Dict[str, Any] = {"target": tacet.binary("y", positive="b", negative="a"),
                             "public_row_count": COUNT}
    return tacet.Schema(columns, **{**known, **more})


def coefficients(schema: tacet.Schema, records: Any, y: Any = None) -> List[float]:
    model = tacet.LogisticRegression(schema=schema, **SEEDED).fit(records, y)
    return [*model.encoded_coef_[0].tolist(), *model.encoded_intercept_.tolist()]


ODD: Dict[str, Any] = {
    "a huge integer": 10**400, "a larger one": 10**5000, "pandas' NA": pandas.NA, "none": None,
    "a signalling NaN": Decimal("sNaN"), "half a pair": "\ud800", "an object": object(),
    "a dict": {},
    "a complex number": 1j, "bytes": b"x", "a list": [1], "no time": pandas.NaT, "infinity": np.inf,
    "a date": datetime.date(2020, 5, 17), "a fraction": Fraction(10**400), "a class": int,
    "a large decimal": Decimal("1e999999"), "no number": Decimal("NaN"), "an id": uuid.UUID(int=7),
}


@pytest.mark.parametrize("what", ODD)
def test_no_single_value_is_an_error(what: str) -> None:
    schema = schema_of(
        tacet.numeric("number", 0, 1), tacet.categorical("word", ["x", "1"]),
        tacet.hashed("mixed", bits=3), tacet.text("text", bits=4),
        tacet.date("when", "2020-01-01", "2021-01-01"), unit="who")
    names = ("number", "word", "mixed", "text", "when", "who", "y")
    usual = [0.5, "x", 1, "a note", "2020-05-17", "someone", "b"]
    for place in range(len(names)):
        columns = {name: [value] * COUNT for name, value in zip(names, usual)}
        columns[names[place]][7] = ODD[what]
        model = tacet.LogisticRegression(epsilon=1, steps=3, schema=schema)
        for records in (columns, pandas.DataFrame({
                name: pandas.Series(values, dtype=object) for name, values in columns.items()})):
            model.fit(records).predict(records)
        units = columns.pop("who")
        model.fit(columns, units=units)
        y = columns.pop("y")
        model.fit(columns, y, units=units)
    rows = [[0.5, 0.25] for _ in range(COUNT)]
    rows[7][1] = ODD[what]
    array = np.empty((COUNT, 2), dtype=object)
    array[:] = 0.5
    array[7, 1] = ODD[what]
    labels: List[Any] = LABELS.tolist()
    labels[7] = ODD[what]
    for X in (rows, array):
        tacet.LogisticRegression(epsilon=1, steps=3, bounds=(0, 1), classes="observed",
                                 public_row_count=COUNT).fit(X, labels).predict(X)
        tacet.Ridge(epsilon=1, steps=3, bounds=(0, 1), target_bounds=(0, 1),
                    public_row_count=COUNT).fit(X, [0.5] * 7 + [ODD[what]] + [0.5] * 52)


# One odd value more, and every other record is read as it was: with it replaced by a missing one
# all is the same.
COLUMNS: Dict[str, Any] = {
    "booleans": [True, False] * (COUNT // 2), "floats": [1.0, 2.5] * (COUNT // 2),
    "large": [2**53 + 1, 2**53 + 2] * (COUNT // 2), "texts": ["1", "x"] * (COUNT // 2),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_one_value_changes_no_other_one(name: str) -> None:
    schema = schema_of(tacet.hashed("x", bits=9))
    with_none: List[Any] = [None, *COLUMNS[name][1:]]
    expected = coefficients(schema, {"x": with_none}, LABELS)
    for odd in (object(), {}, Decimal("NaN"), pandas.NA):
        values = [odd, *COLUMNS[name][1:]]
        assert coefficients(schema, {"x": values}, LABELS) == expected
        assert coefficients(schema, pandas.DataFrame(
            {"x": pandas.Series(values, dtype=object)}), LABELS) == expected
        assert coefficients(schema, [[value] for value in values], LABELS) == expected
    for typed in (polars.Series(with_none), pyarrow.chunked_array([with_none])):
        assert coefficients(schema, {"x": typed}, LABELS) == expected
    assert coefficients(schema, polars.DataFrame({"x": with_none}), LABELS) == expected
    typed_pandas = pandas.array(with_none, dtype="Int64" if name == "large" else None)
    assert coefficients(schema, {"x": pandas.Series(typed_pandas)}, LABELS) == expected
    assert coefficients(schema, {"x": pandas.Categorical(with_none)}, LABELS) == expected


def test_one_missing_label_changes_no_other_one() -> None:
    truth = np.array([False, True] * (COUNT // 2))
    X = np.where(truth, 0.9, 0.1).reshape(-1, 1)
    known: Dict[str, Any] = {"bounds": (0, 1), "classes": [0, 1], "public_row_count": COUNT,
                             **SEEDED}
    found = []
    for y in (truth, truth.astype(object), truth.tolist(), [None, *truth.tolist()[1:]],
              pandas.Series([None, *truth.tolist()[1:]], dtype="boolean")):
        found.append(tacet.LogisticRegression(**known).fit(X, y).encoded_coef_.tolist())
    # A record without a label teaches nothing; the labels of the others are read alike.
    assert found[0] == found[1] == found[2] and found[3] == found[4] != found[0]


def test_masked_values_are_missing() -> None:
    values = np.ma.MaskedArray([0.5] * COUNT, mask=[True] + [False] * (COUNT - 1))
    schema = schema_of(tacet.numeric("x", -1, 1, missing_indicator=True))
    expected = coefficients(schema, {"x": [None, *[0.5] * (COUNT - 1)]}, LABELS)
    assert coefficients(schema, {"x": values}, LABELS) == expected
    known: Dict[str, Any] = {"bounds": (-1, 1), "classes": ["a", "b"], "public_row_count": COUNT}
    array = np.array([np.nan, *[0.5] * (COUNT - 1)]).reshape(-1, 1)
    found = [tacet.LogisticRegression(**known, **SEEDED).fit(X, LABELS).encoded_coef_.tolist()
             for X in (array, values.reshape(-1, 1))]
    assert found[0] == found[1]


def test_single_precision_finds_its_decimals() -> None:
    schema = schema_of(tacet.categorical("x", ["0.1", "0.2"]), tacet.hashed("z", bits=9))
    values = np.array([0.1, 0.2] * (COUNT // 2))
    expected = coefficients(schema, {"x": values, "z": values}, LABELS)
    single = values.astype(np.float32)
    assert coefficients(schema, {"x": single, "z": single}, LABELS) == expected
    table = pyarrow.table({"x": single, "z": single})
    assert coefficients(schema, table, LABELS) == expected


DATES = {
    "array": np.array(["2020-05-17"] * COUNT, dtype="M8[ns]"),
    "series": pandas.Series(pandas.to_datetime(["2020-05-17"] * COUNT)),
    "zoned": pandas.Series(pandas.to_datetime(["2020-05-17"] * COUNT).tz_localize("UTC")),
    "polars": polars.Series([datetime.date(2020, 5, 17)] * COUNT),
    "arrow": pyarrow.chunked_array([[datetime.datetime(2020, 5, 17)] * COUNT]),
}


@pytest.mark.parametrize("form", DATES)
def test_dates_are_for_columns_of_dates(form: str) -> None:
    values = DATES[form]
    records, persons = tacet.Budget(10, 1e-3), tacet.Budget(10, 1e-3, privacy_unit="who")

    def refused(schema: tacet.Schema, columns: Any, y: Any = None) -> None:
        budget = persons if schema.unit else records
        with pytest.raises(tacet.DataError, match="the type .*(date|timestamp)"):
            tacet.LogisticRegression(epsilon=1, schema=schema, budget=budget).fit(columns, y)

    usual = {"x": ["x"] * COUNT, "y": LABELS}
    for column in (tacet.hashed("x"), tacet.categorical("x", ["1"]), tacet.numeric("x", 0, 1)):
        refused(schema_of(column), {**usual, "x": values})
    refused(schema_of(tacet.hashed("x")), {**usual, "y": values})
    refused(schema_of(tacet.hashed("x")), {"x": usual["x"]}, values)
    refused(schema_of(tacet.hashed("x"), unit="who"), {**usual, "who": values})
    with pytest.raises(tacet.DataError, match="kind is \"date\""):
        tacet.LogisticRegression(epsilon=1, schema=schema_of(
            tacet.date("x", "2020-01-01", "2021-01-01")), budget=records).fit(
                {**usual, "x": np.full(COUNT, 20000)})
    assert records.spent == persons.spent == (0, 0)
    dated = schema_of(tacet.date("x", "2020-01-01", "2021-01-01"))
    expected = coefficients(dated, {"x": ["2020-05-17"] * COUNT}, LABELS)
    assert coefficients(dated, {"x": values}, LABELS) == expected
    objects = [datetime.datetime(2020, 5, 17, 23, 59), datetime.date(2020, 5, 17)] * (COUNT // 2)
    assert coefficients(dated, {"x": objects}, LABELS) == expected


def test_durations_are_no_numbers() -> None:
    columns = {"x": np.full(COUNT, 5, dtype="m8[s]"), "y": LABELS}
    for records in (columns, pandas.DataFrame(columns)):
        with pytest.raises(tacet.DataError, match="x"):
            tacet.LogisticRegression(
                epsilon=1, schema=schema_of(tacet.numeric("x", 0, 9))).fit(records)


X = np.linspace(0, 1, COUNT).reshape(-1, 1)


def refused_target(classes: Any, y: Any) -> None:
    budget = tacet.Budget(10, 1e-3)
    known: Dict[str, Any] = {"epsilon": 1, "budget": budget}
    with pytest.raises(tacet.DataError, match="classes can be values|give classes=range"):
        tacet.LogisticRegression(bounds=(0, 1), classes=classes, public_row_count=COUNT,
                                 **known).fit(X, y)
    words = [str(label) for label in classes]
    schema = schema_of(tacet.numeric("x", 0, 1), target=tacet.binary(
        "y", positive=words[1], negative=words[0]))
    for records in ({"x": X[:, 0], "y": y}, pandas.DataFrame({"x": X[:, 0], "y": y}),
                    pyarrow.table({"x": X[:, 0], "y": y})):
        with pytest.raises(tacet.DataError, match="'y' has the type .*classes can be values"):
            tacet.LogisticRegression(schema=schema, **known).fit(records)
    assert budget.spent == (0, 0)


def test_targets_of_a_type_without_the_classes_are_refused() -> None:
    zeros = np.array([0, 1] * (COUNT // 2))
    refused_target(["a", "b"], zeros)
    refused_target(["a", "b"], zeros.astype(bool))
    refused_target(["a", "b"], zeros.astype(float))
    refused_target([300, 500], zeros.astype(np.int8))
    refused_target([-1, 1], zeros.astype(np.uint16))
    refused_target([0.5, 1], zeros)
    refused_target([0.1, 0.2], np.where(zeros, 0.2, 0.1).astype(np.float32))
    refused_target([0, 70000], zeros.astype(np.float16))


def test_labels_are_compared_exactly() -> None:
    truth = np.arange(COUNT) >= COUNT // 2
    known: Dict[str, Any] = {"bounds": (0, 1), "public_row_count": COUNT, **SEEDED}

    def fitted(classes: Any, y: Any) -> Any:
        model = tacet.LogisticRegression(classes=classes, **known).fit(X, y)
        return model.encoded_coef_.tolist()

    expected = fitted([0, 1], truth.astype(int))
    small, large = 2**53, 2**53 + 1
    assert fitted([small, large], np.where(truth, large, small)) == expected
    assert fitted([large, small], np.where(truth, small, large)) == expected
    unsigned = np.where(truth, np.uint64(2**63 + 1), np.uint64(2**63))
    assert fitted([2**63, 2**63 + 1], unsigned) == expected
    single = np.where(truth, np.float32(0.1), np.float32(0.2))
    assert fitted([np.float32(0.2), np.float32(0.1)], single) == expected
    assert fitted([float(np.float32(0.2)), float(np.float32(0.1))], single) == expected
    half = np.where(truth, np.float16(1.5), np.float16(-1))
    assert fitted([-1, 1.5], half) == expected
    # What is no class exactly is unknown, so that all labels are those of the first class.
    none = fitted([0, 1], np.zeros(COUNT, dtype=int))
    assert fitted([small, large], np.full(COUNT, large + 1)) == none
    assert fitted([0.25, 0.1], single.astype(np.float64)) == none


def test_classes_are_what_the_schema_spells_whatever_the_labels_are(tmp_path: pathlib.Path) -> None:
    def classes_of(names: List[str], y: Any) -> Any:
        target = tacet.multiclass("y", names)
        schema = schema_of(tacet.numeric("x", 0, 1), target=target)
        model = tacet.LogisticRegression(epsilon=1, schema=schema, steps=3).fit({"x": X[:, 0]}, y)
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.json"
        model.save(path)
        loaded = tacet.load(path)
        assert loaded.classes_.tolist() == model.classes_.tolist()
        assert (loaded.predict({"x": X[:, 0]}) == model.predict({"x": X[:, 0]})).all()
        return model.classes_

    whole = np.arange(COUNT) % 3
    for y in (whole, whole.astype(float), whole.astype(str), [None, *whole[1:].tolist()]):
        assert classes_of(["0", "1", "2"], y).tolist() == [0, 1, 2]
    # No cast that is unsafe: 2.5 is no integer, 0.1 no single float.
    assert classes_of(["0.0", "1.0", "2.5"], whole).tolist() == [0.0, 1.0, 2.5]
    single = classes_of(["0.0", "0.1", "1.0"], whole.astype(np.float32))
    assert single.tolist() == [0.0, 0.1, 1.0] and single.dtype == np.float64
    assert classes_of(["0", "01", "x"], whole.astype(str)).tolist() == ["0", "01", "x"]
    assert classes_of([str(2**53), str(2**53 + 1), "0"], whole).tolist() == [2**53, 2**53 + 1, 0]


SHAPES: Dict[str, Callable[[Any, tacet.Schema], object]] = {
    "fewer targets": lambda fit, s: fit(schema=s)(pandas.DataFrame({"x": X[:, 0]}), LABELS[:-1]),
    "fewer units": lambda fit, s: fit(schema=schema_of(tacet.numeric("x", 0, 1), unit="who"))(
        pandas.DataFrame({"x": X[:, 0]}), LABELS, units=[1, 2]),
    "uneven": lambda fit, s: fit(schema=s)({"x": X[:-1, 0], "y": LABELS}),
    "no such column": lambda fit, s: fit(schema=s)(pandas.DataFrame({"z": X[:, 0], "y": LABELS})),
    "no such column, Arrow": lambda fit, s: fit(schema=s)(
        pyarrow.table({"z": X[:, 0], "y": LABELS})),
    "twice": lambda fit, s: fit(schema=s)(
        pandas.DataFrame(np.hstack([X, X]), columns=["x", "x"]), LABELS),
    "a type": lambda fit, s: fit(schema=s)(pyarrow.table({"x": [[1]] * COUNT, "y": LABELS})),
    "columns": lambda fit, s: fit(schema=s)(np.ones((COUNT, 3)), LABELS),
    "numbered": lambda fit, s: fit(schema=tacet.Schema(
        features=tacet.numbered(2, 0, 1), target=tacet.binary(None, "b", "a"),
        public_row_count=COUNT))(X, LABELS),
}


@pytest.mark.parametrize("what", SHAPES)
def test_shapes_names_and_types_are_refused_before_the_booking(
    what: str, tmp_path: pathlib.Path
) -> None:
    ledger = tacet.Ledger.create(tmp_path / "budget.ledger")
    for unit in ("record", "who"):
        ledger.enrol(unit, epsilon=3, delta=1e-5, privacy_unit=unit)
    name = "who" if what == "fewer units" else "record"

    def fit(**more: Any) -> Any:
        return tacet.LogisticRegression(epsilon=1, ledger=ledger, data_set=name, **more).fit

    with pytest.raises((tacet.DataError, tacet.UsageError)) as caught:
        SHAPES[what](fit, schema_of(tacet.numeric("x", 0, 1)))
    assert str(COUNT) not in str(caught.value) and str(COUNT - 1) not in str(caught.value)
    assert [account["runs"] for account in ledger.show()] == [[], []]
