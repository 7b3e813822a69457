"""What is made, used or submitted in a block is paid by its budget, or is an error."""

from __future__ import annotations

import asyncio
import concurrent.futures
import copy
import functools
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from typing import Any, Callable, Iterator, List

import joblib
import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import tacet
from tacet.compat import diffprivlib

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

X = np.random.default_rng(0).random((60, 2))
Y = np.where(X[:, 0] > 0.5, "b", "a")
PEOPLE = pandas.DataFrame({"a": X[:, 0]})
SCHEMA = tacet.Schema([tacet.numeric("a", 0, 1)], public_row_count=60)


def model(**more: Any) -> tacet.LogisticRegression:
    return tacet.LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1), classes=["a", "b"],
                                    public_row_count=60, steps=2, **more)


def moved() -> diffprivlib.LinearRegression:
    return diffprivlib.LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 1))


def make_and_fit() -> str:
    return outcome(lambda: model().fit(X, Y))


def outcome(work: Callable[[], Any]) -> str:
    try:
        work()
    except (tacet.UsageError, tacet.BudgetError) as error:
        return str(error)
    return "done"


@pytest.fixture
def budget() -> tacet.Budget:
    return tacet.Budget(100, 1e-3)


class Held:
    """A pool with one thread that starts nothing before it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.pool = concurrent.futures.ThreadPoolExecutor(1)
        self.pool.submit(self.go.wait, 30)

    def results(self, submitted: List[Any]) -> List[Any]:
        self.go.set()
        return [future.exception() or future.result() for future in submitted]


@pytest.fixture
def held() -> Iterator[Held]:
    made = Held()
    yield made
    made.go.set()
    made.pool.shutdown()


def test_fits_submitted_in_a_block_are_paid_when_they_start_after_it(
    budget: tacet.Budget, held: Held
) -> None:
    before = model()
    with budget:
        submitted = [held.pool.submit(model().fit, X, Y) for _ in range(5)]
        submitted += [held.pool.submit(before.fit, X, Y)]
        submitted += [held.pool.submit(functools.partial(clone(before).fit, X, Y))]
        inside = model()
        submitted += [held.pool.submit(lambda: clone(inside).fit(X, Y))]
        submitted += [held.pool.submit(lambda: copy.deepcopy(inside).fit(X, Y))]
        submitted += [held.pool.submit(lambda: pickle.loads(pickle.dumps(inside)).fit(X, Y))]
        submitted += [held.pool.submit(inside.fit, X, Y)]
    for result in held.results(submitted):
        assert not isinstance(result, BaseException)
    assert budget.spent[0] == pytest.approx(len(submitted), rel=1e-3)


def test_what_no_block_is_known_of_is_refused_in_the_threads_of_its_time(
    budget: tacet.Budget, held: Held
) -> None:
    before = model()
    with budget:
        submitted = [
            held.pool.submit(make_and_fit),
            held.pool.submit(outcome, lambda: before.fit(X, Y)),
            held.pool.submit(outcome, lambda: tacet.describe(PEOPLE, schema=SCHEMA, epsilon=1)),
            held.pool.submit(outcome, lambda: tacet.quantile(PEOPLE, "a", schema=SCHEMA,
                                                             epsilon=1)),
            held.pool.submit(outcome, lambda: tacet.Schema.fit(PEOPLE, epsilon=1,
                                                               public_row_count=60)),
            held.pool.submit(outcome, lambda: cross_val_score(before, X, Y, cv=2,
                                                              error_score="raise")),
            held.pool.submit(outcome, lambda: moved().fit(X, X[:, 0])),
        ]
    for result in held.results(submitted):
        assert "block" in result, result
    assert budget.spent == (0, 0)
    # With a budget of its own a thread works on.
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert pool.submit(make_and_fit).result() == "done"
    own = tacet.Budget(1, 1e-6)
    assert held.pool.submit(lambda: outcome(lambda: model(budget=own).fit(X, Y))).result() == "done"


def test_what_the_threads_of_its_time_make_trains_nowhere_unpaid(
    budget: tacet.Budget, held: Held
) -> None:
    def search() -> str:
        with joblib.parallel_backend("threading"):
            return outcome(lambda: cross_val_score(model(), X, Y, cv=2, n_jobs=2,
                                                   error_score="raise"))

    with budget:
        inside = model()
        made = held.pool.submit(model)
        searched = held.pool.submit(search)
        copied = held.pool.submit(lambda: [clone(inside), copy.deepcopy(inside)])
    held.go.set()
    assert "block" in searched.result()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for each in (made.result(), clone(made.result()), copy.deepcopy(made.result())):
            assert "block" in pool.submit(fit_again, each).result()
    assert budget.spent == (0, 0)
    for each in copied.result():  # their block is known, and pays
        each.fit(X, Y)
    assert budget.spent[0] == pytest.approx(2, rel=1e-3)
    own = tacet.Budget(1, 1e-6)
    made.result().set_params(budget=own).fit(X, Y)
    assert own.spent[0] == pytest.approx(1, rel=1e-3)


def test_a_copy_of_the_process_trains_nothing_unpaid_after_its_block(
    budget: tacet.Budget
) -> None:
    ends, writes = os.pipe()
    budget.__enter__()
    pid = os.fork()
    budget.__exit__()
    if pid == 0:
        try:
            os.write(writes, make_and_fit().encode())
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(writes)
    with os.fdopen(ends) as words:
        assert "block" in words.read()
    assert make_and_fit() == "done" and budget.spent == (0, 0)


def test_functions_of_open_blocks_are_paid_in_threads(budget: tacet.Budget) -> None:
    with budget, concurrent.futures.ThreadPoolExecutor(2) as pool:
        pool.submit(tacet.describe, PEOPLE, schema=SCHEMA, epsilon=1).result()
        pool.submit(tacet.quantile, PEOPLE, "a", schema=SCHEMA, epsilon=1).result()
    assert budget.spent[0] == pytest.approx(2, rel=1e-3)


def test_generators_of_joblib_are_paid_or_refused(budget: tacet.Budget) -> None:
    trained: List[Any] = []

    def work() -> None:
        trained.append(model().fit(X, Y))

    with budget:
        found = joblib.Parallel(n_jobs=2, prefer="threads", return_as="generator")(
            joblib.delayed(work)() for _ in range(12))
    outcome(lambda: list(found))
    assert budget.spent[0] == pytest.approx(len(trained), rel=1e-3)
    with budget:
        more = joblib.Parallel(n_jobs=2, prefer="threads", return_as="generator",
                               pre_dispatch="all")(
            joblib.delayed(model().fit)(X, Y) for _ in range(12))
    before = len(trained)
    assert len(list(more)) == 12
    assert budget.spent[0] == pytest.approx(before + 12, rel=1e-3)


def test_timers_are_paid(budget: tacet.Budget) -> None:
    found: List[str] = []
    with budget:
        fit = model().fit
        timers = [threading.Timer(0.2, fit, [X, Y]),
                  threading.Timer(0.2, lambda: found.append(make_and_fit()))]
        for timer in timers:
            timer.start()
    for timer in timers:
        timer.join()
    assert budget.spent[0] == pytest.approx(1, rel=1e-3)
    assert "block" in found[0]


def test_tasks_pay_from_their_own_blocks() -> None:
    async def work(budget: tacet.Budget, fits: int) -> None:
        loop = asyncio.get_running_loop()
        with budget:
            for _ in range(fits):
                await asyncio.sleep(0.01)
                model().fit(X, Y)
                await loop.run_in_executor(None, model().fit, X, Y)
                await asyncio.to_thread(lambda: model().fit(X, Y))

    async def without() -> None:
        await asyncio.sleep(0.02)
        model().fit(X, Y)

    async def all_of_them(budgets: List[tacet.Budget]) -> None:
        await asyncio.gather(work(budgets[0], 2), work(budgets[1], 3), without())

    budgets = [tacet.Budget(100, 1e-3), tacet.Budget(100, 1e-3)]
    asyncio.run(all_of_them(budgets))
    assert [each.spent[0] for each in budgets] == pytest.approx([6, 9], rel=1e-3)


def test_tasks_made_in_a_block_are_paid_after_it(budget: tacet.Budget) -> None:
    async def later() -> None:
        await asyncio.sleep(0.02)
        model().fit(X, Y)

    async def submit() -> None:
        loop = asyncio.get_running_loop()
        with budget:
            task = asyncio.create_task(later())
            in_pool = [loop.run_in_executor(None, model().fit, X, Y) for _ in range(3)]
        await asyncio.gather(task, *in_pool)
        # Nobody can say whose this is.
        assert "block" in await loop.run_in_executor(None, make_and_fit)

    asyncio.run(submit())
    assert budget.spent[0] == pytest.approx(4, rel=1e-3)


def test_threads_are_not_charged_for_one_task_of_two() -> None:
    async def work(budget: tacet.Budget, both: asyncio.Barrier) -> str:
        with budget:
            await both.wait()
            found = await asyncio.get_running_loop().run_in_executor(None, make_and_fit)
            await both.wait()
        return found

    async def two() -> List[str]:
        both = asyncio.Barrier(2)
        return list(await asyncio.gather(work(first, both), work(second, both)))

    first, second = tacet.Budget(100, 1e-3), tacet.Budget(100, 1e-3)
    for found in asyncio.run(two()):
        assert "several" in found
    assert first.spent == second.spent == (0, 0)


def test_what_was_in_a_block_pays_for_ever(budget: tacet.Budget) -> None:
    outside = model()
    with budget:
        inside = model()
        outside.fit(X, Y)
    for each in (inside, outside, clone(inside), copy.copy(inside), copy.deepcopy(outside),
                 pickle.loads(pickle.dumps(inside)), pickle.loads(pickle.dumps(clone(outside)))):
        before = budget.spent[0]
        each.fit(X, Y)
        assert budget.spent[0] == pytest.approx(before + 1, rel=1e-3)
    small = tacet.Budget(1, 1e-6)
    with small:
        spent = model().fit(X, Y)
    with pytest.raises(tacet.BudgetError):
        spent.fit(X, Y)
    before = budget.spent[0]
    model().fit(X, Y)  # it was in no block
    with tacet.Budget(5, 1e-4) as inner:
        inside.fit(X, Y)
    assert inner.spent[0] == pytest.approx(1, rel=1e-3) and budget.spent[0] == before


def test_searches_in_threads_are_paid(budget: tacet.Budget) -> None:
    with budget:
        with joblib.parallel_backend("threading"):
            GridSearchCV(model(), {"steps": [2, 3]}, cv=2, n_jobs=2, error_score="raise",
                         refit=False).fit(X, Y)
    assert budget.spent[0] == pytest.approx(4, rel=1e-3)


def fit_again(estimator: Any) -> str:
    return outcome(lambda: estimator.fit(X, Y))


def made_here() -> Any:
    return model()


def clone_and_fit(estimator: Any) -> str:
    return outcome(lambda: clone(estimator).fit(X, Y))


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_no_process_trains_unpaid_what_was_in_a_block(method: str, budget: tacet.Budget) -> None:
    context = multiprocessing.get_context(method)
    with budget:
        inside = model()
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            assert "process" in pool.submit(make_and_fit).result()  # it was started in the block
            assert "process" in pool.submit(fit_again, inside).result()
            made = pool.submit(made_here).result()
    # A copy of the process has the block with it, so that its work is paid back here.
    expected = 1 if method == "fork" else 0
    assert ("process" in fit_again(made)) == (expected == 0)
    assert budget.spent[0] == pytest.approx(expected, rel=1e-3)
    # Unpickled after the block, in a process that no block knows.
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert "process" in pool.submit(fit_again, inside).result()
        assert "process" in pool.submit(clone_and_fit, inside).result()
        if method != "forkserver":  # whose server was started in the block, as it says
            assert pool.submit(make_and_fit).result() == "done"
    assert budget.spent[0] == pytest.approx(expected, rel=1e-3)


def test_processes_of_joblib_train_nothing_unpaid(budget: tacet.Budget) -> None:
    with budget:
        inside = model()
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(fit_again)(each)
                                          for each in [inside, clone(inside)])
    assert all("process" in words for words in found)
    assert budget.spent == (0, 0)


def test_programs_started_in_a_block_train_nothing_unpaid(budget: tacet.Budget) -> None:
    code = ("import sys; sys.path[:0] = sys.argv[1:]; import test_blocks as t; "
            "print(t.make_and_fit())")
    run = [sys.executable, "-W", "ignore", "-c", code, os.path.dirname(__file__)]
    with budget:
        assert "block" in subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "done\n"


def test_evaluations_submitted_in_a_block_are_paid_after_it(
    budget: tacet.Budget, held: Held
) -> None:
    trained = model().fit(X, Y)
    with budget:
        submitted = [held.pool.submit(trained.evaluate, X, Y, epsilon=1, delta=1e-6)]
    held.results(submitted)
    assert budget.spent[0] == pytest.approx(1, rel=1e-2)
