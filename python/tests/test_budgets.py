"""Whoever pays, spends no more than the cap: also through what scikit-learn copies."""

from __future__ import annotations

import copy
import os
import pathlib
import pickle
import signal
import threading
import time
from typing import Any, Callable, List

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import tacet
from small_model import X, Y, model

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

LONG = bool(os.environ.get("TACET_LONG"))


def test_budgets_are_shared_by_copies_and_end() -> None:
    budget = tacet.Budget(3, 3e-6)
    estimator = model(budget=budget)
    for copied in (estimator, clone(estimator), copy.deepcopy(estimator)):
        assert copied.budget is budget
        copied.fit(X, Y)
    assert budget.spent == pytest.approx((3, 3e-6))
    with pytest.raises(tacet.BudgetError) as caught:
        estimator.fit(X, Y)
    assert caught.value.kind == "budget"
    assert caught.value.asked == pytest.approx((1, 1e-6))
    assert caught.value.left == pytest.approx((0, 0), abs=1e-9)
    with pytest.raises(tacet.UsageError):
        pickle.dumps(budget)


def test_budgets_hold_for_a_block() -> None:
    with tacet.Budget(2, 1e-5) as outer:
        model().fit(X, Y)
        with tacet.Budget(5, 1e-5) as inner:
            model().fit(X, Y)
        model().fit(X, Y)
    assert outer.spent[0] == pytest.approx(2) and inner.spent[0] == pytest.approx(1)
    model().fit(X, Y)
    assert outer.spent[0] == pytest.approx(2)


def test_grid_searches_stop_at_the_cap() -> None:
    budget = tacet.Budget(4, 1e-5)
    search = GridSearchCV(model(budget=budget), {"steps": [2, 3, 4]}, cv=3, error_score="raise")
    with pytest.raises(tacet.BudgetError):
        search.fit(X, Y)
    assert budget.spent[0] == pytest.approx(4)


@pytest.fixture
def ledger(tmp_path: pathlib.Path) -> tacet.Ledger:
    made = tacet.Ledger.create(tmp_path / "budget.ledger")
    made.enrol("people", epsilon=3, delta=1e-5)
    return made


def test_ledgers_hold_exactly_the_fits_that_ran(ledger: tacet.Ledger) -> None:
    with pytest.raises(tacet.BudgetError):
        cross_val_score(model(ledger=ledger), X, Y, cv=5, error_score="raise")
    account, = ledger.show()
    assert [run["state"] for run in account["runs"]] == ["committed"] * 3
    assert account["spent"]["value"] == pytest.approx(3)
    rows, head = ledger.verify()
    assert rows > 0 and len(head) == 64
    assert pickle.loads(pickle.dumps(ledger)) == ledger
    ledger.cap("people", epsilon=4, delta=1e-5, reason="approved")
    model(ledger=ledger, data_set="people").fit(X, Y)


def test_ledgers_say_what_is_unprotected(ledger: tacet.Ledger) -> None:
    with pytest.raises(tacet.BudgetError):
        model(ledger=ledger, random_state=1).fit(X, Y)


