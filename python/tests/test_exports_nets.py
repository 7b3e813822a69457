"""What ONNX Runtime computes from models with curves, words, ids, vectors and layers is what the package predicts."""

from __future__ import annotations

import functools
import math
import os
from typing import Any, Dict, List

import numpy as np
import pandas
import pytest

import tacet

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

COUNT = 400
MANY = 100_000 if os.environ.get("TACET_LONG") else 2000
PART = 4000
TOWNS = ["Bern", "Bir's", "elsewhere", ""]
CODES = [f"c{k}" for k in range(70)]


def records(count: int, seed: int) -> pandas.DataFrame:
    """Numbers beyond their bounds and missing, texts that no list has, fields with several words."""
    draw = np.random.default_rng(seed)

    def numbers(lower: float, upper: float) -> Any:
        values = np.round(draw.uniform(1.2 * lower - 0.2 * upper, 1.2 * upper - 0.2 * lower, count), 3)
        special = draw.choice([lower, upper, (lower + upper) / 2, math.nan, math.inf], count)
        return np.where(draw.random(count) < 0.2, special, values)

    def bags(words: List[str]) -> Any:
        return [" ".join(draw.choice(words, size)) for size in draw.integers(0, 17, count)]

    return pandas.DataFrame({
        "age": numbers(17, 90), "gain": numbers(0, 9999), "x": numbers(-1, 1),
        "sex": draw.choice(["m", "f", "?"], count), "town": draw.choice(TOWNS, count),
        "code": draw.choice([*CODES, "none"], count), "zip": draw.choice(["a", "b", "c", ""], count),
        "ids": bags([str(k) for k in range(40)]), "words": bags(["red", "green", "blue", "grey"])})


def answers(model: Any, table: pandas.DataFrame) -> Dict[str, Any]:
    """In parts, since a record with curves is some thousand numbers."""
    session = runtime.InferenceSession(model.to_onnx().SerializeToString(),
                                       providers=["CPUExecutionProvider"])
    parts = [scored(session, table[first:first + PART]) for first in range(0, len(table), PART)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def scored(session: Any, table: pandas.DataFrame) -> Dict[str, Any]:
    feed = {}
    for one in session.get_inputs():
        values = table[one.name]
        if one.type == "tensor(string)":
            feed[one.name] = values.to_numpy(dtype=object).reshape(-1, 1)
        elif one.type == "tensor(double)":
            feed[one.name] = values.to_numpy(dtype=np.float64).reshape(-1, 1)
        else:
            feed[one.name] = buckets(one.name, values)
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, feed)))


def buckets(column: str, values: Any) -> Any:
    """The numbers of the features of a field, -1 behind the last; some of them twice."""
    if column == "zip":
        return np.array([[tacet.export.bucket(one, 4) if one else -1] for one in values])
    number = int if column == "ids" else functools.partial(tacet.export.bucket, bits=6)
    rows = [[number(word) for word in one.split()] for one in values]
    return np.array([row + [-1] * (17 - len(row)) for row in rows])


def target_of(kind: str, table: pandas.DataFrame) -> Any:
    x = np.clip(table["x"].replace(math.inf, 0).fillna(0), -1, 1)
    signal = x * x + (table["town"] == "Bern") - (table["code"] < "c3")
    if kind == "number":
        return (signal + 1) * 3
    if kind == "two":
        return np.where(signal > 0.4, "yes", "no")
    return np.where(signal < 0.2, "a", np.where(signal < 0.8, "b's", "c"))


TARGETS = {"two": tacet.binary("y", positive="yes", negative="no"),
           "three": tacet.multiclass("y", ["a", "b's", "c"]), "number": tacet.number("y", 0, 10)}


def compare(kind: str, model: Any) -> None:
    table = records(MANY, 2)
    found = answers(model, table)
    predicted = model.predict(table)
    assert len(set(predicted.tolist())) > 1
    if kind == "number":
        np.testing.assert_allclose(found["prediction"][:, 0], predicted, rtol=0, atol=1e-12)
        return
    assert found["label"].tolist() == predicted.tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(table), rtol=0, atol=1e-12)


