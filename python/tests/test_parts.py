"""Records in parts: the model of one table, whatever the engine, and nothing readable on the way."""

from __future__ import annotations

import concurrent.futures
import pathlib
import pickle
import time
from typing import Any, Callable, Iterator, List

import numpy as np
import pandas
import parts_load
import pytest

import tacet
from tacet import _part_worker

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")


class Inline(concurrent.futures.Executor):
    """An engine of this process: it keeps all that passes through it, as engines do."""

    def __init__(self) -> None:
        self._max_workers = 2
        self.seen: List[bytes] = []
        self.change: Callable[[int, Any], Any] = lambda number, result: result
        self.number = 0

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        words = pickle.dumps((function, args))
        called, arguments = pickle.loads(words)
        future: Any = concurrent.futures.Future()
        try:
            result = self.change(self.number, called(*arguments))
            self.seen += [words, pickle.dumps(result)]
            future.set_result(result)
        except Exception as error:
            future.set_exception(error)
        self.number += 1
        return future


def divided(frame: pandas.DataFrame, count: int, folder: pathlib.Path) -> List[str]:
    """The records at random in so many files, the last of them empty where there are many."""
    places = np.random.default_rng(count).integers(0, max(1, count - (count > 5)), len(frame))
    paths = []
    for k in range(count):
        paths.append(str(folder / f"part-{k}.csv"))
        frame[places == k].to_csv(paths[-1], index=False)
    return paths


@pytest.fixture(scope="module")
def pool() -> Iterator[Any]:
    with concurrent.futures.ProcessPoolExecutor(2) as made:
        yield made


def estimator(schema: tacet.Schema, **more: Any) -> Any:
    return tacet.LogisticRegression(epsilon=1, schema=schema, random_state=7, **more)


@pytest.mark.parametrize("options", [{}, {"method": "gradient", "loss": "hinge", "steps": 30}])
def test_a_pool_of_processes_trains_the_model_of_one_table(
    options: Any, pool: Any, berkeley: pandas.DataFrame, schema: tacet.Schema,
    tmp_path: pathlib.Path,
) -> None:
    def made() -> Any:
        return tacet.LinearClassifier(epsilon=1, schema=schema, random_state=7, delta=1e-6,
                                      **options)

    whole = made().fit(berkeley)
    figures = whole.evaluate(berkeley, epsilon=1, delta=1e-6, random_state=3)
    for count in (1, 2, 7):
        parts = tacet.Parts(divided(berkeley, count, tmp_path), parts_load.table, on=pool)
        found = made().fit(parts)
        assert found._model.to_bytes() == whole._model.to_bytes(), count
        assert (found.predict(berkeley) == whole.predict(berkeley)).all()
        again = found.evaluate(parts, epsilon=1, delta=1e-6, random_state=3)
        assert dict(again) == dict(figures), count


@pytest.mark.parametrize("options", [
    {"method": "adassp", "adjacency": "add_remove"}, {"method": "adassp", "adjacency": "zero_out"},
    {"method": "adassp", "adjacency": "replace_one"}, {"method": "gradient", "curves": "none"},
    {}])
def test_numbers_are_predicted_as_from_one_table(
    options: Any, pool: Any, tmp_path: pathlib.Path
) -> None:
    rng = np.random.default_rng(4)
    frame = pandas.DataFrame({"a": rng.integers(0, 100, 2000), "b": rng.integers(0, 50, 2000)})
    frame["y"] = frame["a"] // 2 + frame["b"]
    schema = tacet.Schema([tacet.numeric("a", 0, 100), tacet.numeric("b", 0, 50)],
                          target=tacet.number("y", 0, 100), public_row_count=2000)

    def made() -> Any:
        return tacet.Ridge(epsilon=2, delta=1e-6, schema=schema, random_state=7, **options)

    whole = made().fit(frame)
    assert ('"curves"' in whole._model.to_bytes().decode()) == (not options), "auto has curves"
    figures = whole.evaluate(frame, epsilon=1, delta=1e-6, random_state=3)
    for count in (1, 2, 7):
        parts = tacet.Parts(divided(frame, count, tmp_path), parts_load.table, on=pool)
        found = made().fit(parts)
        assert found._model.to_bytes() == whole._model.to_bytes(), count
        again = found.evaluate(parts, epsilon=1, delta=1e-6, random_state=3)
        assert dict(again) == dict(figures), count


