"""Ctrl-C ends what runs, at once; progress comes seldom. By the clock: nothing beside them."""

from __future__ import annotations

import os
import pathlib
import signal
import threading
import time
from typing import Any, List

import numpy as np
import pytest

import tacet
import tacet.estimators  # before any signal: one that comes while modules are read leaves them in halves

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")


def long_fit() -> Any:
    return tacet.LogisticRegression(epsilon=1, bounds=(0, 1), classes=["a", "b"],
                                    public_row_count=20000, steps=100000)


def test_interruption_stops_within_a_fifth_of_a_second() -> None:
    records = np.random.default_rng(0).random((20000, 20))
    labels = np.where(records[:, 0] > 0.5, "b", "a")
    sent = []
    threads = threading.active_count()  # other tests' libraries keep some

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(1.0, send).start()
    with pytest.raises(KeyboardInterrupt):
        long_fit().fit(records, labels)
    assert time.monotonic() - sent[0] < 0.4  # 0.2 on an idle machine
    assert threading.active_count() <= threads + 1


def test_interruption_while_reading_gives_the_reservation_back(tmp_path: pathlib.Path) -> None:
    ledger = tacet.Ledger.create(tmp_path / "budget.ledger")
    ledger.enrol("people", epsilon=3, delta=1e-5)
    records = np.random.default_rng(0).random((400000, 60))
    labels = np.where(records[:, 0] > 0.5, "b", "a")
    sent = []

    def send() -> None:
        while not ledger.show()[0]["runs"]:  # it is booked before a record is read
            time.sleep(0.001)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        tacet.LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1), classes=["a", "b"],
                                 public_row_count=400000, ledger=ledger).fit(records, labels)
    assert time.monotonic() - sent[0] < 0.4  # 0.2 on an idle machine
    sender.join()
    account, = ledger.show()
    assert account["spent"]["value"] == 0


def test_progress_comes_ten_times_a_second_at_most() -> None:
    records = np.random.default_rng(0).random((20000, 20))
    labels = np.where(records[:, 0] > 0.5, "b", "a")
    calls = []

    class Enough(Exception):
        pass

    def look(phase: str, done: int, total: int) -> None:
        calls.append((time.monotonic(), done, total))
        if len(calls) == 5:
            raise Enough

    with pytest.raises(Enough):
        long_fit().set_params(callback=look).fit(records, labels)
    gaps = np.diff([when for when, _, _ in calls])
    assert (gaps > 0.09).all()
    assert all(0 <= done <= total for _, done, total in calls)


def test_functions_stop_at_an_interrupt_and_cost_nothing_while_they_read() -> None:
    random = np.random.default_rng(0)
    data = {name: random.random(4_000_000) for name in "abcdef"}  # read in half a second at least
    schema = tacet.Schema([tacet.numeric(name, 0, 1) for name in data])
    budget = tacet.Budget(1, 1e-5)
    sent: List[float] = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.15, send).start()  # a thread that runs while the engine reads
    with pytest.raises(KeyboardInterrupt):
        tacet.describe(data, schema=schema, epsilon=1, budget=budget)
    assert time.monotonic() - sent[0] < 0.4  # 0.2 on an idle machine
    assert budget.spent == (0, 0)
