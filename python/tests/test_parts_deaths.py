"""Deaths: whoever dies on the way, the model is that of one table, or the run ends and stays spent.

A few in the quick tier; with TACET_LONG 100 of Dask's workers, 30 of Spark's and 30 of the root."""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Iterator, List, Set

import pandas
import parts_load
import pytest
from parts_spark import spark_session
from test_parts import divided

import tacet

pytestmark = pytest.mark.filterwarnings("ignore")
LONG = bool(os.environ.get("TACET_LONG"))
STEPS = 40


def estimator(schema: tacet.Schema, **more: Any) -> Any:
    return tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, method="gradient",
                                    steps=STEPS, **more)


class Killer:
    """Kills one of the processes at a random moment of what runs in its block, and counts those
    that died while it ran."""

    def __init__(self, victims: Callable[[], List[int]], longest: float, seed: int) -> None:
        self._victims = victims
        self._random = random.Random(seed)
        self.longest = longest
        self.deaths = 0

    def __enter__(self) -> None:
        self._over = threading.Event()
        wait = self._random.uniform(0, self.longest)
        self._thread = threading.Thread(target=self._kill, args=[wait])
        self._thread.start()

    def __exit__(self, *error: Any) -> None:
        self._over.set()
        self._thread.join()

    def _kill(self, wait: float) -> None:
        if self._over.wait(wait):
            return
        found = self._victims()
        if found:
            os.kill(self._random.choice(found), signal.SIGKILL)
            self.deaths += 1


def expect_same_whoever_dies(
    killer: Killer, deaths: int, whole: bytes, fit: Callable[[], Any]
) -> None:
    runs = 0
    while killer.deaths < deaths:
        runs += 1
        assert runs <= 4 * deaths + 4, "workers are hardly ever there to be killed"
        with killer:
            found = fit()
        assert found._model.to_bytes() == whole


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    import dask as settings

    # A cluster of this kind gives up a worker that is just being started again so long after a
    # death; here the next death is never far.
    with settings.config.set({"distributed.deploy.lost-worker-timeout": "1 day"}):
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                      dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                yield client


