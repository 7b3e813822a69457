"""A file's name in place of records: refused with what to write, wherever records are taken."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict

import numpy as np
import pytest

import tacet
from tacet.compat import diffprivlib

pytestmark = pytest.mark.filterwarnings("ignore")

COUNT = 400
SCHEMA = tacet.Schema([tacet.numeric("age", 0, 100)], public_row_count=COUNT,
                      target=tacet.binary("ill", positive="yes", negative="no"))
NUMBERS = tacet.Schema([tacet.numeric("age", 0, 100)], public_row_count=COUNT,
                       target=tacet.number("ill", 0, 1))
TABLE = {"age": np.arange(COUNT) % 90, "ill": np.where(np.arange(COUNT) % 90 > 40, "yes", "no")}
MODEL = tacet.LogisticRegression(epsilon=1, schema=SCHEMA, steps=3)
FITTED = tacet.LogisticRegression(epsilon=1, schema=SCHEMA, steps=3).fit(TABLE)
WIDE = tacet.WideClassifier(epsilon=1, schema=SCHEMA, steps=3)
BOUNDED = tacet.LinearClassifier(epsilon=1, bounds=(0, 1), classes=["no", "yes"])
THEIRS = diffprivlib.models.LogisticRegression(data_norm=1.0)

# Each takes records in memory alone.
IN_MEMORY: Dict[str, Callable[[Any], Any]] = {
    "fit": MODEL.fit,
    "fit with y": lambda name: MODEL.fit(name, TABLE["ill"]),
    "fit of a wide model": WIDE.fit,
    "fit by bounds": BOUNDED.fit,
    "fit without a budget": tacet.LogisticRegression().fit,
    "plan": MODEL.plan,
    "predict": FITTED.predict,
    "predict_proba": FITTED.predict_proba,
    "decision_function": FITTED.decision_function,
    "score": lambda name: FITTED.score(name, TABLE["ill"]),
    "evaluate": lambda name: FITTED.evaluate(name, epsilon=1),
    "tune": lambda name: tacet.tune(MODEL, name, grid={"l2": [0.1, 1]}),
    "simulate": lambda name: tacet.local.simulate(name, schema=SCHEMA, epsilon=1),
    "OLS": lambda name: tacet.inference.OLS("ill ~ age", name, schema=NUMBERS, epsilon=1),
    "fit of diffprivlib": lambda name: THEIRS.fit(name, TABLE["ill"]),
    "their regression": lambda name: diffprivlib.models.LinearRegression(
        bounds_X=(0, 1), bounds_y=(0, 1)).fit(name, TABLE["age"]),
    "their scaler": diffprivlib.models.StandardScaler(bounds=(0, 1)).fit,
    "their mean": lambda name: diffprivlib.tools.mean(name, bounds=(0, 1)),
    "their histogram": lambda name: diffprivlib.tools.histogram(name, range=(0, 1)),
}
# Each takes the name of a CSV file, too.
BY_NAME: Dict[str, Callable[[Any], Any]] = {
    "describe": lambda name: tacet.describe(name, schema=SCHEMA, epsilon=1),
    "quantile": lambda name: tacet.quantile(name, "age", schema=SCHEMA, epsilon=1),
    "Schema.fit": lambda name: tacet.Schema.fit(name, epsilon=1, header=True),
    "Schema.draft": lambda name: tacet.Schema.draft(name, public=True, header=True),
    "split": tacet.split,
    "embed": lambda name: tacet.embed(name, epsilon=1, vocabulary=["a", "b"], public_row_count=COUNT),
    "read_csv": lambda name: tacet.read_csv(name, SCHEMA),
}


@pytest.mark.parametrize("name", IN_MEMORY)
@pytest.mark.parametrize("kind", [str, pathlib.Path])
def test_records_are_no_file(name: str, kind: Callable[[str], Any]) -> None:
    for file in ("missing.csv", "missing.parquet"):
        with pytest.raises(tacet.UsageError, match="a file's name was given"):
            IN_MEMORY[name](kind(file))


@pytest.mark.parametrize("name", BY_NAME)
def test_only_csv_files_are_read_by_their_names(name: str) -> None:
    for file in ("missing.parquet", pathlib.Path("missing.FEATHER"), "missing.xlsx"):
        with pytest.raises(tacet.UsageError, match="a file's name was given.*pandas"):
            BY_NAME[name](file)
    with pytest.raises((tacet.IoError, tacet.DataError, tacet.UsageError)) as refused:
        BY_NAME[name]("missing.csv")
    assert "missing.csv" in str(refused.value)


def test_a_name_is_no_column_beside_the_records() -> None:
    for beside in ({"y": "ill"}, {"units": "person"}):
        for function in (MODEL.fit, lambda *given, **more: FITTED.evaluate(*given, epsilon=1, **more)):
            with pytest.raises(tacet.UsageError, match="an array with one value per record"):
                function(TABLE, **beside)
