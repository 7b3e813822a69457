"""What ONNX Runtime and DuckDB compute from an exported model is what the package predicts."""

from __future__ import annotations

import datetime
import functools
import math
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
from typing import Any, Dict, List

import numpy as np
import pandas
import pytest

import tacet

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

COUNT = 300
MANY = 100_000 if os.environ.get("TACET_LONG") else 2000
TOWNS = ["Bern", "Bir's", "a;b\\", "elsewhere", ""]
CODES = ["1", "2.5", "30", "1.0", "2.50", "x", ""]


def records(count: int, seed: int, edge: float = 0.3) -> pandas.DataFrame:
    """Numbers beyond their bounds, on them and missing, texts that no list has."""
    draw = np.random.default_rng(seed)

    def numbers(lower: float, upper: float, whole: bool = False) -> Any:
        reach = upper - lower
        values = draw.uniform(lower - reach / 5, upper + reach / 5, count)
        values = np.round(values, 0 if whole else 3)
        special = draw.choice([lower, upper, -999.0, math.nan, math.inf], count)
        return np.where(draw.random(count) < edge, special, values)

    days = draw.integers(-400, 1400, count)
    start = datetime.date(2011, 1, 1)
    return pandas.DataFrame({
        "age": numbers(17, 90, True), "gain": numbers(0, 9999), "curve": numbers(-3, 5),
        "case": numbers(0, 100, True), "hour": numbers(0, 24),
        "flag": draw.choice([0.0, 1.0, math.nan], count),
        "day": [(start + datetime.timedelta(days=int(one))).isoformat() for one in days],
        "town": draw.choice(TOWNS, count), "code": draw.choice(CODES, count)})


def columns() -> List[Any]:
    return [tacet.numeric("age", 17, 90, knots=0),
            tacet.numeric("gain", 0, 9999, log1p=True, fill=12, knots=0),
            tacet.numeric("curve", -3, 5, knots=7),
            tacet.numeric("case", 0, 100, bins=10, missing_indicator=True, knots=0),
            tacet.numeric("hour", 0, 24, period=24), tacet.numeric("flag", 0, 1, knots=0),
            tacet.date("day", "2011-01-01", "2013-12-31", knots=0),
            tacet.categorical("town", ["Bern", "Bir's", "a;b\\"], other="column"),
            tacet.categorical("code", ["1", "2.5", "30"])]


TARGETS = {"two": tacet.binary("y", positive="yes", negative="no"),
           "three": tacet.multiclass("y", ["a", "b's", "c"]),
           "number": tacet.number("y", 0, 10), "count": tacet.count("y", 20),
           "probability": tacet.probability("y")}


def target_of(kind: str, table: pandas.DataFrame) -> Any:
    signal = np.clip(table["curve"].replace(math.inf, 5).fillna(0), -3, 5) + (table["town"] == "Bern")
    if kind == "two":
        return np.where(signal > 1, "yes", "no")
    if kind == "three":
        return np.where(signal < 0, "a", np.where(signal < 2, "b's", "c"))
    scaled = (signal + 3) / 9
    return {"number": scaled * 10, "count": np.round(scaled * 20), "probability": scaled}[kind]


@functools.cache
def fitted(kind: str, scaling: str = "clip1", **more: Any) -> Any:
    schema = tacet.Schema(columns(), public_row_count=COUNT, target=TARGETS[kind],
                          row_scaling=scaling, interactions=[("town", "code")],
                          missing=["", "NA", "-999"])
    table = records(COUNT, 1)
    make = {"two": tacet.LogisticRegression, "three": tacet.LogisticRegression}.get(
        kind, tacet.LinearRegressor)
    if kind == "count":
        make = tacet.PoissonRegressor
    return make(epsilon=math.inf, schema=schema, **more).fit(table.assign(y=target_of(kind, table)))