@functools.cache
def curved(categories: bool) -> Any:
    columns = [tacet.numeric("age", 17, 90, missing_indicator=categories, knots=0),
               tacet.numeric("gain", 0, 9999, log1p=True, knots=0)]
    if categories:
        columns += [tacet.categorical("town", TOWNS[:2], other="column"),
                    tacet.categorical("sex", ["m", "f"], coding="sign"),
                    tacet.categorical("code", CODES)]
    columns.append(tacet.numeric("x", -1, 1, knots=0))
    table = records(COUNT, 1)
    schema = tacet.Schema(columns, public_row_count=COUNT, target=TARGETS["number"])
    return tacet.LinearRegressor(epsilon=50, schema=schema, curves=0.4, method="gradient").fit(
        table.assign(y=target_of("number", table)))


@pytest.mark.parametrize("categories", [False, True])
def test_principal_curves(categories: bool) -> None:
    model = curved(categories)
    assert any("curve" in name for name in model.encoded_names_)
    compare("number", model)


@pytest.mark.parametrize("columns", [
    [tacet.text("words", bits=6)], [tacet.ids("ids", count=40), tacet.numeric("x", -1, 1)],
    [tacet.ids("ids", count=40), tacet.text("words", bits=6), tacet.hashed("zip", bits=4)]])
@pytest.mark.parametrize("scaling", ["clip1", "const"])
def test_words_and_ids_of_linear_models(columns: Any, scaling: str) -> None:
    table = records(COUNT, 1)
    schema = tacet.Schema(columns, public_row_count=COUNT, target=TARGETS["two"],
                          row_scaling=scaling)
    compare("two", tacet.LogisticRegression(epsilon=math.inf, schema=schema).fit(
        table.assign(y=target_of("two", table))))


def wide_columns() -> List[Any]:
    return [tacet.numeric("age", 17, 90, knots=5), tacet.numeric("x", -1, 1, knots=0),
            tacet.categorical("town", TOWNS[:2], other="column"),
            tacet.categorical("sex", ["m", "f"], coding="sign"), tacet.categorical("code", CODES),
            tacet.hashed("zip", bits=4), tacet.ids("ids", count=40, embedding=3),
            tacet.text("words", bits=6)]


@pytest.mark.parametrize("options", [
    {}, {"hidden": "none"}, {"hidden": "6,5", "pooling": "mean"}, {"linear_part": "absent"}])
@pytest.mark.parametrize("kind", ["two", "three", "number"])
def test_wide_models(kind: str, options: Any) -> None:
    table = records(COUNT, 1)
    schema = tacet.Schema(wide_columns(), public_row_count=COUNT, target=TARGETS[kind],
                          interactions=[("town", "code")])
    make = tacet.WideRegressor if kind == "number" else tacet.WideClassifier
    compare(kind, make(epsilon=math.inf, schema=schema, steps=20, **options).fit(
        table.assign(y=target_of(kind, table))))


def test_two_towers() -> None:
    table = records(COUNT, 1)
    schema = tacet.Schema(wide_columns(), public_row_count=COUNT, target=TARGETS["two"])
    compare("two", tacet.WideClassifier(
        epsilon=math.inf, schema=schema, steps=20, head="two-tower", dim=3, left="town,code,sex,words",
        right="zip,ids,age,x").fit(table.assign(y=target_of("two", table))))


def test_a_wide_model_of_numbers_without_names() -> None:
    values = np.random.default_rng(5).uniform(-0.2, 1.2, (COUNT, 4))
    labels = np.where(values[:, 0] > values[:, 1], "b", "a")
    schema = tacet.Schema(features=tacet.numbered(4, 0, 1), public_row_count=COUNT,
                          target=tacet.binary(None, positive="b", negative="a"))
    model = tacet.WideClassifier(epsilon=math.inf, schema=schema, steps=20, hidden="5").fit(values, labels)
    session = runtime.InferenceSession(model.to_onnx().SerializeToString(),
                                       providers=["CPUExecutionProvider"])
    found, = session.run(["probabilities"], {"features": values})
    np.testing.assert_allclose(found, model.predict_proba(values), rtol=0, atol=1e-12)
