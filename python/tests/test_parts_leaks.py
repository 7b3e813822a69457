"""What engines keep, log and show of a run over parts: neither a marked string nor a true sum."""

from __future__ import annotations

import contextlib
import os
import pathlib
import struct
import urllib.request
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np
import pandas
import parts_load
import pytest
from parts_spark import spark_session

import tacet

pytestmark = pytest.mark.filterwarnings("ignore")
LONG = bool(os.environ.get("TACET_LONG"))

scan = pytest.importorskip("parts_scan", reason="needs cryptography, which opens sealed answers")


def marked() -> pandas.DataFrame:
    random = np.random.default_rng(1)
    frame = pandas.DataFrame({
        "word": [f"{parts_load.SECRET}-{k}" for k in range(6000)],
        "x": random.uniform(size=6000), "z": random.uniform(size=6000)})
    frame["y"] = np.where(frame["x"] > 0.5, "yes", "no")
    return frame


def divided(folder: pathlib.Path) -> List[str]:
    folder.mkdir()
    paths = []
    for k in range(3):
        paths.append(str(folder / f"part-{k}.csv"))
        marked()[k::3].to_csv(paths[-1], index=False)
    return paths


def trained(engine: Any, folder: pathlib.Path) -> Any:
    """A training over the engine, with what parts truly answered."""
    schema = tacet.Schema(
        [tacet.hashed("word", bits=5), tacet.numeric("x", 0, 1), tacet.numeric("z", 0, 1)],
        target=tacet.binary("y", positive="yes", negative="no"), public_row_count=6000)
    parts = tacet.Parts(divided(folder), parts_load.table, on=engine)
    listening = scan.Listening(parts._engine)
    parts._engine = listening.engine
    tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, method="gradient", steps=8).fit(
        parts)
    return listening


def raised(words: str) -> None:
    raise ValueError(f"cannot parse {words}")


def packed(values: List[int]) -> bytes:
    return struct.pack(f"<{len(values)}q", *values)


class Dask:
    """A cluster of which everything is looked at."""

    def __init__(self, client: Any, folder: pathlib.Path) -> None:
        self.client = client
        self.folder = folder
        self.kept: List[Any] = []  # results stay with the workers until all has been looked at
        submit = client.submit

        def keeping(*arguments: Any, **options: Any) -> Any:
            future = submit(*arguments, **options)
            self.kept.append(future)
            return future

        client.submit = keeping

    def places(self) -> Dict[str, bytes]:
        def of_scheduler(dask_scheduler: Any) -> Dict[str, bytes]:
            found = {"events": scan.as_bytes(dict(dask_scheduler.get_events()))}
            for key, task in dask_scheduler.tasks.items():
                parts = (task.run_spec, task.exception, task.exception_text, task.traceback_text,
                         task.annotations)
                found[f"task {key}"] = b"".join(scan.as_bytes(part) for part in parts)
            return found

        def of_worker(dask_worker: Any) -> Dict[str, bytes]:
            found = {f"data {key}": scan.as_bytes(value)
                     for key, value in dict(dask_worker.data).items()}
            for key, task in dask_worker.state.tasks.items():
                parts = (task.run_spec, task.exception_text, task.traceback_text)
                found[f"task {key}"] = b"".join(scan.as_bytes(part) for part in parts)
            found["log"] = scan.as_bytes(dask_worker.get_logs())
            return found

        found: Dict[str, bytes] = self.client.run_on_scheduler(of_scheduler)
        for worker, of_one in self.client.run(of_worker).items():
            found.update({f"{worker} {name}": content for name, content in of_one.items()})
        found["logs"] = scan.as_bytes(
            (self.client.get_scheduler_logs(), self.client.get_worker_logs()))
        self.client.dump_cluster_state(str(self.folder / "dump"), format="yaml")
        found.update(scan.files_below(self.folder))
        found.update(self.pages())
        return found

    def pages(self) -> Dict[str, bytes]:
        """The dashboard's, also those of each task and of each worker."""
        root = self.client.dashboard_link.removesuffix("/status")
        known = ["/status", "/tasks", "/json/counts.json", "/json/identity.json", "/metrics",
                 "/info/main/workers.html", "/info/main/logs.html", "/info/main/events.html"]
        keys = [urllib.request.quote(future.key) for future in self.kept[:5]]  # type: ignore
        known += [f"/info/task/{key}.html" for key in keys]
        found = {}
        for page in known:
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(root + page, timeout=20) as answer:
                    found[page] = answer.read()
        assert len(found) >= 5, "there is a dashboard to look at"
        return found