def answers(made: Any, table: pandas.DataFrame) -> Dict[str, Any]:
    session = runtime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    feed = {}
    for one in session.get_inputs():
        column = table[one.name]
        if one.type == "tensor(string)":
            values = column.to_numpy(dtype=object)
        elif one.name == "day":
            values = np.array([(datetime.date.fromisoformat(day) - datetime.date(1970, 1, 1)).days
                               for day in column], dtype=np.float64)
        else:
            values = column.to_numpy(dtype=np.float64)
        feed[one.name] = values.reshape(-1, 1)
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, feed)))


@pytest.mark.parametrize("scaling", ["clip1", "const"])
@pytest.mark.parametrize("kind", ["two", "three"])
def test_classes_and_probabilities_are_the_same(kind: str, scaling: str) -> None:
    model, table = fitted(kind, scaling), records(MANY, 2)
    found = answers(model.to_onnx(), table)
    assert found["label"].tolist() == model.predict(table).tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(table), rtol=0, atol=1e-12)
    margins = model.decision_function(table)
    np.testing.assert_allclose(found["margin"], margins.reshape(len(table), -1), rtol=1e-12)


@pytest.mark.parametrize("kind", ["number", "count", "probability"])
def test_numbers_are_the_same(kind: str) -> None:
    model, table = fitted(kind), records(MANY, 3)
    found = answers(model.to_onnx(), table)["prediction"][:, 0]
    np.testing.assert_allclose(found, model.predict(table), rtol=0, atol=1e-12)


@pytest.mark.parametrize("loss", ["softmax", "logistic"])
def test_losses_of_several_classes(loss: str) -> None:
    model, table = fitted("three", loss=loss), records(500, 4)
    found = answers(model.to_onnx(), table)
    assert found["label"].tolist() == model.predict(table).tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(table), rtol=0, atol=1e-12)


@pytest.mark.parametrize("scaling", ["clip1", "const"])
def test_numbered_features_are_one_array(scaling: str) -> None:
    values = np.random.default_rng(5).uniform(-0.2, 1.2, (COUNT, 4))
    labels = np.where(values[:, 0] > values[:, 1], "b", "a")
    schema = tacet.Schema(features=tacet.numbered(4, 0, 1), public_row_count=COUNT,
                          row_scaling=scaling, target=tacet.binary(None, positive="b", negative="a"))
    model = tacet.LogisticRegression(epsilon=math.inf, schema=schema).fit(values, labels)
    session = runtime.InferenceSession(model.to_onnx().SerializeToString(),
                                       providers=["CPUExecutionProvider"])
    found = session.run(["label", "probabilities"], {"features": values})
    assert found[0].tolist() == model.predict(values).tolist()
    np.testing.assert_allclose(found[1], model.predict_proba(values), rtol=0, atol=1e-12)


def compare_labels_and_probabilities(columns: List[Any], train: pandas.DataFrame, new: pandas.DataFrame) -> None:
    schema = tacet.Schema(columns, public_row_count=len(train), target=TARGETS["two"])
    model = tacet.LogisticRegression(epsilon=math.inf, schema=schema).fit(train)
    found = answers(model.to_onnx(), new)
    assert found["label"].tolist() == model.predict(new).tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(new), rtol=0, atol=1e-12)


def test_constants_that_single_precision_does_not_tell_from_0_and_1() -> None:
    """ONNX Runtime leaves steps with such constants out."""
    draw = np.random.default_rng(9)
    tables = [pandas.DataFrame({"tiny": 1e-299 * draw.uniform(0, 1.1, count), "near": draw.uniform(0, 1, count)})
              for count in (COUNT, MANY)]
    train = tables[0].assign(y=np.where(tables[0]["tiny"] > 5e-300 * tables[0]["near"], "yes", "no"))
    columns = [tacet.numeric("tiny", 1e-300, 1e-299, knots=0), tacet.numeric("near", 0, 1 + 1e-9, knots=5)]
    compare_labels_and_probabilities(columns, train, tables[1])


