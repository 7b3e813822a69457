"""Random models of tests/random_models.py: what ONNX Runtime and DuckDB compute of them is what the program predicts."""

from __future__ import annotations

import importlib
import os
import pathlib
import sys

import pytest

import tacet

from conftest import ROOT

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
duckdb = pytest.importorskip("duckdb")

sys.path.insert(0, str(ROOT / "tests"))
random_exports = importlib.import_module("random_exports")
random_models = importlib.import_module("random_models")

SEEDS = range(200) if os.environ.get("TACET_LONG") else range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_model(seed: int, tmp_path: pathlib.Path) -> None:
    try:
        model = random_exports.Model(os.environ["TACET_PROGRAM"], random_models.case(seed), tmp_path)
    except random_exports.Refused as refused:
        pytest.skip(str(refused))
    types = {"numeric": "DOUBLE", "date": "DATE"}
    try:
        random_exports.check_sql(model, "duckdb", types, lambda *asked: random_exports.ask_connection(duckdb.connect(), *asked))
    except random_exports.Refused:  # C or ONNX may take what SQL does not
        pass
    try:
        made = tacet.export.model_to_onnx(model.file)
    except tacet.UsageError as refused:
        assert "chosen features" in str(refused)
        return
    random_exports.check_onnx(model, made)
