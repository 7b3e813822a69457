"""Columns of types that only their own library writes: read as what they hold, or a true message."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.compute
import pytest

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

COUNT = 60
WHOLE = np.arange(COUNT) % 7
NUMBERS = WHOLE / 8  # each is its decimal, exactly
DECIMALS: List[Any] = [Decimal(int(value)) / 8 for value in WHOLE]
DECIMALS[5] = None
LABELS = np.where(WHOLE > 3, "b", "a")
SEEDED: Dict[str, Any] = {"epsilon": 5, "steps": 10, "random_state": 3}
SCHEMA = tacet.Schema([tacet.numeric("x", 0, 7)], target=tacet.binary("y", "b", "a"),
                      public_row_count=COUNT)
PLAIN = [None if value is None else float(value) for value in DECIMALS]


def fitted(records: Any) -> Any:
    return tacet.LogisticRegression(schema=SCHEMA, **SEEDED).fit(records).encoded_coef_.tolist()


def encoded(values: Any) -> Any:
    return pyarrow.compute.run_end_encode(pyarrow.array(values))


def arrow_series(array: Any) -> Any:
    return pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([array])))


def of_decimals() -> Dict[str, Any]:
    arrow = pyarrow.array(DECIMALS, pyarrow.decimal128(10, 3))
    return {
        "a mapping": {"x": arrow}, "a chunked one": {"x": pyarrow.chunked_array([arrow])},
        "Arrow": pyarrow.table({"x": arrow}),
        "Arrow's wide ones": pyarrow.table(
            {"x": pyarrow.array(DECIMALS, pyarrow.decimal256(50, 3))}),
        "polars": polars.DataFrame({"x": polars.Series(DECIMALS, dtype=polars.Decimal(10, 3))}),
        "pandas": pandas.DataFrame({"x": arrow_series(arrow)}),
    }


def with_labels(table: Any) -> Any:
    if isinstance(table, dict):
        return {**table, "y": LABELS}
    if isinstance(table, pyarrow.Table):
        return table.append_column("y", pyarrow.array(LABELS))
    if isinstance(table, polars.DataFrame):
        return table.with_columns(polars.Series("y", LABELS))
    return table.assign(y=LABELS)


@pytest.mark.parametrize("kind", of_decimals())
def test_decimals_are_the_numbers_that_they_spell(kind: str) -> None:
    table = with_labels(of_decimals()[kind])
    assert fitted(table) == fitted({"x": PLAIN, "y": LABELS})
    bare = tacet.LogisticRegression(bounds=[(0, 7)], classes=["a", "b"], public_row_count=COUNT,
                                    **SEEDED)
    same = bare.fit({"x": PLAIN}, LABELS).encoded_coef_.tolist()
    assert bare.fit(of_decimals()[kind], LABELS).encoded_coef_.tolist() == same


def test_decimals_are_targets_too() -> None:
    for column in (pyarrow.array(DECIMALS, pyarrow.decimal128(10, 3)),
                   polars.Series(DECIMALS, dtype=polars.Decimal(10, 3))):
        model = tacet.Ridge(bounds=(0, 7), target_bounds=(0, 1), public_row_count=COUNT,
                            epsilon=5, random_state=3)
        same = model.fit(WHOLE[:, None], PLAIN).encoded_coef_.tolist()
        assert model.fit(WHOLE[:, None], column).encoded_coef_.tolist() == same


def of_whole() -> Dict[str, Any]:
    return {
        "run ends in Arrow": pyarrow.table({"x": encoded(WHOLE)}),
        "run ends in a mapping": {"x": encoded(WHOLE)},
        "run ends in pandas": pandas.DataFrame({"x": arrow_series(encoded(WHOLE))}),
        "run ends of decimals": {"x": pyarrow.compute.run_end_encode(
            pyarrow.array([Decimal(int(value)) for value in WHOLE], pyarrow.decimal128(10, 3)))},
        "128 bits": polars.DataFrame({"x": polars.Series(WHOLE.tolist(), dtype=polars.Int128)}),
    }


@pytest.mark.parametrize("kind", of_whole())
def test_encoded_and_wide_integers_are_what_they_hold(kind: str) -> None:
    assert fitted(with_labels(of_whole()[kind])) == fitted({"x": WHOLE, "y": LABELS})


def test_labels_may_be_encoded_by_run_ends() -> None:
    assert fitted(pyarrow.table({"x": WHOLE, "y": encoded(LABELS)})) == fitted(
        {"x": WHOLE, "y": LABELS})
    model = tacet.LogisticRegression(schema=SCHEMA, **SEEDED)
    assert model.fit({"x": WHOLE}, encoded(LABELS)).encoded_coef_.tolist() == fitted(
        {"x": WHOLE, "y": LABELS})


def packed() -> Any:
    records = np.zeros(COUNT, dtype=[("odd", "i1"), ("x", "f8"), ("y", "U1"), ("n", ">i4")])
    records["x"], records["y"], records["n"] = NUMBERS, LABELS, WHOLE
    return records


def test_records_of_named_fields_are_a_table() -> None:
    plain = {"x": NUMBERS, "y": LABELS}
    records = packed()
    for table in (records, records.view(np.recarray), {"x": records["x"], "y": records["y"]},
                  np.ma.array(records)):
        assert fitted(table) == fitted(plain)
    model = tacet.LogisticRegression(bounds={"x": (0, 7), "n": (0, 7)}, classes=["a", "b"],
                                     public_row_count=COUNT, **SEEDED)
    model.fit(records[["x", "n"]], LABELS)
    assert list(model.feature_names_in_) == ["x", "n"]
    assert model.predict(records[["n", "x"]][:3]).shape == (3,)


def test_the_length_of_a_record_may_be_odd() -> None:
    for field in ("odd", "x", "n"):
        assert tacet.Ridge(bounds=(0, 7), target_bounds=(0, 7), public_row_count=COUNT,
                           epsilon=5).fit(WHOLE[:, None], packed()[field]).n_features_in_ == 1


def test_what_is_no_table_says_what_makes_one() -> None:
    records = [{"x": float(x), "y": y} for x, y in zip(NUMBERS, LABELS)]
    with pytest.raises(tacet.DataError, match="list of dicts.*record.get"):
        fitted(records)
    with pytest.raises(tacet.DataError, match="list of dicts.*record.get"):
        tacet.describe(records, schema=SCHEMA, epsilon=1)
    periods = pandas.period_range("2020-01", periods=COUNT, freq="M")
    with pytest.raises(tacet.DataError, match=r"period\[M\].*to_timestamp"):
        fitted(pandas.DataFrame({"x": periods, "y": LABELS}))
    with pytest.raises(tacet.DataError, match=r"period\[M\].*to_timestamp"):
        tacet.Ridge(bounds=(0, 7), target_bounds=(0, 1), epsilon=1).fit(WHOLE[:, None], periods)
