"""One person and one table are the same, whatever types and names they come with."""

from __future__ import annotations

import pathlib
from decimal import Decimal
from fractions import Fraction
from typing import Any, List

import numpy as np
import pandas
import pyarrow
import pytest

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

COUNT = 120
RANDOM = np.random.default_rng(7)
FRAME = pandas.DataFrame({
    "a": RANDOM.random(COUNT).round(3), "b": RANDOM.integers(0, 9, COUNT) / 10,
    "more": RANDOM.integers(0, 10**6, COUNT), "y": np.where(RANDOM.random(COUNT) < 0.5, "b", "a")})


def schema_of(*names: str, **more: Any) -> tacet.Schema:
    return tacet.Schema([tacet.numeric(name, 0, 1) for name in names],
                        target=tacet.binary("y", positive="b", negative="a"),
                        public_row_count=COUNT, **more)


def coefficients(frame: Any, schema: tacet.Schema, units: Any = None) -> List[float]:
    model = tacet.LogisticRegression(epsilon=5, steps=5, random_state=3, schema=schema)
    found: List[float] = model.fit(frame, units=units).encoded_coef_[0].tolist()
    return found


def test_a_person_is_one_however_the_name_is_held() -> None:
    schema = schema_of("a", "b", unit="who")
    numbers = [k % 40 for k in range(COUNT)]
    expected = coefficients(FRAME.assign(who=numbers), schema)
    half = COUNT // 2
    mixed = {
        "floats": np.array(numbers, dtype=float), "texts": [str(k) for k in numbers],
        "texts of floats": [f"{k}.0" for k in numbers],
        "both": numbers[:half] + [f" {k}.0" for k in numbers[half:]],
        "decimals": [Decimal(k).scaleb(1).scaleb(-1) for k in numbers],
        "numbers of numpy": pandas.Series([np.float32(k) for k in numbers], dtype=object),
        "exponents": [f"{k}e0" for k in numbers],
    }
    for how, who in mixed.items():
        assert coefficients(FRAME.assign(who=who), schema) == expected, how
        assert coefficients(FRAME, schema, units=who) == expected, how
        if how in ("floats", "texts", "texts of floats"):
            table = pyarrow.Table.from_pandas(FRAME.assign(who=who))
            assert coefficients(table, schema) == expected, how


def test_numbers_that_share_a_float_are_two_persons() -> None:
    schema = schema_of("a", "b", unit="who")
    pairs = [2**53 + k % 2 for k in range(COUNT)]
    apart = coefficients(FRAME.assign(who=[f"p{k}" for k in pairs]), schema)
    together = coefficients(FRAME.assign(who="p"), schema)
    for who in (pairs, [str(k) for k in pairs], [f"{k}.0" for k in pairs], np.array(pairs)):
        assert coefficients(FRAME.assign(who=who), schema) == apart != together


def test_the_ledger_knows_the_same_records_in_any_form(tmp_path: pathlib.Path) -> None:
    ledger = tacet.Ledger.create(tmp_path / "l.db")
    for account in ("people", "others"):
        ledger.enrol(account, epsilon=3, delta=1e-5)

    def fit(X: Any, account: str, schema: tacet.Schema, y: Any = None) -> None:
        tacet.LogisticRegression(epsilon=0.1, delta=1e-7, steps=3, schema=schema, ledger=ledger,
                                 data_set=account).fit(X, y)

    both = schema_of("a", "b")
    fit(FRAME, "people", both)
    read = FRAME[["a", "b"]]
    again = {
        "texts": FRAME.astype(str), "arrow": pyarrow.Table.from_pandas(FRAME),
        "objects": FRAME.astype(object), "renamed": FRAME.rename(columns={"more": "other"}),
        "turned": FRAME.sample(frac=1, random_state=1)[["more", "y", "b", "a"]],
        "what is read": FRAME[["a", "b", "y"]], "beside": FRAME.assign(index=range(COUNT)),
    }
    for how, same in again.items():
        with pytest.raises(tacet.BudgetError, match="people"):
            fit(same, "others", both)
        if how in ("what is read", "beside"):
            continue
        with pytest.raises(tacet.BudgetError, match="people"):
            fit(same, "others", schema_of("a"))
    for array in (read.to_numpy(), read.to_numpy().astype(str), read.to_numpy().astype(object)):
        with pytest.raises(tacet.BudgetError, match="people"):
            fit(array, "others", both, FRAME["y"])
    with pytest.raises(tacet.BudgetError, match="people"):
        tacet.describe(FRAME.astype(str), schema=schema_of("b"), epsilon=0.1, delta=1e-7,
                       ledger=ledger, data_set="others")
    fit(FRAME.assign(a=FRAME["a"][::-1].to_numpy()), "others", both)


def test_numbers_beyond_the_floats_are_clipped() -> None:
    schema = schema_of("a", "b")
    expected = coefficients(FRAME.assign(a=[1.0] * 3 + [0.0] * 3 + [0.5] * (COUNT - 6)), schema)
    high: List[List[Any]] = [["1e400", 10**400, Decimal("1e400")],
                             [Fraction(10**500), Decimal("1e9999"), "1E+500"]]
    for large in high:
        low = [f"-{value}" if isinstance(value, str) else -value for value in large]
        column = pandas.Series([*large, *low, *[0.5] * (COUNT - 6)], dtype=object)
        assert coefficients(FRAME.assign(a=column), schema) == expected
