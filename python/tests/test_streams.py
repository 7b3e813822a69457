"""Records that come as a stream: the model of the file, read once, and faults that cost nothing."""

from __future__ import annotations

import gc
import pathlib
import subprocess
import sys
from typing import Any, Callable, Dict, Iterator, List

import duckdb
import numpy as np
import pandas
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

import tacet

pytestmark = [pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning"),
              pytest.mark.filterwarnings("ignore:Arrow output on a DB-API result")]

COUNT = 300
NUMBERS = np.random.default_rng(3)
TABLE = pyarrow.table({
    "age": pyarrow.array(NUMBERS.integers(18, 90, COUNT)),
    "code": pyarrow.array([["00037", "00121"][k % 2] for k in range(COUNT)]),
    "who": pyarrow.array([f"p{k // 3}" for k in range(COUNT)]),
    "note": pyarrow.array([f"n {k}" for k in range(COUNT)]),
    "seen": pyarrow.array([["no", "yes"][k * 7 % 3 % 2] for k in range(COUNT)])})


def schema_of(**more: Any) -> tacet.Schema:
    return tacet.Schema(
        [tacet.numeric("age", 18, 90), tacet.categorical("code", ["00037", "00121"])],
        target=tacet.binary("seen", positive="yes", negative="no"), public_row_count=COUNT, **more)


SCHEMA = schema_of()


def reader(table: Any = TABLE, rows: int = 70) -> Any:
    return pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(rows))


def relation(_: pathlib.Path) -> Any:
    return duckdb.connect().from_arrow(TABLE)


def written(folder: pathlib.Path) -> pathlib.Path:
    path = folder / "table.parquet"
    pyarrow.parquet.write_table(TABLE, path)
    return path


def cursor(folder: pathlib.Path) -> Any:
    """One that gives its result out as ADBC's do."""

    class Cursor:
        def __init__(self) -> None:
            self.result = reader()

        def fetch_record_batch(self) -> Any:
            return self.result

    return Cursor()


# How a stream is made, and whether the same thing gives it again.
STREAMS: Dict[str, Any] = {
    "reader": (lambda folder: reader(), False),
    "relation": (relation, True),
    "result of a query": (
        lambda folder: duckdb.connect().execute(f"FROM '{written(folder)}'"), False),
    "dataset": (lambda folder: pyarrow.dataset.dataset(written(folder)), True),
    "scanner": (lambda folder: pyarrow.dataset.dataset(written(folder)).scanner(), True),
    "cursor": (cursor, False),
}


def model(schema: tacet.Schema = SCHEMA, **more: Any) -> tacet.LogisticRegression:
    return tacet.LogisticRegression(
        **{"epsilon": 1, "steps": 5, "schema": schema, "random_state": 7, **more})


def saved(fitted: Any, folder: pathlib.Path) -> bytes:
    path = folder / f"{len(list(folder.iterdir()))}.json"
    fitted.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("more", [{}, {"unit": "who", "public_row_count": None}], ids=["", "unit"])
def test_a_stream_trains_the_model_of_the_table(
    kind: str, more: Dict[str, Any], tmp_path: pathlib.Path
) -> None:
    schema = SCHEMA if not more else tacet.Schema(
        [tacet.numeric("age", 18, 90), tacet.categorical("code", ["00037", "00121"])],
        target=tacet.binary("seen", positive="yes", negative="no"), public_row_count=100,
        unit="who")
    expected = saved(model(schema).fit(TABLE), tmp_path)
    for threads in (1, 3):
        for spool in (None, tmp_path):
            stream = STREAMS[kind][0](tmp_path)
            found = model(schema, threads=threads, spool=spool).fit(stream)
            assert saved(found, tmp_path) == expected


