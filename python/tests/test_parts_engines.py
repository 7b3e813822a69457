"""Records in parts over Dask, MPI and Spark: the model of one table.

The quick tier has a few cases of Dask and MPI; with TACET_LONG all of them, and Spark."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any, Dict, Iterator, List

import pandas
import parts_load
import pytest
from parts_cases import CASES, ROOT, expect_same
from parts_spark import spark_session
from test_parts import divided

import tacet
from tacet import _engines

pytestmark = pytest.mark.filterwarnings("ignore")
LONG = bool(os.environ.get("TACET_LONG"))
QUICK = ["released", "curves", "words", "visits", "adassp-add_remove"]
NAMES = list(CASES) if LONG else QUICK


@pytest.fixture(scope="module", params=[2, 1] if LONG else [2])
def dask(request: Any) -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
            n_workers=request.param, threads_per_worker=1, processes=True,
            dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.mark.parametrize("name", NAMES)
def test_dask_trains_and_evaluates_as_one_table_does(
    name: str, dask: Any, tmp_path: pathlib.Path
) -> None:
    expect_same(CASES[name](), [1, 4, 9] if LONG else [1, 4], tmp_path, dask)
    assert set(dask.run(parts_load.kept).values()) == {0}, "workers forget at the end"


def test_mpi_trains_and_evaluates_as_one_table_does(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mpi4py")
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("Open MPI (openmpi-bin) is not installed")
    places: Dict[str, str] = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        [mpirun, "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures",
         str(pathlib.Path(__file__).with_name("parts_cases.py")), str(tmp_path), *NAMES],
        env={**os.environ, **places}, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stderr
    assert f"{len(NAMES)} cases on 2 workers" in done.stdout


def test_the_program_does_not_spend_as_several_processes(tmp_path: pathlib.Path) -> None:
    program = os.environ.get("TACET_PROGRAM")
    mpirun = shutil.which("mpirun")
    if mpirun is None or not program:
        pytest.skip("Open MPI (openmpi-bin) is not installed, or TACET_PROGRAM is not given")
    done = subprocess.run(
        [mpirun, "--oversubscribe", "--allow-run-as-root", "-n", "2", program, "train",
         ROOT / "data/berkeley1973.csv", "--schema", ROOT / "data/schemas/berkeley1973.toml",
         "--epsilon", "1", "--output", tmp_path / "model.json"],
        capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "tacet.Parts" in done.stderr
    assert not (tmp_path / "model.json").exists()


def test_a_closed_client_is_an_error_without_words(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        client = distributed.Client(cluster)
        path = tmp_path / "part.csv"
        berkeley.to_csv(path, index=False)
        parts = tacet.Parts([str(path)], parts_load.table, on=client)
        client.close()
        budget = tacet.Budget(epsilon=5, delta=1e-4)
        with pytest.raises(tacet.DataError, match="the engine ended with"):
            tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, method="gradient",
                                     budget=budget).fit(parts)
        assert budget.spent[0] == 0


def test_dask_goes_on_when_its_only_worker_has_died(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    """A task that waits for a worker that is gone waits for ever, unless it is submitted anew."""
    distributed = pytest.importorskip("distributed")

    def made() -> Any:
        return tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, method="gradient",
                                        steps=5, random_state=7)

    whole = made().fit(berkeley)._model.to_bytes()
    with distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.dying_once, on=client)
            assert made().fit(parts)._model.to_bytes() == whole
    assert list(tmp_path.glob("*.died")), "it has died"


def test_dask_without_workers_ends_the_run(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(_engines, "_DASK_PATIENCE", 1.0)
    budget = tacet.Budget(epsilon=5, delta=1e-4)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=client)
            with pytest.raises(tacet.DataError, match="the engine ended with TimeoutError"):
                tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, method="gradient",
                                         budget=budget).fit(parts)
    assert budget.spent[0] == 0


@pytest.fixture(scope="module", params=[2, 4] if LONG else [2])
def spark(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if not LONG:
        pytest.skip("Spark is in the long tier (TACET_LONG)")
    with spark_session(tmp_path_factory.mktemp("spark"), cores=request.param) as session:
        yield session


@pytest.mark.parametrize("name", list(CASES))
def test_spark_trains_and_evaluates_as_one_table_does(
    name: str, spark: Any, tmp_path: pathlib.Path
) -> None:
    cores = spark.sparkContext.defaultParallelism
    expect_same(CASES[name](), [1, 4, 9] if cores == 2 else [9], tmp_path, spark)


def test_spark_tells_of_a_failure_without_words(
    spark: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    sources: List[str] = []
    for k in range(3):
        sources.append(str(tmp_path / f"part-{k}.csv"))
        berkeley[k::3].to_csv(sources[-1], index=False)
    with pytest.raises(tacet.DataError, match="part 1: its worker ended with ValueError") as found:
        tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, method="gradient").fit(
            tacet.Parts(sources, parts_load.quoting, on=spark))
    assert parts_load.SECRET not in str(found.value)


def test_what_is_no_driver_of_spark_is_refused() -> None:
    for home in ("pyspark.sql.connect.session", "pyspark.rdd"):
        stranger = type("SparkSession", (), {"__module__": home})
        with pytest.raises(tacet.UsageError, match="session that Spark's driver has made"):
            _engines.adapter(stranger())