OF_CLASSES = ("logistic", "hinge", "smoothed_hinge", "power_hinge", "linearised_power_hinge")
OF_NUMBERS = ("squared", "huber", "absolute", "pinball", "power_regression", "smoothed_absolute",
              "smoothed_pinball", "epsilon_insensitive", "smoothed_epsilon_insensitive",
              "squared_epsilon_insensitive", "linearised_power_regression", "pseudo_huber", "log_cosh")
LOSSES: Any = {
    "classes": (tacet.LinearClassifier, tacet.binary("y", positive="u", negative="v"), OF_CLASSES),
    "many classes": (tacet.LinearClassifier, tacet.multiclass("y", ["u", "v", "w"]),
                     (*OF_CLASSES, "softmax")),
    "numbers": (tacet.LinearRegressor, tacet.number("y", 0, 1), OF_NUMBERS),
    "shares": (tacet.LinearRegressor, tacet.probability("y"), ("soft_logistic",)),
    "counts": (tacet.PoissonRegressor, tacet.count("y", 9), ("poisson", "extended_poisson"))}


@pytest.mark.parametrize("kind", LOSSES)
def test_every_loss_trains_the_model_of_one_table(kind: str, tmp_path: pathlib.Path) -> None:
    made, target, losses = LOSSES[kind]
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame({"a": rng.uniform(size=300).round(3), "b": rng.uniform(size=300)})
    frame["y"] = {"classes": rng.choice(["u", "v"], 300), "many classes": rng.choice(["u", "v", "w"], 300),
                  "counts": rng.integers(0, 9, 300)}.get(kind, frame["a"])
    schema = tacet.Schema([tacet.numeric("a", 0, 1), tacet.numeric("b", 0, 1)], target=target,
                          public_row_count=300)
    paths = divided(frame, 3, tmp_path)
    for loss in losses:
        options: Any = {"epsilon": 1, "delta": 1e-6, "schema": schema, "method": "gradient", "steps": 4,
                        "loss": loss, "random_state": 3}
        whole = made(**options).fit(frame)
        found = made(**options).fit(tacet.Parts(paths, parts_load.table, on=Inline()))
        assert found._model.to_bytes() == whole._model.to_bytes(), loss


def test_released_means_and_counts_train_the_model_of_one_table(
    pool: Any, tmp_path: pathlib.Path
) -> None:
    rng = np.random.default_rng(9)
    frame = pandas.DataFrame({
        "a": rng.uniform(0, 100, 3000).round(2), "f": rng.normal(size=3000).round(3),
        "c": rng.choice(["u", "v", "w"], 3000)})
    frame["y"] = np.where(frame["a"] > 50, "yes", "no")
    schema = tacet.Schema(
        [tacet.numeric("a", 0, 100), tacet.numeric("f", -2, 2),
         tacet.categorical("c", ["u", "v"])],
        target=tacet.binary("y", positive="yes", negative="no"), public_row_count=3000)
    paths = divided(frame, 7, tmp_path)
    options: Any
    for options in ({}, {"method": "gradient", "standardise": "private"}):
        def made() -> Any:
            return tacet.LogisticRegression(epsilon=1, schema=schema, random_state=7, delta=1e-6,
                                            **options)

        whole = made().fit(frame)
        found = made().fit(tacet.Parts(paths, parts_load.table, on=pool))
        assert found._model.to_bytes() == whole._model.to_bytes(), options


