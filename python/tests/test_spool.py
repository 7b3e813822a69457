"""Encoded records in a file: what it does to memory, and folders that cannot hold it."""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

X = np.random.default_rng(2).random((400, 3))
Y = np.where(X[:, 0] > 0.5, "yes", "no")


def model(**more: Any) -> tacet.LogisticRegression:
    return tacet.LogisticRegression(epsilon=1, bounds=(0, 1), classes=["no", "yes"], steps=5,
                                    public_row_count=400, **more)


def test_a_folder_that_cannot_hold_records_costs_nothing(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    budget = tacet.Budget(9, 1e-3)
    fitted = model(random_state=1).fit(X, Y)
    for folder, kind in ((tmp_path / "missing", tacet.IoError), (file, tacet.IoError)):
        with pytest.raises(kind, match=str(folder)):
            model(budget=budget, spool=folder).fit(X, Y)
        with pytest.raises(kind, match=str(folder)):
            fitted.evaluate(X, Y, epsilon=1, delta=1e-6, budget=budget, spool=folder)
    for wrong in (7, "", True):
        with pytest.raises(tacet.UsageError, match="path of a folder"):
            model(budget=budget, spool=wrong).fit(X, Y)
    if os.path.isdir("/dev/shm"):
        with pytest.raises(tacet.UsageError, match="spool.*lie in memory"):
            model(budget=budget, spool="/dev/shm").fit(X, Y)
    assert budget.spent == (0, 0)
    assert list(tmp_path.iterdir()) == [file]


def test_an_estimator_keeps_its_folder_and_its_model_does_not_know_it(
    tmp_path: pathlib.Path
) -> None:
    spooled = model(random_state=1, spool=tmp_path)
    for one in (spooled, clone(spooled), pickle.loads(pickle.dumps(spooled))):
        assert one.get_params()["spool"] == tmp_path
        assert one.fit(X, Y).encoded_coef_.tolist() == \
            model(random_state=1).fit(X, Y).encoded_coef_.tolist()
        assert str(tmp_path) not in str(dict(one.receipt_))
    assert not list(tmp_path.iterdir())


def test_a_tuning_and_an_evaluation_use_it_too(tmp_path: pathlib.Path) -> None:
    found = [tacet.tune(model(random_state=1, spool=spool).set_params(steps=None, epsilon=3), X, Y,
                        grid={"steps": [3, 5]}, trials=2) for spool in (None, tmp_path)]
    assert found[0].encoded_coef_.tolist() == found[1].encoded_coef_.tolist()
    asked = {"epsilon": 1.0, "delta": 1e-6, "random_state": 3}
    fitted = model(random_state=1, spool=tmp_path / "missing")
    fitted._model = found[0]._model
    with pytest.raises(tacet.IoError):
        found[0].set_params(spool=tmp_path / "missing").evaluate(X, Y, **asked)
    assert found[0].evaluate(X, Y, spool=tmp_path, **asked) == found[1].evaluate(X, Y, **asked)


LIMITED = """
import resource, sys
import numpy as np, pyarrow, tacet
ROWS, COLUMNS, BATCH = 600_000, 40, 8192
schema = tacet.Schema([tacet.numeric(f"x{j}", 0, 1) for j in range(COLUMNS)],
                      target=tacet.binary("y", positive="1", negative="0"), public_row_count=ROWS)
kinds = pyarrow.schema([(f"x{j}", pyarrow.float32()) for j in range(COLUMNS)]
                       + [("y", pyarrow.int8())])
batch = pyarrow.record_batch(
    [np.random.default_rng(j).random(BATCH, dtype=np.float32) for j in range(COLUMNS)]
    + [(np.arange(BATCH) % 2).astype(np.int8)], schema=kinds)
def stream():
    return pyarrow.RecordBatchReader.from_batches(
        kinds, (batch.slice(0, min(BATCH, ROWS - begin)) for begin in range(0, ROWS, BATCH)))
model = tacet.LogisticRegression(epsilon=1, schema=schema, steps=2, random_state=1, threads=1,
                                 standardise="none", knots=None, spool=sys.argv[1] if len(sys.argv) > 1 else None)
with open("/proc/self/status") as status:
    now = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData"))
resource.setrlimit(resource.RLIMIT_DATA, (now + (48 << 20),) * 2)
try:
    model.fit(stream())
    print("fitted", len(model.evaluate(stream(), epsilon=1, delta=1e-6, random_state=1)) > 0)
except MemoryError as error:
    print("out of memory" in str(error) and "spool" in str(error))
"""


@pytest.mark.parametrize("spooled", [False, True])
def test_a_stream_into_a_spool_needs_no_private_memory_of_its_size(
    spooled: bool, tmp_path: pathlib.Path
) -> None:
    """60 MB of encoded records, where 48 MB more may be taken."""
    words = [sys.executable, "-W", "ignore", "-c", LIMITED] + ([str(tmp_path)] if spooled else [])
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert done.stdout.split() == (["fitted", "True"] if spooled else ["True"])
    assert not list(tmp_path.iterdir())