@pytest.mark.parametrize("kind", STREAMS)
def test_predictions_and_figures_are_those_of_the_table(
    kind: str, tmp_path: pathlib.Path
) -> None:
    fitted = model().fit(TABLE)

    def stream() -> Any:
        return STREAMS[kind][0](tmp_path)

    assert fitted.predict(stream()).tolist() == fitted.predict(TABLE).tolist()
    assert fitted.predict_proba(stream()).tolist() == fitted.predict_proba(TABLE).tolist()
    asked = {"epsilon": 1.0, "delta": 1e-5, "random_state": 3}
    expected = fitted.evaluate(TABLE, **asked)
    assert fitted.evaluate(stream(), **asked) == expected
    assert fitted.evaluate(stream(), spool=tmp_path, **asked) == expected


@pytest.mark.parametrize("kind", STREAMS)
def test_summaries_and_fits_of_schemas_are_those_of_the_table(
    kind: str, tmp_path: pathlib.Path
) -> None:
    def stream() -> Any:
        return STREAMS[kind][0](tmp_path)

    with_unit = schema_of(unit="who")
    for schema in (SCHEMA, with_unit):  # of units records are drawn in a pass before
        asked: Dict[str, Any] = {"schema": schema, "epsilon": 1.0, "random_state": 3}
        assert tacet.describe(stream(), **asked) == tacet.describe(TABLE, **asked)
    asked = {"schema": SCHEMA, "epsilon": 1.0, "random_state": 3}
    assert tacet.quantile(stream(), "age", **asked) == tacet.quantile(TABLE, "age", **asked)
    for unit in ("", "who"):
        said: Dict[str, Any] = {
            "epsilon": 5.0, "target": "seen", "positive": "yes", "ignore": ["note"],
            "public_row_count": COUNT, "random_state": 3, "unit": unit}
        assert tacet.Schema.fit(stream(), **said) == tacet.Schema.fit(TABLE, **said)


def test_decimals_are_the_numbers_that_they_spell(tmp_path: pathlib.Path) -> None:
    query = duckdb.connect().sql(
        "SELECT range * 0.25 AS x, CASE WHEN range % 3 = 0 THEN 'a' ELSE 'b' END AS y "
        "FROM range(40)")
    schema = tacet.Schema([tacet.numeric("x", 0, 10)], public_row_count=40,
                          target=tacet.binary("y", positive="a", negative="b"))
    as_floats = pandas.DataFrame({"x": np.arange(40) * 0.25,
                                  "y": ["a" if k % 3 == 0 else "b" for k in range(40)]})
    assert pyarrow.types.is_decimal(query.to_arrow_table().schema.field("x").type)
    assert saved(model(schema).fit(query), tmp_path) == saved(model(schema).fit(as_floats), tmp_path)


# What a ledger knows, and what a stream costs.


@pytest.fixture
def ledger(tmp_path: pathlib.Path) -> tacet.Ledger:
    made = tacet.Ledger.create(tmp_path / "l.db")
    for account in ("people", "others"):
        made.enrol(account, epsilon=30, delta=1e-4)
    return made


def spent(ledger: tacet.Ledger, account: str) -> float:
    shown = next(entry for entry in ledger.show() if entry["data_set"] == account)
    return float(shown["spent"]["value"])


PAID: Dict[str, Any] = {"epsilon": 0.1, "delta": 1e-7, "random_state": None}


@pytest.mark.parametrize("kind", STREAMS)
def test_a_ledger_knows_the_records_of_a_stream_again(
    kind: str, tmp_path: pathlib.Path, ledger: tacet.Ledger
) -> None:
    model(ledger=ledger, data_set="people", **PAID).fit(TABLE)
    with pytest.raises(tacet.BudgetError, match="people"):
        model(ledger=ledger, data_set="others", **PAID).fit(STREAMS[kind][0](tmp_path))
    with pytest.raises(tacet.BudgetError, match="people"):
        tacet.describe(STREAMS[kind][0](tmp_path), schema=SCHEMA, epsilon=0.1, delta=1e-7,
                       ledger=ledger, data_set="others")


def test_a_stream_is_read_once(tmp_path: pathlib.Path) -> None:
    budget = tacet.Budget(9, 1e-3)
    paid: Dict[str, Any] = {"budget": budget, "random_state": None, "delta": 1e-6}
    for kind, (make, again) in STREAMS.items():
        stream = make(tmp_path)
        fitted = model(**paid).fit(stream)
        before = budget.spent
        if again:
            model(**paid).fit(stream)
            continue
        with pytest.raises(tacet.UsageError if kind != "result of a query" else tacet.Error):
            model(**paid).fit(stream)
        with pytest.raises(tacet.Error):
            fitted.predict(stream)
        assert budget.spent == before, kind


