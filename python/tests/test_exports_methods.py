"""What ONNX Runtime computes from each method's model, and from models of Adult and a9a, is what the package predicts."""

from __future__ import annotations

import gzip
import math
import os
import pathlib
from typing import Any, Dict, Tuple

import numpy as np
import pandas
import pytest

import tacet

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

COUNT, NEW = 600, 2000
TOWNS = ["Bern", "Basel", "Chur"]
# Options, and the target where it is not two classes.
METHODS: Dict[str, Tuple[Dict[str, Any], str]] = {
    "auto": ({}, "two"), "gradient": ({}, "two"), "output": ({}, "two"), "phased": ({}, "two"),
    "objective": ({}, "two"), "regularized-output": ({}, "two"), "ladder": ({}, "two"),
    "localized": ({}, "two"), "growth": ({}, "two"), "phased-erm": ({}, "two"),
    "inverse-sensitivity": ({}, "two"), "sparse-groups": ({"group_column": "town"}, "two"),
    "adassp": ({}, "number")}
DATA = pathlib.Path(os.environ.get("TACET_DATA", "/nowhere"))
SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "data" / "schemas"


def records(count: int, seed: int) -> pandas.DataFrame:
    draw = np.random.default_rng(seed)
    age = np.round(draw.uniform(-30, 140, count), 2)
    age[draw.random(count) < 0.1] = math.nan
    return pandas.DataFrame({"age": age, "town": draw.choice([*TOWNS, "elsewhere", ""], count)})


def table_of(kind: str) -> pandas.DataFrame:
    table = records(COUNT, 1)
    signal = np.clip(table["age"].fillna(50), 0, 100) / 100 + (table["town"] == "Bern")
    return table.assign(y=signal if kind == "number" else np.where(signal > 0.7, "yes", "no"))


def session_of(model: Any) -> Any:
    return runtime.InferenceSession(model.to_onnx().SerializeToString(),
                                    providers=["CPUExecutionProvider"])


def compare(model: Any, table: pandas.DataFrame) -> None:
    session = session_of(model)
    feed = {one.name: table[one.name].to_numpy(
        dtype=object if one.type == "tensor(string)" else np.float64).reshape(-1, 1)
        for one in session.get_inputs()}
    found = dict(zip([one.name for one in session.get_outputs()], session.run(None, feed)))
    predicted = model.predict(table)
    if "prediction" in found:
        np.testing.assert_allclose(found["prediction"][:, 0], predicted, rtol=0, atol=1e-12)
        return
    assert found["label"].tolist() == predicted.tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(table), rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_each_methods_model(method: str) -> None:
    options, kind = METHODS[method]
    columns = [] if method == "inverse-sensitivity" else [
        tacet.categorical("town", TOWNS, other="column")]
    schema = tacet.Schema(
        [tacet.numeric("age", 0, 100), *columns], public_row_count=COUNT,
        intercept=method != "inverse-sensitivity",
        target=tacet.number("y", 0, 2) if kind == "number" else tacet.binary("y", positive="yes", negative="no"))
    make = tacet.LinearRegressor if kind == "number" else tacet.LogisticRegression
    model = make(epsilon=4, delta=1e-6, adjacency="zero_out", method=method, schema=schema,
                 random_state=1, **options).fit(table_of(kind))
    compare(model, records(NEW, 2))


@pytest.mark.skipif(not (DATA / "adult").is_dir(), reason="TACET_DATA has no adult")
def test_adult_with_curves() -> None:
    schema = tacet.Schema.load(SCHEMAS / "adult.toml")
    names = [*schema.columns, schema.target]
    train, new = (pandas.read_csv(DATA / f"adult/adult.{part}.csv.gz", na_filter=False)[names]
                  for part in ("train", "test"))
    model = tacet.LogisticRegression(epsilon=1, schema=schema, method="gradient", random_state=1).fit(train)
    assert "age~27.4286" in model.encoded_names_  # a knot of a curve
    compare(model, new)


@pytest.mark.skipif(not (DATA / "a9a").is_dir(), reason="TACET_DATA has no a9a")
def test_a9a() -> None:
    load = pytest.importorskip("sklearn.datasets").load_svmlight_file
    parts = []
    for part in ("train", "test"):
        with gzip.open(DATA / f"a9a/a9a.{part}.libsvm.gz") as file:
            values, labels = load(file, n_features=123)
        parts.append((values, np.where(labels > 0, "+1", "-1")))
    model = tacet.LogisticRegression(epsilon=1, schema=tacet.Schema.load(SCHEMAS / "a9a.toml"),
                                     random_state=1).fit(*parts[0])
    values = parts[1][0]
    found = session_of(model).run(["label", "probabilities"], {"features": values.toarray()})
    assert found[0].tolist() == model.predict(values).tolist()
    np.testing.assert_allclose(found[1], model.predict_proba(values), rtol=0, atol=1e-12)