def forked(work: Callable[[int], int], number: int) -> int:
    """Starts `work(number)` in a process of its own; its id."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = work(number)
        finally:
            os._exit(code)
    return pid


def test_processes_share_a_cap(ledger: tacet.Ledger) -> None:
    def work(_: int) -> int:
        try:
            tacet.LogisticRegression(epsilon=0.05, delta=1e-8, bounds=(0, 1), classes=["a", "b"],
                                     public_row_count=50, steps=2, ledger=ledger).fit(
                                         X[:50], ["a", "b"] * 25)
        except tacet.BudgetError:
            return 4
        return 0

    started = [forked(work, number) for number in range(64)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in started]
    assert sorted(codes) == [0] * 60 + [4] * 4
    account, = ledger.show()
    assert [run["state"] for run in account["runs"]] == ["committed"] * 60


def test_killed_fits_leave_ledger_and_files_whole(
    ledger: tacet.Ledger, tmp_path: pathlib.Path
) -> None:
    ledger.cap("people", epsilon=100, delta=1e-3, reason="a trial")
    records, labels = np.tile(X, (20, 1)), np.tile(Y, 20)

    def work(number: int) -> int:
        tacet.LogisticRegression(
            epsilon=0.2, delta=1e-7, bounds=(0, 1), classes=["a", "b"], public_row_count=4000,
            steps=300, ledger=ledger).fit(records, labels).save(tmp_path / f"model{number}.json")
        return 0

    begun = time.monotonic()
    assert os.waitpid(forked(work, 0), 0)[1] == 0
    longest = 1.3 * (time.monotonic() - begun)
    moments = np.random.default_rng(5).uniform(0, longest, size=200 if LONG else 20)
    for number, moment in enumerate(moments, 1):
        pid = forked(work, number)
        time.sleep(moment)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    account, = ledger.show()
    states = [run["state"] for run in account["runs"]]
    saved = [path.name for path in tmp_path.glob("model*.json")]
    assert set(states) <= {"reserved", "committed"} and len(states) <= len(moments) + 1
    assert account["spent"]["value"] == pytest.approx(0.2 * len(states))
    assert 1 <= len(saved) <= states.count("committed")
    for name in saved:
        assert tacet.verify(tmp_path / name, protected=True).verdict == "follows"
    ledger.verify()
    model(ledger=ledger).fit(X, Y)


def test_threads_of_joblib_fit_at_once() -> None:
    import joblib

    budget = tacet.Budget(10, 1e-4)
    found = joblib.Parallel(n_jobs=4, prefer="threads")(
        joblib.delayed(lambda: model(budget=budget).fit(X, Y).predict(X))() for _ in range(6))
    assert len(found) == 6 and budget.spent[0] == pytest.approx(6)


def test_forked_processes_fit() -> None:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            model().fit(X, Y)
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_blocks_hold_in_the_threads_that_work_for_them() -> None:
    import joblib

    with tacet.Budget(10, 1e-4) as budget:
        joblib.Parallel(n_jobs=3, prefer="threads")(
            joblib.delayed(lambda: model().fit(X, Y))() for _ in range(3))
    assert budget.spent[0] == pytest.approx(3)


def test_no_other_process_spends_a_budget_in_memory() -> None:
    import joblib

    budget = tacet.Budget(10, 1e-4)
    with budget, pytest.raises(tacet.UsageError, match="Ledger"):
        joblib.Parallel(n_jobs=2)(joblib.delayed(model().fit)(X, Y) for _ in range(2))
    assert budget.spent[0] == 0
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            model(budget=budget).fit(X, Y)
        except tacet.BudgetError:
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_budgets_pay_for_no_seeded_fit_and_for_no_other_unit() -> None:
    budget = tacet.Budget(3, 1e-4)
    with pytest.raises(tacet.UsageError, match="seeded"):
        model(budget=budget, random_state=1).fit(X, Y)
    with budget, pytest.raises(tacet.UsageError, match="seeded"):
        model(random_state=1).fit(X, Y)
    persons = tacet.Budget(3, 1e-4, privacy_unit="person")
    with pytest.raises(tacet.UsageError, match="person"):
        model(budget=persons).fit(X, Y)
    assert budget.spent[0] == persons.spent[0] == 0


def test_the_number_of_rows_is_never_that_of_units() -> None:
    schema = tacet.Schema([tacet.numeric("x", 0, 1)], unit="who",
                          target=tacet.binary("y", positive="b", negative="a"))
    records = {"x": X[:, 0], "y": Y, "who": np.arange(len(X)) // 2}
    for adjacency in ("add_remove", "zero_out", "replace_one"):
        for count in (None, "observed"):
            with pytest.raises(tacet.UsageError, match="units"):
                tacet.LogisticRegression(epsilon=1, schema=schema, adjacency=adjacency,
                                         public_row_count=count).fit(records)


def test_a_refused_fit_leaves_the_model_whole() -> None:
    fitted = model().fit(X, Y)
    expected, plan = fitted.predict(X), fitted.plan_
    fitted.set_params(classes=["c", "d"], budget=tacet.Budget(0.1, 0))
    with pytest.raises(tacet.BudgetError):
        fitted.fit(X, Y)
    assert (fitted.predict(X) == expected).all() and fitted.plan_ == plan


def test_clones_in_other_processes_are_not_unpaid() -> None:
    from sklearn.ensemble import BaggingClassifier
    from sklearn.multiclass import OneVsRestClassifier

    from tacet.compat.diffprivlib import LogisticRegression

    binary = tacet.LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1), classes=[0, 1],
                                      public_row_count=200, steps=5)
    moved = LogisticRegression(epsilon=1, data_norm=1)
    with tacet.Budget(10, 1e-4) as budget:
        for meta in (OneVsRestClassifier(binary, n_jobs=2), BaggingClassifier(binary, n_jobs=2),
                     OneVsRestClassifier(moved, n_jobs=2)):
            with pytest.raises(tacet.UsageError, match="Ledger"):
                meta.fit(X, np.arange(200) % 3)
    assert budget.spent[0] == 0


def test_blocks_of_several_threads_leave_no_doubt_who_pays() -> None:
    opened, ended = threading.Event(), threading.Event()
    found: List[object] = []

    def other() -> None:
        with tacet.Budget(5, 1e-4) as own:
            opened.set()
            ended.wait(30)
            model().fit(X, Y)
            found.append(own.spent[0])

    def without_one() -> None:
        try:
            model().fit(X, Y)
        except tacet.UsageError as error:
            found.append(error)

    with tacet.Budget(5, 1e-4) as budget:
        first = threading.Thread(target=other)
        first.start()
        opened.wait(30)
        second = threading.Thread(target=without_one)
        second.start()
        second.join()
        ended.set()
        first.join()
        model().fit(X, Y)
    assert budget.spent[0] == pytest.approx(1)
    assert isinstance(found[0], tacet.UsageError) and found[1] == pytest.approx(1)


def test_blocks_end_with_themselves_in_any_order() -> None:
    first, second = tacet.Budget(5, 1e-4), tacet.Budget(5, 1e-4)
    first.__enter__()
    second.__enter__()
    first.__exit__()
    model().fit(X, Y)
    second.__exit__()
    model().fit(X, Y)
    assert first.spent[0] == 0 and second.spent[0] == pytest.approx(1)


def test_the_ledger_knows_the_same_records_in_any_order(ledger: tacet.Ledger) -> None:
    ledger.enrol("others", epsilon=3, delta=1e-5)
    schema = tacet.Schema([tacet.numeric("a", 0, 1), tacet.numeric("b", 0, 1)],
                          target=tacet.binary("y", positive="b", negative="a"),
                          public_row_count=200)
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y, "more": X[:, 2]})

    def fit(records: Any, account: str) -> None:
        tacet.LogisticRegression(epsilon=0.1, delta=1e-7, steps=3, schema=schema, ledger=ledger,
                                 data_set=account).fit(records)

    fit(frame, "people")
    turned = frame[["y", "b", "a"]].sample(frac=1, random_state=1)
    for same in (turned, turned.set_index(turned.index.astype(str)), turned.reset_index(),
                 {name: turned[name].to_numpy() for name in turned}):
        with pytest.raises(tacet.BudgetError, match="others"):
            fit(same, "others")
    fit(frame.assign(a=X[:, 2]), "others")