def test_a_second_pass_names_what_can_be_read_again() -> None:
    stream = reader()
    model().fit(stream)
    with pytest.raises(tacet.UsageError, match="come only once: .*read_all.*can be read again"):
        model().fit(stream)
    grid = {"steps": [3, 5]}
    with pytest.raises(tacet.UsageError, match="tune goes over the records several times"):
        tacet.tune(model(epsilon=3, steps=None), reader(), grid=grid)
    other = reader()  # that comes to lie where the first one lay is another one
    del stream
    gc.collect()
    model().fit(other)
    model().fit(reader())


def test_a_cursor_that_has_run_another_query_has_other_records() -> None:
    held = cursor(pathlib.Path())
    model().fit(held)
    held.result = reader()
    model().fit(held)


# What is wrong with a stream.


def raising_in_batch_7() -> Iterator[Any]:
    yield from TABLE.to_batches(20)[:6]
    raise RuntimeError("geheim 4711")


def of_other_type() -> Iterator[Any]:
    yield from TABLE.to_batches(20)[:6]
    yield TABLE.set_column(0, "age", pyarrow.array(["geheim"] * COUNT)).to_batches(20)[0]


def from_generator(batches: Iterator[Any], schema: Any = TABLE.schema) -> Any:
    return pyarrow.RecordBatchReader.from_batches(schema, batches)


def closed_relation() -> Any:
    connection = duckdb.connect()
    found = connection.from_arrow(TABLE)
    connection.close()
    return found


def nested() -> Any:
    table = TABLE.set_column(0, "age", pyarrow.array([{"geheim": k} for k in range(COUNT)]))
    return reader(table)


