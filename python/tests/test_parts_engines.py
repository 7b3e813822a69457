"""Records in parts over Dask, where it is installed: the model of one table."""

from __future__ import annotations

import pathlib
from typing import Any, Iterator, List

import pandas
import parts_load
import pytest

import tacet

pytestmark = pytest.mark.filterwarnings("ignore")


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
        epsilon=1, delta=1e-6, schema=schema, method="gradient",
        **{"random_state": 7, "steps": 20, **more})


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
