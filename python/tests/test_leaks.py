"""No text that leaves holds a value of a record: messages, warnings, representations, traces."""

from __future__ import annotations

import gc
import pickle
import traceback
import warnings
import weakref
from typing import Any, Callable, Dict, Iterator

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import tacet
from tacet.compat.diffprivlib import BudgetAccountant, LinearRegression, LogisticRegression

MARK = "geheim7391"
NUMBER = 739173.917391
DIGITS = ("geheim", "739173")


def frame() -> pandas.DataFrame:
    count = 40
    return pandas.DataFrame({
        "number": [NUMBER] * count, "word": [MARK] * count, "mixed": [MARK, NUMBER] * (count // 2),
        "text": [f"a {MARK} note"] * count, "when": [f"{MARK}-01-01"] * count,
        "object": [{MARK: NUMBER}] * count, "many": [[MARK, NUMBER]] * count,
        "who": [MARK, f"{MARK}2"] * (count // 2), "label": ["a", "b"] * (count // 2),
    })


SCHEMA: Dict[str, Any] = dict(target=tacet.binary("label", positive="b", negative="a"),
                              public_row_count=40)


def schema_of(*columns: Any, **more: Any) -> tacet.Schema:
    return tacet.Schema(columns, **{**SCHEMA, **more})


def estimator(**more: Any) -> tacet.LogisticRegression:
    return tacet.LogisticRegression(epsilon=1, steps=3, **more)


def numbers_only(**more: Any) -> Any:
    return tacet.LogisticRegression(epsilon=1, bounds=(0, 1), classes=["a", "b"],
                                    public_row_count=40, steps=3, **more)


BROKEN: Dict[str, Callable[[], object]] = {
    "texts as numbers": lambda: numbers_only().fit(
        frame()[["word"]].astype("string"), frame()["label"]),
    "texts in an array": lambda: numbers_only().fit(np.full((40, 1), MARK), frame()["label"]),
    "one row": lambda: numbers_only().fit(np.full(40, NUMBER), frame()["label"]),
    "one row at prediction": lambda: numbers_only().fit(
        np.full((40, 2), NUMBER), frame()["label"]).predict(np.full(2, NUMBER)),
    "many dimensions": lambda: numbers_only().fit(np.full((40, 2, 2), NUMBER), frame()["label"]),
    "rows of other lengths": lambda: numbers_only().fit([[NUMBER], [NUMBER, 1]], ["a", "b"]),
    "complex frame": lambda: numbers_only().fit(
        pandas.DataFrame({"x": np.full(40, NUMBER * 1j)}), frame()["label"]),
    "complex target": lambda: numbers_only().fit(
        frame()[["number"]], np.full(40, NUMBER * 1j)),
    "scalars in a mapping": lambda: estimator(schema=schema_of(tacet.hashed("word"))).fit(
        {"word": NUMBER, "label": MARK}),
    "score of texts": lambda: tacet.Ridge(
        epsilon=1, bounds=(0, 1), target_bounds=(0, 1), public_row_count=40).fit(
            frame()[["number"]], frame()["number"]).score(
                frame()[["number"]], frame()["word"].astype("string")),
    "complex numbers": lambda: numbers_only().fit(np.full((40, 1), NUMBER * 1j), frame()["label"]),
    "other lengths": lambda: numbers_only().fit(frame()[["number"]], frame()["label"][:-1]),
    "missing column": lambda: estimator(schema=schema_of(tacet.hashed("none"))).fit(frame()),
    "texts as target": lambda: tacet.Ridge(
        epsilon=1, bounds=(0, 1), target_bounds=(0, 1), public_row_count=40).fit(
            frame()[["number"]], frame()["word"].astype("string")),
    "lists": lambda: estimator(schema=schema_of(tacet.hashed("word"))).fit(
        pyarrow.table({"word": [[MARK]] * 40, "label": ["a", "b"] * 20})),
    "structs": lambda: estimator(schema=schema_of(tacet.hashed("word"))).fit(
        polars.DataFrame({"word": [{"x": MARK}] * 40, "label": ["a", "b"] * 20})),
    "other shape": lambda: estimator(schema=schema_of(tacet.hashed("word"))).fit(
        frame().to_numpy(), frame()["label"]),
    "budget": lambda: numbers_only(budget=tacet.Budget(0.1, 0)).fit(
        frame()[["number"]], frame()["label"]),
    "callback": lambda: numbers_only(callback=None, method="nothing").fit(
        frame()[["number"]], frame()["label"]),
}


def words_of(error: BaseException) -> Iterator[str]:
    """Everything that a handler of errors prints, and the chain behind."""
    yield "".join(traceback.format_exception(error))
    seen = set()
    chain: Any = error
    while chain is not None and id(chain) not in seen:
        seen.add(id(chain))
        yield f"{chain!r} {chain.args!r} {vars(chain)!r}"
        chain = chain.__cause__ or chain.__context__


def told(words: str) -> bool:
    return any(mark in words for mark in DIGITS)


@pytest.mark.parametrize("what", BROKEN)
def test_errors_are_silent(what: str) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises((tacet.Error, ValueError, TypeError)) as caught:
            BROKEN[what]()
    for words in [*words_of(caught.value), *(str(entry.message) for entry in warned)]:
        assert not told(words), words


@pytest.mark.parametrize("unit", [None, "who"])
def test_fits_and_their_traces_are_silent(unit: Any, capfd: Any, caplog: Any) -> None:
    columns = [tacet.numeric("number", 0, 1), tacet.categorical("word", ["x"]),
               tacet.hashed("mixed", bits=3), tacet.text("text", bits=4), tacet.ids("many", bits=3),
               tacet.date("when", "2020-01-01", "2021-01-01"), tacet.ignored("object")]
    if unit is None:
        columns.append(tacet.crossed(["word", "mixed"], bits=3))
    seen = []
    with warnings.catch_warnings(record=True) as warned, caplog.at_level(0):
        warnings.simplefilter("always")
        # A seed, so that no digits of the noise look like those of a record.
        model = estimator(schema=schema_of(*columns, unit=unit), verbose=1, random_state=1,
                          callback=lambda *arguments: seen.append(arguments)).fit(frame())
        model.predict(frame())
    fitted = vars(model)
    for words in [repr(model), repr(fitted), model.receipt_.to_json(), repr(seen), caplog.text,
                  model._repr_html_(), *(str(entry.message) for entry in warned),
                  *capfd.readouterr()]:
        assert not told(words), words
    model.set_params(callback=None)
    assert not any(mark.encode() in pickle.dumps(model) for mark in DIGITS)


class Records(np.ndarray[Any, Any]):
    """An array that can be watched."""


def alive_after(call: Callable[[Any], object]) -> Any:
    """What a call raised, and whether its records are still held by anything but the caller."""
    records = np.full((40, 2), NUMBER).view(Records)
    watch = weakref.ref(records)
    try:
        call([records])
    except BaseException as error:
        del records
        gc.collect()
        return error, watch() is not None
    raise AssertionError("no error")


class Ended(Exception):
    pass


def end(*_: object) -> None:
    raise Ended


LABELS = ["a", "b"] * 20
HELD: Dict[str, Callable[[Any], object]] = {
    "other length": lambda held: numbers_only().fit(held.pop(), LABELS[:-1]),
    "budget": lambda held: numbers_only(budget=tacet.Budget(0.1, 0)).fit(held.pop(), LABELS),
    "wrong columns": lambda held: numbers_only().fit(np.ones((40, 3)), LABELS).predict(held.pop()),
    "types": lambda held: numbers_only().fit(held.pop(), np.ones(40) * 1j),
    "callback": lambda held: tacet.LogisticRegression(
        epsilon=1, bounds=(0, 1), classes=["a", "b"], public_row_count=40, steps=200000,
        callback=end).fit(held.pop(), LABELS),
    "evaluate": lambda held: numbers_only().fit(np.ones((40, 2)), LABELS).evaluate(
        held.pop(), LABELS[:-1], epsilon=1, delta=1e-5),
    "tune": lambda held: tacet.tune(
        numbers_only(), held.pop(), LABELS[:-1], grid={"steps": [1, 2]}),
    "describe": lambda held: tacet.describe(held.pop(), epsilon=1, schema=tacet.Schema(
        [tacet.hashed("one"), tacet.hashed("two"), tacet.hashed("three")])),
    "schema": lambda held: tacet.Schema.fit(held.pop(), epsilon=1),
    "split": lambda held: tacet.split(held.pop(), by="one"),
    "moved over": lambda held: LogisticRegression(data_norm=1, accountant=BudgetAccountant(
        0.1, 0)).fit(held.pop(), LABELS),
    "moved over, numbers": lambda held: LinearRegression(bounds_X=(0, 1), bounds_y=(0, 1)).fit(
        held.pop(), np.ones(39)),
}


@pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")
@pytest.mark.parametrize("what", HELD)
def test_what_was_raised_holds_no_records(what: str) -> None:
    error, alive = alive_after(HELD[what])
    assert isinstance(error, Ended if what == "callback" else tacet.Error), error
    assert not alive
    frame_of: Any = error.__traceback__
    while frame_of is not None:
        names = frame_of.tb_frame.f_locals
        inside = "/tacet/" in frame_of.tb_frame.f_code.co_filename
        assert not inside or not {"X", "y", "rows", "args", "records"} & names.keys()
        frame_of = frame_of.tb_next


def test_what_was_raised_before_stays_the_callers() -> None:
    try:
        raise KeyError("of the caller")
    except KeyError as before:
        with pytest.raises(tacet.UsageError) as caught:
            numbers_only(loss="none").fit(np.ones((40, 2)), LABELS)
        assert caught.value.__context__ is before and before.__traceback__ is not None


def test_warnings_point_to_the_callers_line() -> None:
    model = numbers_only(random_state=1)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        model.fit(np.ones((40, 2)), np.asarray(LABELS)[:, np.newaxis])
        model.score(np.ones((40, 2)), LABELS)
        model.set_params(classes="observed").fit(np.ones((40, 2)), LABELS)
    assert len(warned) == 5
    assert {entry.filename for entry in warned} == {__file__}


def test_no_value_is_an_error() -> None:
    odd = np.array([np.nan, np.inf, -np.inf, 1e300, -0.0, 5] * 10).reshape(-1, 2)
    labels = np.array(["a", "b", "else"] * 10)
    model = numbers_only().fit(odd, labels)
    assert set(model.predict(odd)) <= {"a", "b"}
    words = pandas.DataFrame({"word": [None, "x", "y", float("nan"), 3, True] * 5,
                              "label": ["a", None, "else"] * 10})
    estimator(schema=schema_of(tacet.categorical("word", ["x", "true"]))).fit(words)