def test_dask_loses_workers_and_nothing_else(
    dask: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    whole = estimator(schema, random_state=7).fit(berkeley)._model.to_bytes()
    parts = tacet.Parts(divided(berkeley, 4, tmp_path), parts_load.table, on=dask)

    def victims() -> List[int]:
        return [int(worker) for worker in dask.run(os.getpid, on_error="ignore").values()]

    started = time.monotonic()
    estimator(schema, random_state=7).fit(parts)
    killer = Killer(victims, time.monotonic() - started, 1)
    expect_same_whoever_dies(killer, 100 if LONG else 4, whole,
                             lambda: estimator(schema, random_state=7).fit(parts))


def test_a_death_books_nothing_twice(
    dask: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    ledger = tacet.Ledger.create(tmp_path / "ledger.db")
    ledger.enrol("visits", epsilon=100, delta=1e-2)
    parts = tacet.Parts(divided(berkeley, 4, tmp_path), parts_load.dying_once, on=dask)
    model = estimator(schema, ledger=ledger, data_set="visits").fit(parts)
    (account,) = ledger.show()
    (run,) = account["runs"]
    assert run["state"] == "committed" and run["cost"]["value"] == pytest.approx(1), "one reservation, its price"
    assert tacet.verify(model, protected=True).verdict == "follows", "each release debited once"


def python_workers() -> List[int]:
    """Spark's processes for Python: children of a daemon of it that this process has started."""
    parents = {}
    daemons: Set[int] = set()
    for place in pathlib.Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if b"pyspark.daemon" in (place / "cmdline").read_bytes():
                daemons.add(int(place.name))
        except OSError:
            continue
        parents[int(place.name)] = parent

    def is_mine(process: int) -> bool:
        while process in parents:
            if process == os.getpid():
                return True
            process = parents[process]
        return False

    return [process for process, parent in parents.items()
            if parent in daemons and is_mine(process)]


@pytest.mark.skipif(not LONG, reason="Spark is in the long tier (TACET_LONG)")
def test_spark_loses_python_workers_and_nothing_else(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    whole = estimator(schema, random_state=7).fit(berkeley)._model.to_bytes()
    paths = divided(berkeley, 4, tmp_path)
    with spark_session(tmp_path) as session:
        parts = tacet.Parts(paths, parts_load.table, on=session)
        estimator(schema, random_state=7).fit(parts)
        started = time.monotonic()
        estimator(schema, random_state=7).fit(parts)
        killer = Killer(python_workers, time.monotonic() - started, 2)
        expect_same_whoever_dies(killer, 30, whole,
                                 lambda: estimator(schema, random_state=7).fit(parts))


ROOT = """
import sys, warnings, distributed, tacet, parts_load
warnings.simplefilter("ignore")
address, ledger, schema, *sources = sys.argv[1:]
with distributed.Client(address) as client:
    parts = tacet.Parts(sources, parts_load.table, on=client, forget_after=1.0)
    print("ready", flush=True)
    tacet.LogisticRegression(
        epsilon=1, delta=1e-6, schema=tacet.Schema.load(schema), method="gradient", steps=2000,
        ledger=tacet.Ledger(ledger), data_set="visits").fit(parts)
"""


def killed_root(wait: float, *arguments: object) -> None:
    here = pathlib.Path(__file__).parent
    root = subprocess.Popen(
        [sys.executable, "-c", ROOT, *map(str, arguments)], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, cwd=here, text=True)
    assert root.stdout is not None and root.stdout.readline() == "ready\n"
    time.sleep(wait)
    root.kill()
    root.wait()
    root.stdout.close()


def test_a_root_that_dies_has_spent_and_workers_forget(
    dask: Any, berkeley: pandas.DataFrame, schema_file: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    ledger = tacet.Ledger.create(tmp_path / "ledger.db")
    ledger.enrol("visits", epsilon=1000, delta=1e-2)
    paths = divided(berkeley, 2, tmp_path)
    moments = random.Random(3)
    booked = disclosed = 0
    for _ in range(30 if LONG else 3):
        killed_root(moments.uniform(0, 3), dask.scheduler.address, ledger.path, schema_file, *paths)
        (account,) = ledger.show()
        if len(account["runs"]) == booked:
            continue  # it died before it booked
        booked += 1
        run = account["runs"][-1]
        assert run["state"] == "reserved", "it stays spent"
        assert run["cost"]["value"] == pytest.approx(1)
        if run["disclosed"]:
            disclosed += 1
            with pytest.raises(tacet.BudgetError, match="stays spent"):
                ledger.resolve(run["run"], "nothing was released")
        # A worker may still read a part for a root that is dead: nothing is kept in look after look.
        end = time.monotonic() + 30
        empty = 0
        while empty < 5 and time.monotonic() < end:
            empty = 0 if any(dask.run(parts_load.kept).values()) else empty + 1
            time.sleep(0.2)
        assert empty == 5, "workers forget"
    assert disclosed > 0


def test_what_a_run_has_not_sent_away_can_be_given_back(
    dask: Any, berkeley: pandas.DataFrame, schema_file: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """The other side: a root that died while the parts were opened."""
    ledger = tacet.Ledger.create(tmp_path / "ledger.db")
    ledger.enrol("visits", epsilon=10, delta=1e-2)
    paths = divided(berkeley, 2, tmp_path)
    os.mkfifo(tmp_path / "waits.csv")  # who opens it waits for a writer that never comes
    killed_root(4, dask.scheduler.address, ledger.path, schema_file, paths[0],
                tmp_path / "waits.csv")
    try:
        (account,) = ledger.show()
        (run,) = account["runs"]
        assert run["state"] == "reserved" and not run["disclosed"]
        ledger.resolve(run["run"], "it died before a part had answered")
        (account,) = ledger.show()
        assert account["runs"][0]["state"] == "resolved"
    finally:
        # Lets the worker go on, if it still waits.
        with contextlib.suppress(OSError):
            os.close(os.open(tmp_path / "waits.csv", os.O_WRONLY | os.O_NONBLOCK))