@pytest.fixture
def dask(tmp_path: pathlib.Path) -> Iterator[Dask]:
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("bokeh", reason="the dashboard needs bokeh")
    import dask as settings

    folder = tmp_path / "dask"
    folder.mkdir()
    # Everything is spilled to disk, which has no compression.
    with settings.config.set({"distributed.worker.memory.target": 1e-9,
                              "distributed.worker.memory.spill": False,
                              "distributed.worker.memory.spill-compression": False,
                              "temporary-directory": str(folder)}):
        with distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, memory_limit="2GiB",
                dashboard_address="127.0.0.1:0", local_directory=str(folder)) as cluster:
            with distributed.Client(cluster) as client:
                yield Dask(client, folder)


def test_dask_keeps_and_shows_nothing_of_the_records(dask: Dask, tmp_path: pathlib.Path) -> None:
    numbers = trained(dask.client, tmp_path / "sources").true_numbers()
    assert len(numbers) > 50
    words = [parts_load.SECRET]
    places = dask.places()
    assert scan.found_in(places, numbers, words) == []
    assert any("storage" in name for name in places), "there are spilled files to look at"

    # Planted leaks are found: answers that are not sealed, a frame as a source, an error's text.
    some = sorted(numbers)[:20]
    leaks: Dict[str, Tuple[Callable[[], Any], str]] = {
        "an unsealed answer": (lambda: dask.client.submit(packed, some).result(), "8 bytes"),
        "a frame as a source": (lambda: dask.client.submit(len, marked()[:30]).result(), "marked"),
        "the text of an error": (
            lambda: dask.client.submit(raised, f"{parts_load.SECRET}").exception(), "marked")}
    for name, (leak, kind) in leaks.items():
        before = set(scan.found_in(dask.places(), numbers, words))
        leak()
        hits = set(scan.found_in(dask.places(), numbers, words)) - before
        assert any(kind in hit for hit in hits), name
        dask.kept.clear()


@pytest.mark.skipif(not LONG, reason="Spark is in the long tier (TACET_LONG)")
def test_spark_keeps_and_logs_nothing_of_the_records(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "spark"
    folder.mkdir()

    def places() -> Dict[str, bytes]:
        output = capfd.readouterr()
        return {**scan.files_below(folder), "output": (output.out + output.err).encode()}

    with spark_session(folder) as session:
        numbers = trained(session, tmp_path / "sources").true_numbers()
        words = [parts_load.SECRET]
        seen = places()
        assert any("events" in name for name in seen), "there is an event log to look at"
        assert len(numbers) > 50
        assert scan.found_in(seen, numbers, words) == []

        from pyspark import StorageLevel

        spark = session.sparkContext
        some = sorted(numbers)[:20]
        unsealed = spark.parallelize([0], 1).map(lambda _: packed(some)).persist(
            StorageLevel.DISK_ONLY)
        unsealed.count()
        hits = scan.found_in(places(), numbers, [])
        assert any("8 bytes" in hit for hit in hits), "an unsealed answer"
        unsealed.unpersist(blocking=True)
        rows = [(k, f"{parts_load.SECRET}-{k}") for k in range(30)]
        spark.parallelize(rows, 2).partitionBy(2).count()
        hits = scan.found_in(places(), numbers, words)
        assert any("marked" in hit for hit in hits), "records that are sent"
        before = set(scan.found_in({name: content for name, content in places().items()
                                    if "events" in name}, numbers, words))
        assert not before
        with contextlib.suppress(Exception):
            spark.parallelize([0], 1).map(lambda _: raised(parts_load.SECRET)).count()
        hits = [hit for hit in scan.found_in(places(), numbers, words)
                if "events" in hit or "output" in hit]
        assert hits, "the text of an error"