def test_numbers_on_the_edges_of_bins_of_logarithms() -> None:
    draw = np.random.default_rng(10)
    uppers = [9, 99, 9999, 99999, 63]
    columns = [tacet.numeric(f"x{upper}", 0, upper, log1p=True, bins=8, bins_only=True) for upper in uppers]
    train = pandas.DataFrame({f"x{upper}": draw.uniform(0, upper, COUNT) for upper in uppers})
    train["y"] = np.where(train["x9"] > 4, "yes", "no")
    schema = tacet.Schema(columns, public_row_count=COUNT, target=TARGETS["two"])
    source = tacet.LogisticRegression(epsilon=math.inf, schema=schema).fit(train).to_c()
    edges = [[float(one) for one in found.split(", ") if one]
             for found in re.findall(r"tacet_edges_\d\[7\] = \{(.*)\}", source)]
    assert len(edges) == len(uppers)
    compare_labels_and_probabilities(columns, train, pandas.DataFrame(dict(zip(train.columns, edges))))


def test_texts_that_only_python_takes_for_numbers_and_the_year_0() -> None:
    codes = ["1", "\u0661", "\uff11", "1_0", "10", "b", "\u00a01", " 1", "1e400"]
    table = pandas.DataFrame({"code": codes * 30, "day": ["2011-01-05"] * 135 + ["0001-02-28"] * 135,
                              "x": [2.0, 1e308, sys.float_info.max] * 90})
    table["y"] = np.where(table["code"].isin(["\u0661", "1_0"]), "yes", "no")
    columns = [tacet.categorical("code", ["\u0661", "1_0", "b", "1e400"]),
               tacet.date("day", "0000-01-01", "2013-12-31", knots=0),
               tacet.numeric("x", 0, 10, missing_indicator=True, missing=["1e400"], knots=0)]
    compare_labels_and_probabilities(columns, table, table)


