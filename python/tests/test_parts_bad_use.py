"""Bad use of records in parts: right, or an error that names the part, and nothing is spent."""

from __future__ import annotations

import pathlib
from typing import Any, Dict, List

import pandas
import parts_load
import pytest
from test_parts import Inline, divided

import tacet
from tacet import _part_worker

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")
OPTIONS: Any = {"epsilon": 1, "delta": 1e-6, "method": "gradient"}


@pytest.mark.parametrize("load", [
    parts_load.fewer_columns, parts_load.other_types, parts_load.no_header, parts_load.no_table,
    parts_load.consumed, parts_load.panicking])
def test_a_part_of_another_kind_is_named_and_costs_nothing(
    load: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    budget = tacet.Budget(epsilon=5, delta=1e-4)
    engine = Inline()
    with pytest.raises(tacet.DataError, match="part 1: its worker ended with") as found:
        tacet.LogisticRegression(schema=schema, budget=budget, **OPTIONS).fit(
            tacet.Parts(divided(berkeley, 3, tmp_path), load, on=engine))
    assert budget.spent[0] == 0
    assert parts_load.SECRET not in str(found.value)
    assert not any(parts_load.SECRET.encode() in seen for seen in engine.seen)


@pytest.mark.parametrize("load", [parts_load.stream, parts_load.polars_frame])
def test_streams_and_frames_of_others_are_read(
    load: Any, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    def made() -> Any:
        return tacet.LogisticRegression(schema=schema, random_state=7, **OPTIONS)

    parts = tacet.Parts(divided(berkeley, 3, tmp_path), load, on=Inline())
    assert made().fit(parts)._model.to_bytes() == made().fit(berkeley)._model.to_bytes()


@pytest.mark.parametrize("adjacency", ["zero_out", "replace_one"])
def test_no_row_at_all_is_told_as_of_one_table(
    adjacency: str, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(tacet.DataError):
        tacet.LogisticRegression(schema=schema, adjacency=adjacency, **OPTIONS).fit(
            tacet.Parts(divided(berkeley[:0], 2, tmp_path), parts_load.table, on=Inline()))


def test_no_row_at_all_is_not_told_under_add_remove(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    def made() -> Any:
        return tacet.LogisticRegression(schema=schema, adjacency="add_remove", random_state=7,
                                        **OPTIONS)

    parts = tacet.Parts(divided(berkeley[:0], 2, tmp_path), parts_load.table, on=Inline())
    assert made().fit(parts)._model.to_bytes() == made().fit(berkeley[:0])._model.to_bytes()


class WithoutTacet(Inline):
    """Workers that cannot import what they are sent."""

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        future = super().submit(len, [])
        future._result, future._exception = None, ModuleNotFoundError(
            f"No module named 'tacet' beside {parts_load.SECRET}")
        return future


def test_a_worker_without_tacet_is_told_what_to_install(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    budget = tacet.Budget(epsilon=5, delta=1e-4)
    with pytest.raises(tacet.DataError, match="cannot import tacet") as found:
        tacet.LogisticRegression(schema=schema, budget=budget, **OPTIONS).fit(
            tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=WithoutTacet()))
    assert parts_load.SECRET not in str(found.value)
    assert budget.spent[0] == 0


@pytest.mark.parametrize("first", [0, 1, 2, 3, 30])
def test_an_interrupt_ends_the_run_at_each_stage(
    first: int, berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    engine = Inline()

    def interrupting(number: int, result: Any) -> Any:
        if number == first:
            raise KeyboardInterrupt
        return result

    engine.change = interrupting
    budget = tacet.Budget(epsilon=5, delta=1e-4)
    with pytest.raises(KeyboardInterrupt):
        tacet.LogisticRegression(schema=schema, budget=budget, **OPTIONS).fit(
            tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=engine))
    # The first round, of two parts, opens them: until it is over nothing is spent.
    assert (budget.spent[0] > 0) == (first >= 2)
    assert not _part_worker._kept, "workers forget"


def test_a_worker_that_is_interrupted_passes_it_on(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        tacet.LogisticRegression(schema=schema, **OPTIONS).fit(
            tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.interrupted, on=Inline()))


def test_what_needs_more_than_sums_is_refused_before_anybody_is_asked(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    engine = Inline()
    parts = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=engine)
    budget = tacet.Budget(epsilon=5, delta=1e-4, adjacency="replace_one")
    cases: List[Dict[str, Any]] = [
            *({"method": method} for method in (
                "output", "objective", "phased", "localized", "phased-erm", "regularized-output",
                "wide")),
            {"method": "gradient", "batch_size": 100}, {"method": "gradient", "boost": 0.1},
            {"method": "gradient", "radius": "auto"},
            {"method": "gradient", "epsilon": float("inf"), "budget": None}]
    for options in cases:
        made = tacet.LogisticRegression(
            schema=schema, adjacency="replace_one",
            **{"epsilon": 1, "delta": 1e-6, "budget": budget, **options})
        with pytest.raises(tacet.UsageError):
            made.plan(parts=parts)
        with pytest.raises(tacet.UsageError):
            made.fit(parts)
    assert engine.number == 0 and budget.spent[0] == 0


def test_what_reads_records_themselves_says_that_parts_have_sums(
    berkeley: pandas.DataFrame, schema: tacet.Schema, tmp_path: pathlib.Path
) -> None:
    engine = Inline()
    parts: Any = tacet.Parts(divided(berkeley, 2, tmp_path), parts_load.table, on=engine)
    made = tacet.LogisticRegression(schema=schema, random_state=7, **OPTIONS)
    with pytest.raises(tacet.UsageError, match="tune trains on some records"):
        tacet.tune(made, parts, grid={"steps": [3, 5]})
    fitted = made.fit(berkeley)
    for read in (lambda: fitted.predict(parts), lambda: tacet.Schema.fit(parts, epsilon=1),
                 lambda: tacet.describe(parts, schema=schema, epsilon=1),
                 lambda: tacet.quantile(parts, "sex", schema=schema, epsilon=1)):
        with pytest.raises(tacet.UsageError, match="records in parts are for"):
            read()
    assert engine.number == 0