class Refusing:
    """An exporter that fails before the stream."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise RuntimeError("geheim")


BAD: Dict[str, Any] = {
    "raises": (lambda: from_generator(raising_in_batch_7()), "batch 7 .Input/output error."),
    "type": (lambda: from_generator(of_other_type()), "batch 7 .Invalid argument: a batch may have another type"),
    "column": (lambda: reader(TABLE.drop_columns(["code"])), "no column 'code'"),
    "target": (lambda: reader(TABLE.drop_columns(["seen"])), "target 'seen'"),
    "nested": (nested, "column 'age' has the type struct"),
    "twice": (lambda: reader(TABLE.append_column("age", TABLE["age"])), "'age' appears twice"),
    "no rows": (lambda: reader(TABLE.slice(0, 0)), "ended before the first one"),
    "empty batches": (
        lambda: from_generator(iter([TABLE.slice(0, 0).to_batches()[0] if
                                     TABLE.slice(0, 0).to_batches() else
                                     pyarrow.RecordBatch.from_pylist([], TABLE.schema)] * 10**4)),
        "ended before the first one"),
    "closed": (closed_relation, "DuckDBPyRelation gives no stream"),
    "exporter": (Refusing, "Refusing gives no stream"),
    "no query": (lambda: duckdb.connect(), "gives no stream"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_stream_costs_nothing(kind: str, ledger: tacet.Ledger) -> None:
    make, words = BAD[kind]
    budget = tacet.Budget(9, 1e-3)
    found: List[BaseException] = []
    for more in ({"budget": budget}, {"ledger": ledger, "data_set": "people"}):
        with pytest.raises((tacet.DataError, tacet.UsageError), match=words) as caught:
            model(**PAID, **more).fit(make())
        found.append(caught.value)
    assert budget.spent == (0, 0)
    assert spent(ledger, "people") == 0
    for error in found:
        assert "geheim" not in str(error) and "4711" not in str(error)
        assert error.__cause__ is None and error.__context__ is None
    expected = tacet.UsageError if kind == "target" else tacet.DataError
    assert all(type(error) is expected for error in found)


def test_many_empty_batches_say_nothing(tmp_path: pathlib.Path) -> None:
    empty = pyarrow.RecordBatch.from_pylist([], TABLE.schema)
    batches = [empty] * 5000 + TABLE.to_batches(7) + [empty] * 5000
    found = model().fit(from_generator(iter(batches)))
    assert saved(found, tmp_path) == saved(model().fit(TABLE), tmp_path)


@pytest.mark.parametrize("kind", ["raises", "type", "no rows", "closed"])
def test_a_bad_stream_is_no_other_answer(kind: str) -> None:
    make, words = BAD[kind]
    fitted = model().fit(TABLE)
    asked = {"epsilon": 1.0, "delta": 1e-5, "random_state": 3}
    ways: List[Callable[[], Any]] = [
        lambda: fitted.predict(make()), lambda: fitted.evaluate(make(), **asked),
        lambda: tacet.describe(make(), schema=SCHEMA, epsilon=1, random_state=3),
        lambda: tacet.quantile(make(), "age", schema=SCHEMA, epsilon=1, random_state=3),
        lambda: tacet.Schema.fit(make(), epsilon=1, ignore=["note"], random_state=3)]
    for way in ways:
        with pytest.raises(tacet.DataError, match=words):
            way()


def test_a_stream_stands_alone_and_has_a_schema() -> None:
    with pytest.raises(tacet.UsageError, match="leave y out"):
        model().fit(reader(), ["no"] * COUNT)
    with pytest.raises(tacet.UsageError, match="leave units out"):
        model(schema_of(unit="who")).fit(reader(), units=["a"] * COUNT)
    with pytest.raises(tacet.UsageError, match="give schema="):
        tacet.LogisticRegression(epsilon=1, bounds=(0, 1), classes=["no", "yes"],
                                 public_row_count=COUNT).fit(reader())
    without = tacet.Schema([tacet.numeric("age", 18, 90)],
                           target=tacet.binary("seen", positive="yes", negative="no"))
    for count in (None, "observed"):
        with pytest.raises(tacet.UsageError, match="does not say how many"):
            model(without, public_row_count=count).fit(reader())
    with pytest.raises(tacet.UsageError, match="X has no column of"):
        model().fit(TABLE["age"])  # one column is an array, which has no names


# Memory.

MEASURED = """
import resource, sys
import numpy as np, pyarrow, tacet
ROWS, COLUMNS, BATCH = {rows}, 10, 65536
schema = tacet.Schema([tacet.numeric(f"x{{j}}", 0, 1) for j in range(COLUMNS)],
                      target=tacet.binary("y", positive="1", negative="0"), public_row_count=ROWS)
kinds = pyarrow.schema([(f"x{{j}}", pyarrow.float64()) for j in range(COLUMNS)]
                       + [("y", pyarrow.int8())])
def batches():
    numbers = np.random.default_rng(1)
    for begin in range(0, ROWS, BATCH):
        count = min(BATCH, ROWS - begin)
        yield pyarrow.record_batch([numbers.random(count) for _ in range(COLUMNS)]
                                   + [(np.arange(count) % 2).astype(np.int8)], schema=kinds)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
first = next(batches())
tacet.LogisticRegression(epsilon=1, schema=schema, steps=2, random_state=1, standardise="none", knots=None).fit(
    pyarrow.RecordBatchReader.from_batches(kinds, iter([first])))
before = peak()
tacet.LogisticRegression(epsilon=1, schema=schema, steps=2, random_state=1, standardise="none", knots=None).fit(
    pyarrow.RecordBatchReader.from_batches(kinds, batches()))
encoded = ROWS * (2 * (COLUMNS + 1) + 16 + 4) / 2**20
two_batches = 2 * BATCH * (8 * COLUMNS + 1) / 2**20
print(peak() - before, encoded + two_batches + 64)
"""


def test_a_reader_is_never_held_as_a_whole() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", MEASURED.format(rows=10**6)],
                          check=True, capture_output=True, text=True)
    grown, allowed = map(float, done.stdout.split())
    assert grown <= allowed
