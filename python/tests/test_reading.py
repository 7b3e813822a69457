"""Files read as the program reads them, and what is said of frames of pandas."""

from __future__ import annotations

import gzip
import pathlib
import warnings
from typing import Any, Dict, List

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

WORDS = ["None", "NA", "null", "nan", "", "pollen"]
SCHEMA = """name = "patients"
public_row_count = 240
missing = ["?"]
unit = "who"

[target]
column = "ill"
positive = "None"
negative = "NULL"

[[column]]
name = "allergy"
kind = "categorical"
categories = ["None", "NA", "null", "nan", "", "pollen"]

[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 100

[[column]]
name = "note"
kind = "hashed"
bits = 4
"""


def written(folder: pathlib.Path, schema: str = SCHEMA, odd: str = "") -> Any:
    """A file with a column that no schema reads, in another order than the schema's, and that."""
    lines = ["room,who,ill,note,allergy,age"]
    for k in range(240):
        word = WORDS[k % len(WORDS)]
        lines.append(f'{k},{k},{"None" if k % 6 < 3 else "NULL"},"N/A, {k % 5}",{word},{k % 90}.0')
    lines[9] = f"8,8,None,{odd},pollen,?"
    path, name = folder / "patients.csv", folder / "patients.toml"
    path.write_bytes(("\ufeff" + "\r\n".join(lines) + "\r\n").encode("utf-8", "surrogateescape"))
    name.write_text(schema)
    return path, name


def test_a_file_trains_the_programs_model(program: Any, tmp_path: pathlib.Path) -> None:
    without_unit = SCHEMA.replace('unit = "who"\n', "")
    for k, text in enumerate((SCHEMA, without_unit)):
        folder = tmp_path / str(k)
        folder.mkdir()
        path, name = written(folder, text, odd="\udcff\udc80")  # no UTF-8
        program("train", path, "--schema", name, "--epsilon=2", "--seed=7", "--steps=20",
                "--method=gradient", "--output", folder / "program.json")
        schema = tacet.Schema.load(name)
        table = tacet.read_csv(path, schema)
        assert list(table) == ["room", "who", "ill", "note", "allergy", "age"]
        model = tacet.LogisticRegression(epsilon=2, schema=schema, random_state=7, steps=20,
                                         method="gradient").fit(table)
        model.save(folder / "python.json")
        assert (folder / "python.json").read_bytes() == (folder / "program.json").read_bytes()
        with gzip.open(folder / "patients.csv.gz", "wb") as file:
            file.write(path.read_bytes())
        assert tacet.read_csv(folder / "patients.csv.gz", schema) == table
        predicted = program("predict", folder / "program.json", path).splitlines()
        assert model.predict(table).tolist() == [line.split(",")[-1] for line in predicted[1:]]


HEADS = [b"age,ill,note,note,note.1", b"age,ill,,,", b"age,ill,\xe9,\xe9,\xef\xbf\xbd",
         b"note,age,note,ill,note"]


@pytest.mark.parametrize("head", HEADS)
def test_columns_that_nobody_reads_have_any_names(
        head: bytes, program: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "s.toml").write_text(
        'public_row_count = 90\n[format]\nkind = "csv"\n[target]\ncolumn = "ill"\n'
        'positive = "1"\nnegative = "0"\n'
        '[[column]]\nname = "age"\nkind = "numeric"\nlower = 0\nupper = 90\n')
    def field(name: bytes, k: int) -> int:
        return {b"age": k, b"ill": int(k > 40)}.get(name, 7)

    lines = [head] + [
        ",".join(str(field(name, k)) for name in head.split(b",")).encode()
        for k in range(90)]
    (tmp_path / "f.csv").write_bytes(b"\n".join(lines) + b"\n")
    program("train", tmp_path / "f.csv", "--schema", tmp_path / "s.toml", "--epsilon=2",
            "--seed=7", "--steps=9", "--method=gradient", "--output", tmp_path / "program.json")
    schema = tacet.Schema.load(tmp_path / "s.toml")
    table = tacet.read_csv(tmp_path / "f.csv", schema)
    assert len(table) == 5 and all(len(column) == 90 for column in table.values())
    model = tacet.LogisticRegression(epsilon=2, schema=schema, random_state=7, steps=9,
                                     method="gradient").fit(table)
    model.save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "program.json").read_bytes()
    # A ledger, which is given every column, takes it too.
    ledger = tacet.Ledger.create(tmp_path / "budget.ledger")
    ledger.enrol("people", epsilon=5, delta=1e-4)
    tacet.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, steps=9, ledger=ledger,
                             data_set="people").fit(table)
    assert len(ledger.show()[0]["runs"]) == 1