def test_numbered_features_train_the_model_of_one_array(
    pool: Any, tmp_path: pathlib.Path
) -> None:
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame(rng.normal(size=(500, 3)), columns=["a", "b", "c"])
    frame["y"] = frame["a"] * 0.5 + frame["b"] > 0
    schema = tacet.Schema(features=tacet.numbered(3, -2, 2), public_row_count=500,
                          target=tacet.multiclass(None, ["False", "True", "None"]))
    options: Any = {"epsilon": 1, "schema": schema, "random_state": 7, "method": "gradient"}
    whole = tacet.LinearClassifier(**options).fit(
        frame.drop(columns="y").to_numpy(), frame["y"].to_numpy())
    parts = tacet.Parts(divided(frame, 7, tmp_path), parts_load.numbers, on=pool)
    found = tacet.LinearClassifier(**options).fit(parts)
    assert found._model.to_bytes() == whole._model.to_bytes()


def test_whole_units_train_the_model_of_one_table_and_torn_ones_are_refused(
    pool: Any, tmp_path: pathlib.Path
) -> None:
    rng = np.random.default_rng(5)
    frame = pandas.DataFrame({
        "who": [f"p{k // 3}" for k in range(600)], "x": rng.uniform(size=600),
        "y": np.where(rng.uniform(size=600) < 0.5, "no", "yes")})
    schema = tacet.Schema([tacet.numeric("x", 0, 1)], unit="who", public_row_count=200,
                          target=tacet.binary("y", positive="yes", negative="no"))
    options: Any = {"epsilon": 1, "schema": schema, "random_state": 7, "method": "gradient",
                    "max_records_per_unit": 2, "standardise": "private"}
    whole = tacet.LogisticRegression(**options).fit(frame)
    paths = []
    for k in range(3):
        paths.append(str(tmp_path / f"part-{k}.csv"))
        frame[np.arange(600) // 3 % 3 == k].to_csv(paths[-1], index=False)
    parts = tacet.Parts(paths, parts_load.table, on=pool, whole="who")
    found = tacet.LogisticRegression(**options).fit(parts)
    assert found._model.to_bytes() == whole._model.to_bytes()
    with pytest.raises(tacet.UsageError, match="whole='?who"):
        tacet.LogisticRegression(**options).fit(tacet.Parts(paths, parts_load.table, on=pool))
    torn = divided(frame, 2, tmp_path)
    with pytest.raises(tacet.DataError, match="part 0 and part 1 hold records of one unit"):
        tacet.LogisticRegression(**options).fit(
            tacet.Parts(torn, parts_load.table, on=pool, whole="who"))


def test_the_declared_number_is_that_of_all_parts_and_is_not_asked_under_add_remove(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    paths = divided(berkeley, 3, tmp_path)
    for adjacency in ("zero_out", "replace_one", "add_remove"):
        model = estimator(schema, method="gradient", adjacency=adjacency, delta=1e-6,
                          public_row_count=len(berkeley) + 1)
        parts = tacet.Parts(paths, parts_load.table, on=Inline())
        if adjacency == "add_remove":
            model.fit(parts)
        else:
            with pytest.raises(tacet.DataError, match="public_row_count"):
                model.fit(parts)


@pytest.mark.parametrize("load, words", [
    (parts_load.quoting, "part 1: its worker ended with ValueError"),
    (parts_load.nothing, "part 0: its worker ended with DataError")])
def test_a_failure_names_the_part_and_no_value(
    load: Any, words: str, pool: Any, berkeley: pandas.DataFrame, schema: tacet.Schema,
    tmp_path: pathlib.Path,
) -> None:
    parts = tacet.Parts(divided(berkeley, 3, tmp_path), load, on=pool)
    budget = tacet.Budget(epsilon=5, delta=1e-4)
    with pytest.raises(tacet.DataError) as found:
        tacet.LogisticRegression(epsilon=1, schema=schema, delta=1e-6, budget=budget,
                                 method="gradient").fit(parts)
    assert words in str(found.value)
    assert parts_load.SECRET not in str(found.value)
    assert budget.spent[0] == 0, "what fails before a release is given back"


def test_a_source_that_changes_meanwhile_ends_the_run(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    engine = Inline()

    def forgetting(number: int, result: Any) -> Any:
        _part_worker._kept.clear()  # as after a death
        return result

    engine.change = forgetting
    parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.growing, on=engine)
    with pytest.raises(tacet.DataError, match="part 1: its records are others than before"):
        estimator(schema, method="gradient", delta=1e-6).fit(parts)


def test_a_worker_that_forgets_everything_costs_time_alone(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    engine = Inline()

    def forgetting(number: int, result: Any) -> Any:
        if number % 7 == 0:
            _part_worker._kept.clear()
        return result

    engine.change = forgetting
    options = {"method": "gradient", "delta": 1e-6}
    whole = estimator(schema, **options).fit(berkeley)
    found = estimator(schema, **options).fit(
        tacet.Parts(divided(berkeley, 3, tmp_path), parts_load.table, on=engine))
    assert found._model.to_bytes() == whole._model.to_bytes()


CHANGES: Any = {
    "drops": (lambda result: result[1:], "has not answered"),
    "repeats": (lambda result: result + result[:1], "has answered twice"),
    "truncates": (lambda result: [answer[:-1] for answer in result], "was not sealed"),
    "forges": (lambda result: [b"x" * 200 for _ in result], "was not sealed"),
    "gives no bytes": (lambda result: [None for _ in result], "no answer of a part"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_engine_that_changes_answers_is_noticed(
    name: str, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    change, words = CHANGES[name]
    for first in (0, 20):
        engine = Inline()
        engine.change = lambda number, result: (
            change(result) if number >= first and isinstance(result, list) else result)
        parts = tacet.Parts(divided(berkeley, 3, tmp_path), parts_load.table, on=engine)
        with pytest.raises(tacet.DataError, match=words):
            estimator(schema, method="gradient", delta=1e-6).fit(parts)


def test_an_engine_that_reorders_answers_changes_nothing(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    engine = Inline()
    engine.change = lambda number, result: (
        result[::-1] if isinstance(result, list) else result)
    options = {"method": "gradient", "delta": 1e-6}
    found = estimator(schema, **options).fit(
        tacet.Parts(divided(berkeley, 5, tmp_path), parts_load.table, on=engine))
    assert found._model.to_bytes() == estimator(schema, **options).fit(berkeley)._model.to_bytes()


def readable(engine: Inline, texts: List[bytes]) -> List[bytes]:
    return [text for text in texts if any(text in seen for seen in engine.seen)]


def test_nothing_readable_passes_through_the_engine(tmp_path: pathlib.Path) -> None:
    frame = pandas.DataFrame({"word": [f"{parts_load.SECRET}-{k}" for k in range(40)],
                              "x": np.linspace(0, 1, 40),
                              "y": ["no", "yes"] * 20})
    schema = tacet.Schema([tacet.hashed("word", bits=6), tacet.numeric("x", 0, 1)],
                          target=tacet.binary("y", positive="yes", negative="no"),
                          public_row_count=40)
    engine = Inline()
    parts = tacet.Parts(divided(frame, 2, tmp_path), parts_load.table, on=engine)
    estimator(schema, method="gradient", delta=1e-6).fit(parts)
    counts = [(20).to_bytes(8, "little"), parts_load.SECRET.encode()]
    sums = [sealed for sealed in engine.seen if b"tacet part answer" in sealed]
    assert not sums
    assert not readable(engine, [counts[1]])

    # The search finds what is planted: an answer that is not sealed, and records as a source.
    def unsealed(number: int, result: Any) -> Any:
        return result if not isinstance(result, list) else [b"tacet part answer 1\n" + counts[0]]

    leaking = Inline()
    leaking.change = unsealed
    with pytest.raises(tacet.DataError):
        estimator(schema, method="gradient", delta=1e-6).fit(
            tacet.Parts(divided(frame, 2, tmp_path), parts_load.table, on=leaking))
    assert readable(leaking, [b"tacet part answer"])
    framed = Inline()
    framed.submit(len, frame)
    assert readable(framed, [counts[1]])


def test_bad_use_is_refused_before_anything_is_booked(
    pool: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    paths = divided(berkeley, 2, tmp_path)
    with pytest.raises(tacet.UsageError, match="no parts"):
        tacet.Parts([], parts_load.table, on=pool)
    with pytest.raises(tacet.UsageError, match="records are never sent"):
        tacet.Parts([berkeley], parts_load.table, on=pool)
    with pytest.raises(tacet.UsageError, match="list of texts"):
        tacet.Parts(paths[0], parts_load.table, on=pool)
    with pytest.raises(tacet.UsageError, match="on must be"):
        tacet.Parts(paths, parts_load.table, on="local")
    with pytest.raises(tacet.UsageError, match="pool of threads"):
        tacet.Parts(paths, parts_load.table, on=concurrent.futures.ThreadPoolExecutor(1))
    with pytest.warns(UserWarning, match="named twice"):
        tacet.Parts([paths[0], paths[0]], parts_load.table, on=pool)
    parts = tacet.Parts(paths, parts_load.table, on=pool)
    budget = tacet.Budget(epsilon=5, delta=1e-4)
    for options, words in (
            ({"method": "output"}, "method output cannot train on records in parts"),
            ({"method": "gradient", "batch_size": 100}, "sample"),
            ({"method": "gradient", "boost": 0.1}, "method")):
        with pytest.raises(tacet.UsageError, match=words):
            tacet.LogisticRegression(epsilon=1, schema=schema, delta=1e-6, budget=budget,
                                     adjacency="replace_one", **options).fit(parts)
    with pytest.raises(tacet.UsageError, match="leave y and units out"):
        estimator(schema, method="gradient").fit(parts, [1, 0])
    with pytest.raises(tacet.UsageError, match="by a schema"):
        tacet.LogisticRegression(epsilon=1, bounds=(0, 1), classes=[0, 1]).fit(parts)
    assert budget.spent[0] == 0


def test_a_function_that_cannot_be_sent_is_an_error_without_its_words(
    pool: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    parts = tacet.Parts(divided(berkeley, 2, tmp_path), lambda source: source, on=pool)
    with pytest.raises(tacet.DataError, match="can be imported"):
        estimator(schema, method="gradient", delta=1e-6).fit(parts)


def test_a_killed_process_of_a_pool_ends_the_run(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    with concurrent.futures.ProcessPoolExecutor(2) as own:
        parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.dying_once, on=own)
        with pytest.raises(tacet.DataError, match="BrokenProcessPool"):
            estimator(schema, method="gradient", delta=1e-6).fit(parts)


def test_a_plan_tells_the_rounds(
    pool: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    engine = Inline()
    parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=engine)
    model = estimator(schema, method="gradient", delta=1e-6)
    facts = model.plan(parts=parts)
    assert not engine.seen, "a plan asks nobody"
    model.fit(parts)
    assert engine.number == 2 * (facts["part_rounds"] + 1)  # and once to forget
    assert facts["round_bytes"] % 16 == 0


def test_workers_forget(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Inline()
    parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=engine)
    estimator(schema, method="gradient", delta=1e-6).fit(parts)
    assert not _part_worker._kept, "the end of a run"

    # The root dies before it can tell.
    monkeypatch.setattr(_part_worker, "forget", parts_load.quoting_all)
    short = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=engine,
                        forget_after=0.3)
    estimator(schema, method="gradient", delta=1e-6).fit(short)
    assert _part_worker._kept
    end = time.monotonic() + 10
    while _part_worker._kept and time.monotonic() < end:
        time.sleep(0.05)
    assert not _part_worker._kept


def test_the_account_is_named_and_pays_once(
    pool: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    ledger = tacet.Ledger.create(tmp_path / "ledger.db")
    ledger.enrol("visits", epsilon=5, delta=1e-4)
    parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=pool)
    options: Any = {"epsilon": 1, "schema": schema, "delta": 1e-6, "method": "gradient"}
    with pytest.raises(tacet.UsageError, match="data_set is missing"):
        tacet.LogisticRegression(**options, ledger=ledger).fit(parts)
    for _ in range(2):
        tacet.LogisticRegression(**options, ledger=ledger, data_set="visits").fit(parts)
    (account,) = ledger.show()
    assert account["spent"]["value"] == pytest.approx(2)
    for run in account["runs"]:
        assert "(records in parts)" in run["command"], "nobody can know these records again"
        assert run["state"] == "committed" and run["disclosed"]
