"""Random models of tests/random_models.py: ONNX Runtime and DuckDB compute what the program predicts."""

from __future__ import annotations

import importlib
import os
import pathlib
import sys
from typing import Any

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


def trained(seed: int, folder: pathlib.Path) -> Any:
    """The model and the graph of the first variant of a seed that the program does not refuse."""
    for case in random_models.variants(seed):
        try:
            model = random_exports.Model(os.environ["TACET_PROGRAM"], case, folder)
            return model, tacet.export.model_to_onnx(model.file)
        except random_exports.Refused:
            continue
        except tacet.UsageError as refused:
            assert "chosen features" in str(refused)
    pytest.fail("no variant can be trained and exported")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_model(seed: int, tmp_path: pathlib.Path) -> None:
    model, graph = trained(seed, tmp_path)
    random_exports.check_onnx(model, graph)
    types = {"numeric": "DOUBLE", "date": "DATE"}
    try:
        random_exports.check_sql(model, "duckdb", types,
                                 lambda *asked: random_exports.ask_connection(duckdb.connect(), *asked))
    except random_exports.Refused:  # SQL does not take all that ONNX takes
        pass