def test_every_function_takes_what_was_read(tmp_path: pathlib.Path) -> None:
    path, name = written(tmp_path, SCHEMA.replace('unit = "who"\n', ""))
    schema = tacet.Schema.load(name)
    table = tacet.read_csv(path, schema)
    train, test = tacet.split(table, stratify="ill")
    assert isinstance(train, tacet.Table) and len(train["age"]) + len(test["age"]) == 240
    model = tacet.LogisticRegression(epsilon=2, schema=schema).fit(train)
    assert model.predict(test).shape == (len(test["age"]),)
    array = np.array([[test[column][k] for column in schema.columns] for k in range(9)], object)
    assert (model.predict(array) == model.predict(test)[:9]).all()
    assert model.evaluate(test, epsilon=1, delta=1e-6).receipt is not None
    assert model.evaluate(test, test["ill"], epsilon=1, delta=1e-6).receipt is not None
    assert tacet.describe(table, schema=schema, epsilon=1).records is not None
    assert 0 <= float(tacet.quantile(table, "age", schema=schema, epsilon=1)) <= 100
    tuned = tacet.tune(tacet.LogisticRegression(epsilon=3, schema=schema), train,
                       grid={"steps": [5, 9]}, trials=2)
    assert tuned.predict(test).shape == (len(test["age"]),)
    tacet.Schema.fit({"age": table["age"]}, epsilon=2, public_row_count=240)
    for frame in (pandas.DataFrame(table), polars.DataFrame({"age": table["age"]}),
                  pyarrow.table({"age": table["age"]})):
        assert len(frame) == 240


def test_files_are_refused_by_their_structure(tmp_path: pathlib.Path) -> None:
    schema = tacet.Schema([tacet.numeric("a", 0, 1)])
    faults: Dict[str, str] = {"": "empty", "a,a\n1,2\n": "twice", "a,b\n1\n": ":2"}
    for text, fault in faults.items():
        (tmp_path / "file.csv").write_text(text)
        with pytest.raises(tacet.DataError, match=fault):
            tacet.read_csv(tmp_path / "file.csv", schema)
    with pytest.raises(tacet.IoError, match="No such file"):
        tacet.read_csv(tmp_path / "none.csv", schema)
    with pytest.raises(tacet.UsageError, match="reads CSV"):
        tacet.read_csv(tmp_path / "file.csv", tacet.Schema(
            features=tacet.numbered(2, 0, 1), target=tacet.binary(None, "b", "a")))
    with pytest.raises(tacet.UsageError, match="must be a tacet.Schema"):
        tacet.read_csv(tmp_path / "file.csv", "file.toml")  # type: ignore[arg-type]


def said_of(function: Any, *args: Any, **more: Any) -> List[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", tacet.PrivacyWarning)
        function(*args, **more)
    return [str(one.message) for one in caught if "read_csv" in str(one.message)]


def test_frames_of_pandas_may_have_lost_a_word() -> None:
    def schema_of(*categories: str, positive: str = "yes") -> tacet.Schema:
        return tacet.Schema([tacet.categorical("word", categories)], public_row_count=60,
                            target=tacet.binary("y", positive=positive, negative="no"))

    def fit(schema: tacet.Schema) -> Any:
        return tacet.LogisticRegression(epsilon=1, schema=schema, steps=3).fit

    tables = [pandas.DataFrame({"word": words, "y": ["yes", "no"] * 30})
              for words in (["x"] * 60, ["None"] * 60, [None] * 60, [1.5] * 60)]
    for word in ("None", "NA", "null", "", "nan", "N/A", "<NA>"):
        listed = schema_of("x", word)
        said = [said_of(fit(listed), table) for table in tables]
        assert all(one == said[0] and len(one) == 1 and f"'{word}'" in one[0] for one in said)
    assert not any(said_of(fit(schema_of("x", "none")), table) for table in tables)
    listed = schema_of("x", "None")
    for other in (polars.from_pandas(tables[0]), tables[0].to_dict("list"),
                  pyarrow.Table.from_pandas(tables[0])):
        assert not said_of(fit(listed), other)
    # Of the target too, in the table or beside it.
    target = schema_of("x", positive="NA")
    assert len(said_of(fit(target), tables[0])) == 1
    assert len(said_of(fit(target), tables[0][["word"]], tables[0]["y"])) == 1
    assert not said_of(fit(target), {"word": ["x"] * 60}, ["NA", "no"] * 30)
    model = fit(listed)({"word": ["x"] * 60, "y": ["yes", "no"] * 30})
    for table in tables[:3]:
        assert len(said_of(model.predict, table)) == 1
        assert len(said_of(model.evaluate, table, epsilon=1, delta=1e-6)) == 1
        assert len(said_of(tacet.describe, table, schema=listed, epsilon=1)) == 1
    # Who makes an error of it has booked nothing.
    budget = tacet.Budget(10, 1e-3)
    with warnings.catch_warnings(), pytest.raises(UserWarning):
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", tacet.PrivacyWarning)
        tacet.LogisticRegression(epsilon=1, schema=listed, budget=budget).fit(tables[0])
    assert budget.spent == (0, 0)


def test_pandas_without_its_own_words_reads_the_same(tmp_path: pathlib.Path) -> None:
    path, name = written(tmp_path)
    schema = tacet.Schema.load(name)
    table = tacet.read_csv(path, schema)
    lossy = pandas.read_csv(path).assign(ill=table["ill"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            tacet.LogisticRegression(epsilon=2, schema=schema, random_state=7, steps=9).fit(
                records).encoded_coef_.tolist()
            for records in (table, pandas.read_csv(path, keep_default_na=False), lossy)]
    assert found[0] == found[1] != found[2]
