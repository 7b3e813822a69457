"""Records in parts over Dask, MPI and Spark, where they are installed: the model of one table."""

from __future__ import annotations

import importlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Iterator, List

import pandas
import parts_load
import pytest

import tacet
from conftest import ROOT

pytestmark = pytest.mark.filterwarnings("ignore")
LONG = bool(os.environ.get("TACET_LONG"))
KILLS = 100 if LONG else 6


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def divided(frame: pandas.DataFrame, count: int, folder: pathlib.Path) -> List[str]:
    paths = []
    for k in range(count):
        paths.append(str(folder / f"part-{k}.csv"))
        frame[k::count].to_csv(paths[-1], index=False)
    return paths


def estimator(schema: tacet.Schema, **more: Any) -> Any:
    return tacet.LogisticRegression(
        epsilon=1, delta=1e-6, schema=schema, random_state=7, method="gradient", **more)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_dask_trains_and_evaluates_as_one_table_does(
    count: int, dask: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    whole = estimator(schema).fit(berkeley)
    parts = tacet.Parts(divided(berkeley, count, tmp_path), parts_load.table, on=dask)
    found = estimator(schema).fit(parts)
    assert found._model.to_bytes() == whole._model.to_bytes()
    figures = whole.evaluate(berkeley, epsilon=1, delta=1e-6, random_state=3)
    assert dict(found.evaluate(parts, epsilon=1, delta=1e-6, random_state=3)) == dict(figures)
    assert set(dask.run(parts_load.kept).values()) == {0}, "workers forget at the end"


def test_killed_workers_of_dask_cost_time_alone(
    dask: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    ledger = tacet.Ledger.create(tmp_path / "ledger.db")
    ledger.enrol("students", epsilon=500, delta=1e-2)
    parts = tacet.Parts(divided(berkeley, 3, tmp_path), parts_load.table, on=dask)
    whole = estimator(schema, steps=300).fit(berkeley)
    draw = random.Random(11)
    killed: List[int] = []

    def kill(until: threading.Event) -> None:
        while not until.wait(draw.uniform(0.2, 1.0)):
            there = sorted(info["pid"] for info in dask.run(parts_load.process).values())
            if there:
                killed.append(draw.choice(there))
                os.kill(killed[-1], signal.SIGKILL)

    runs = 0
    while len(killed) < KILLS:
        ended = threading.Event()
        killer = threading.Thread(target=kill, args=(ended,))
        killer.start()
        try:
            found = estimator(schema, steps=300, ledger=ledger, data_set="students").fit(parts)
        finally:
            ended.set()
            killer.join()
        runs += 1
        assert found._model.to_bytes() == whole._model.to_bytes()
        assert len(ledger.show()[0]["runs"]) == runs, "one reservation a run"


def test_a_closed_client_of_dask_ends_with_an_error(
    dask: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    distributed = importlib.import_module("distributed")
    budget = tacet.Budget(epsilon=5, delta=1e-4)
    with distributed.Client(dask.scheduler.address, set_as_default=False) as client:
        parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=client)
    with pytest.raises(tacet.DataError, match="the engine ended with"):
        tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, budget=budget,
                                 method="gradient").fit(parts)
    assert budget.spent[0] == 0


def test_a_worker_of_dask_logs_no_text_of_an_error(
    dask: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.quoting, on=dask)
    with pytest.raises(tacet.DataError, match="part 1: its worker ended with ValueError"):
        estimator(schema).fit(parts)

    def logs() -> str:
        return repr([dask.get_worker_logs(), dask.get_scheduler_logs()])

    assert parts_load.SECRET not in logs()
    failed = dask.submit(parts_load.quoting, parts.sources[1], pure=False)
    assert isinstance(failed.exception(), ValueError)
    end = time.monotonic() + 10
    while parts_load.SECRET not in logs() and time.monotonic() < end:
        time.sleep(0.1)
    assert parts_load.SECRET in logs(), "the search finds what an engine logs by itself"


MPI = """
import pandas, sys
sys.path.insert(0, {tests!r})
import parts_load, tacet
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        parts = tacet.Parts({paths!r}, parts_load.table, on=pool)
        model = tacet.LogisticRegression(
            epsilon=1, delta=1e-6, schema=tacet.Schema.load({schema!r}), random_state=7,
            method="gradient").fit(parts)
    model.save({saved!r})
"""


def test_ranks_of_mpi_train_as_one_table_does(
    berkeley: pandas.DataFrame, schema: tacet.Schema, schema_file: pathlib.Path,
    tmp_path: pathlib.Path,
) -> None:
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed")
    script = tmp_path / "script.py"
    script.write_text(MPI.format(
        tests=str(ROOT / "python/tests"), schema=str(schema_file),
        paths=divided(berkeley, 4, tmp_path), saved=str(tmp_path / "parts.json")), "utf-8")
    subprocess.run(
        ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m",
         "mpi4py.futures", str(script)], check=True, timeout=120)
    estimator(schema).fit(berkeley).save(tmp_path / "whole.json")
    assert (tmp_path / "parts.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    if not LONG:
        pytest.skip("Spark takes a minute; TACET_LONG=1 asks for it")
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT / "python/tests"))
        session = (sql.SparkSession.builder.master("local[2,4]")
                   .config("spark.ui.enabled", "false").getOrCreate())
        yield session
        session.stop()


def test_spark_trains_as_one_table_does(
    spark: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    whole = estimator(schema, steps=20).fit(berkeley)
    paths = divided(berkeley, 5, tmp_path)
    found = estimator(schema, steps=20).fit(tacet.Parts(paths, parts_load.table, on=spark))
    assert found._model.to_bytes() == whole._model.to_bytes()
    died = estimator(schema, steps=20).fit(tacet.Parts(paths, parts_load.dying_once, on=spark))
    assert died._model.to_bytes() == whole._model.to_bytes()