@pytest.mark.parametrize("language", ["C", "Python", "JavaScript"])
def test_buckets_without_tacet(language: str, tmp_path: pathlib.Path) -> None:
    """The functions of examples/public_hash, which other programs take as they are."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "examples" / "public_hash"
    tool = {"C": "cc", "Python": sys.executable, "JavaScript": "node"}[language]
    if language == "C":
        command = [str(tmp_path / "bucket")]
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic",
                        str(folder / "bucket.c"), "-o", command[0]], check=True)
    else:
        command = [tool, str(folder / ("bucket.py" if language == "Python" else "bucket.js"))]
    words = ["x", "3:low3:fri", "\u00fc", "long " * 9, "\u6f22\u5b57", ""]
    for bits in (1, 5, 16, 30):
        done = subprocess.run([*command, str(bits), *words], check=True, stdout=subprocess.PIPE)
        assert [int(one) for one in done.stdout.split()] == \
            [tacet.export.bucket(word, bits) for word in words]


def test_buckets_are_those_of_the_public_hash() -> None:
    words = np.random.default_rng(6).choice(["x", "y", "\u00fc", "long " * 9, ""], COUNT)
    table = pandas.DataFrame({"word": words, "y": np.where(words == "x", "yes", "no")})
    schema = tacet.Schema([tacet.hashed("word", bits=5)], public_row_count=COUNT,
                          target=TARGETS["two"])
    model = tacet.LogisticRegression(epsilon=math.inf, schema=schema).fit(table)
    buckets = [-1 if word == "" else tacet.export.bucket(word, 5) for word in words]
    session = runtime.InferenceSession(model.to_onnx().SerializeToString(),
                                       providers=["CPUExecutionProvider"])
    found, = session.run(["probabilities"], {"word": np.array(buckets).reshape(-1, 1)})
    np.testing.assert_allclose(found, model.predict_proba(table), rtol=0, atol=1e-12)


def test_a_model_that_promises_nothing_says_so() -> None:
    made = fitted("two").to_onnx()
    facts = {one.key: one.value for one in made.metadata_props}
    assert "UNPROTECTED" in facts and "UNPROTECTED" in made.graph.name
    assert facts["guarantee"] == made.doc_string and len(facts["receipt_sha256"]) == 64
    assert {one.domain: one.version for one in made.opset_import} == {"": 17, "ai.onnx.ml": 3}
    table = records(COUNT, 1)
    schema = tacet.Schema(columns(), public_row_count=COUNT, target=TARGETS["two"])
    sound = tacet.LogisticRegression(epsilon=1, schema=schema).fit(
        table.assign(y=target_of("two", table))).to_onnx()
    assert "UNPROTECTED" not in sound.graph.name and "epsilon" in sound.doc_string \
        or "differential privacy" in sound.doc_string


def test_what_has_no_such_form_is_refused() -> None:
    table = records(COUNT, 1)
    schema = tacet.Schema([tacet.numeric("age", 17, 90), tacet.text("town", bits=4)],
                          public_row_count=COUNT, target=TARGETS["two"])
    rows = table.assign(y=target_of("two", table))
    model = tacet.LogisticRegression(epsilon=math.inf, schema=schema).fit(rows)
    for refused in (model.to_c, model.to_sql):
        with pytest.raises(tacet.UsageError, match="'town'"):
            refused()
    wide = tacet.WideClassifier(epsilon=math.inf, steps=3, hidden=2, schema=tacet.Schema(
        columns(), public_row_count=COUNT, target=TARGETS["two"])).fit(rows)
    assert "tacet_net" in wide.to_c()
    with pytest.raises(tacet.UsageError, match="C or ONNX"):
        wide.to_sql()
    projected = tacet.LogisticRegression(epsilon=1, schema=schema, projection="gaussian", projection_width=8).fit(rows)
    with pytest.raises(tacet.UsageError, match="a projection"):
        projected.to_onnx()


def test_names_of_columns_to_keep_are_a_list_without_empty_ones() -> None:
    model = fitted("two")
    assert 'r."id" AS tacet_keep0' in model.to_sql(keep=["id"])
    for keep, words in ((["id", ""], "cannot be the name"), ("id", "keep is a list")):
        with pytest.raises(tacet.UsageError, match=words):
            model.to_sql(keep=keep)


def test_a_model_file_by_command(tmp_path: pathlib.Path) -> None:
    fitted("two").save(tmp_path / "m.json")
    command = [sys.executable, "-m", "tacet.export", str(tmp_path / "m.json"), "-o",
               str(tmp_path / "m.onnx")]
    assert subprocess.run(command, check=False).returncode == 0
    onnx.checker.check_model(onnx.load(tmp_path / "m.onnx"))
    again = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
    assert again.returncode == 7 and "exists" in again.stderr
    (tmp_path / "bad.json").write_text("{}")
    bad = subprocess.run([*command[:3], str(tmp_path / "bad.json"), "-o", str(tmp_path / "b.onnx")],
                         check=False, stderr=subprocess.PIPE, text=True)
    assert bad.returncode == 3 and not (tmp_path / "b.onnx").exists()
    for place in ("no/m.onnx", "m.json/m.onnx"):
        nowhere = subprocess.run([*command[:5], str(tmp_path / place)], check=False, stderr=subprocess.PIPE, text=True)
        assert nowhere.returncode == 7 and "cannot write" in nowhere.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == ["bad.json", "m.json", "m.onnx"]


def test_a_pipe_and_a_link_stay_what_they_are(tmp_path: pathlib.Path) -> None:
    model = str(tmp_path / "m.json")
    fitted("two").save(model)
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as reader:
        assert tacet.export.main([model, "-o", str(tmp_path / "pipe"), "--force"]) == 0
        assert onnx.load_from_string(reader.communicate()[0]).producer_name == "tacet"
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "link").symlink_to("m.onnx")
    assert tacet.export.main([model, "-o", str(tmp_path / "link")]) == 0
    assert (tmp_path / "link").is_symlink() and (tmp_path / "m.onnx").is_file()


def scored_by_sqlite(model: Any, table: pandas.DataFrame) -> List[Any]:
    base = sqlite3.connect(":memory:")
    table.to_sql("people", base, index=False)
    query = model.to_sql(table="people")
    found = base.execute(query)
    names = [one[0] for one in found.description]
    return [row[names.index("prediction_UNPROTECTED")] for row in found]


def compiles(source: str, folder: pathlib.Path) -> bool:
    (folder / "model.c").write_text(source, encoding="utf-8")
    return subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "model.c"],
                          cwd=folder, check=False).returncode == 0


def test_names_in_any_script_and_reserved_words(tmp_path: pathlib.Path) -> None:
    names = ["select", "int", "\u9009\u62e9", "\u0443\u043b\u0438\u0446\u0430", "a b", 'quo"te', "it's", "case", "label",
             "tacet_label", "probabilities", "tacet_1", "record", "margin_",
             "\U0001f600", "tacet_row", "1st", "x/*y*/", "--", "%s", "percent%"]
    draw = np.random.default_rng(3)
    table = pandas.DataFrame({name: draw.uniform(0, 1, COUNT) for name in names})
    table["y"] = np.where(table["select"] > table["int"], "yes", "no")
    schema = tacet.Schema([tacet.numeric(name, 0, 1) for name in names], public_row_count=COUNT, target=TARGETS["two"])
    model = tacet.LogisticRegression(epsilon=math.inf, schema=schema).fit(table)
    predicted = model.predict(table).tolist()
    new = table.drop(columns="y")
    found = answers(model.to_onnx(), new)
    assert list(found) == ["tacet_tacet_label", "tacet_probabilities", "margin"]
    assert found["tacet_tacet_label"].tolist() == predicted
    assert scored_by_sqlite(model, new) == predicted
    assert shutil.which("cc") is None or compiles(model.to_c(), tmp_path)


def test_ten_thousand_categories(tmp_path: pathlib.Path) -> None:
    towns = [f"town {7 * k}" for k in range(10_000)]
    table = pandas.DataFrame({"town": np.random.default_rng(4).choice(towns, 3000)})
    table["y"] = np.where(table["town"] < "town 5", "yes", "no")
    schema = tacet.Schema([tacet.categorical("town", towns)], public_row_count=3000, target=TARGETS["two"])
    model = tacet.LogisticRegression(epsilon=math.inf, schema=schema).fit(table)
    new = pandas.DataFrame({"town": [*towns[::5], "elsewhere", ""]})
    predicted = model.predict(new).tolist()
    assert len(set(predicted)) == 2
    assert answers(model.to_onnx(), new)["label"].tolist() == predicted
    assert scored_by_sqlite(model, new) == predicted
    assert shutil.which("cc") is None or compiles(model.to_c(), tmp_path)


def test_an_export_is_compared_with_its_model(tmp_path: pathlib.Path, capsys: Any) -> None:
    fitted("two").save(tmp_path / "m.json")
    fitted("three").save(tmp_path / "other.json")
    model, export = str(tmp_path / "m.json"), tmp_path / "m.onnx"
    assert tacet.export.main([model, "-o", str(export)]) == 0
    assert tacet.export.main([model, "--verify", str(export)]) == 0
    assert tacet.export.main([str(tmp_path / "other.json"), "--verify", str(export)]) == 5
    made = onnx.load(export)
    made.graph.initializer[0].double_data.append(1.0)
    onnx.save(made, tmp_path / "changed.onnx")
    capsys.readouterr()
    assert tacet.export.main([model, "--verify", str(tmp_path / "changed.onnx")]) == 5
    assert "not what this version exports" in capsys.readouterr().err
    assert tacet.export.main([model, "--verify", model]) == 3
    assert tacet.export.main([model, "--verify", str(tmp_path / "none.onnx")]) == 7
    assert tacet.export.main([model, "-o", model, "--force"]) == 2
    assert "would overwrite the model" in capsys.readouterr().err
    assert tacet.export.main([model, "--verify", str(export)]) == 0


def test_a_full_disk_leaves_no_part(tmp_path: pathlib.Path, monkeypatch: Any, capsys: Any) -> None:
    fitted("two").save(tmp_path / "m.json")
    write = pathlib.Path.write_bytes

    def full(path: pathlib.Path, data: bytes) -> int:
        write(path, data[:100])
        with open("/dev/full", "wb", buffering=0) as device:
            return device.write(data)

    monkeypatch.setattr(pathlib.Path, "write_bytes", full)
    assert tacet.export.main([str(tmp_path / "m.json"), "-o", str(tmp_path / "m.onnx")]) == 7
    assert "No space left" in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["m.json"]


def test_a_folder_for_mlflow(tmp_path: pathlib.Path) -> None:
    model, table = fitted("two"), records(100, 7)
    tacet.mlflow.save_model(model, tmp_path / "folder")
    said = (tmp_path / "folder" / "MLmodel").read_text(encoding="utf-8")
    assert "loader_module: tacet.mlflow" in said and "UNPROTECTED" in said
    loaded = tacet.mlflow._load_pyfunc(str(tmp_path / "folder" / "model.json"))
    assert loaded.predict(table).tolist() == model.predict(table).tolist()
    with pytest.raises(tacet.UsageError, match="exists"):
        tacet.mlflow.save_model(model, tmp_path / "folder")
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("full_at", ["model.json", "MLmodel"])
def test_a_full_disk_is_said_of_the_folder_for_mlflow(
        tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, full_at: str) -> None:
    model = fitted("two")

    def write_text(path: pathlib.Path, *_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device", str(path))

    def save(self: Any, path: Any) -> None:
        raise tacet.IoError(f"cannot write '{path}': No space left on device")

    if full_at == "MLmodel":
        monkeypatch.setattr(pathlib.Path, "write_text", write_text)
    else:
        monkeypatch.setattr(type(model), "save", save)
    with pytest.raises(tacet.IoError, match="No space left") as refused:
        tacet.mlflow.save_model(model, tmp_path / "folder")
    assert str(tmp_path / "folder") in str(refused.value) and "/.folder" not in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("kind", ["two", "three", "number"])
def test_a_query_scores_a_table_of_duckdb(kind: str, typed: bool) -> None:
    duckdb = pytest.importorskip("duckdb")
    pyarrow = pytest.importorskip("pyarrow")
    model, table = fitted(kind), records(MANY, 8)
    texts = {"town", "code"} | (set() if typed else set(table.columns))
    names = [f'"{name}" ' + ("VARCHAR" if name in texts else "DATE" if name == "day" else "DOUBLE")
             for name in table.columns]
    given = pandas.DataFrame({"id": range(MANY)}).join(table)
    for name in texts:
        given[name] = [None if one != one else one if isinstance(one, str) else repr(float(one))
                       for one in table[name]]
    base = duckdb.connect()
    base.register("given", pyarrow.Table.from_pandas(given))
    base.execute(f"CREATE TABLE people (id INTEGER, {', '.join(names)})")
    base.execute("INSERT INTO people SELECT * FROM given")
    found = base.execute(model.to_sql(dialect="duckdb", table="people", keep=["id"])).fetchdf()
    found = found.sort_values("id")
    predicted = model.predict(table)
    if kind == "number":
        np.testing.assert_allclose(found["prediction_UNPROTECTED"], predicted, rtol=0, atol=1e-9)
        return
    assert found["prediction_UNPROTECTED"].tolist() == predicted.tolist()
    named = ["probability"] if kind == "two" else ["probability_1", "probability_2", "probability_3"]
    np.testing.assert_allclose(found[[one + "_UNPROTECTED" for one in named]].to_numpy(),
                               model.predict_proba(table)[:, -len(named):], rtol=0, atol=1e-9)
