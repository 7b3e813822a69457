"""One model, bit by bit, from one table: as a file, packed, through a pipe, and in memory or not.

Random tables have what readers of tables disagree about: missing values, quotes, line breaks within
fields, leading zeros, blanks, records without a target, and units.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pathlib
import random
import subprocess
from typing import Any, Dict, List, Optional, Tuple

import duckdb
import pyarrow
import pytest

import tacet

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

LONG = bool(os.environ.get("TACET_LONG"))
TABLES = 1000 if LONG else 30
CODES = ["0", "007", "7", "a,b", 'say "no"', "two\nlines", " blank", "NA?", "Zürich", "1e3", "-"]
NUMBERS = ["0", "00.5", "0.25", "-0", "1e-3", ".75", "2", "-3", "abc", "nan", "1"]
Row = List[Optional[str]]


def table_of(seed: int) -> Tuple[List[str], List[Row]]:
    """Texts as a file holds them; None is a field without anything."""
    draw = random.Random(seed)
    missing = draw.choice([0, 0.1, 0.4])
    names = ["x", "code", "who", "note", "y"]
    draw.shuffle(names)

    def field(name: str) -> Optional[str]:
        if draw.random() < missing:
            return None
        return {"x": draw.choice(NUMBERS), "code": draw.choice(CODES),
                "who": f"{draw.randrange(12):03}", "note": draw.choice(CODES),
                "y": draw.choice(["no", "yes"])}[name]

    return names, [[field(name) for name in names] for _ in range(draw.randrange(30, 90))]


def schema_of(seed: int, rows: int) -> tacet.Schema:
    draw = random.Random(-seed)
    more: Dict[str, Any] = {"unit": "who"} if draw.random() < 0.4 else {}
    if draw.random() < 0.4:
        more["storage"] = "sparse"
    missing_target = draw.choice(["drop", "bounds"])
    target = tacet.binary("y", positive="yes", negative="no", unknown="negative",
                          missing_target=missing_target)
    return tacet.Schema(
        [tacet.numeric("x", 0, 1, missing_indicator=draw.random() < 0.5 or None),
         tacet.categorical("code", draw.sample(CODES, 5)), tacet.hashed("note", bits=4)],
        target=target, public_row_count=12 if "unit" in more else rows, **more)


def text_of(names: List[str], rows: List[Row]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(names)
    for row in rows:  # what is missing has no quotes
        out.write(",".join("" if value is None else '"' + value.replace('"', '""') + '"'
                           for value in row) + "\n")
    return out.getvalue().encode()


class Ways:
    """A model's bytes by each way to hand over one table."""

    def __init__(self, seed: int, folder: pathlib.Path, program: str) -> None:
        self.folder, self.program = folder, program
        self.names, self.rows = table_of(seed)
        self.schema = schema_of(seed, len(self.rows))
        self.method = random.Random(seed + 1).choice(["gradient", "gradient", "adassp", "output"])
        if self.schema.unit and self.method == "output":
            self.method = "gradient"
        self.text = text_of(self.names, self.rows)
        (folder / "t.csv").write_bytes(self.text)
        (folder / "t.csv.gz").write_bytes(gzip.compress(self.text))
        (folder / "s.toml").write_text(self.schema.to_toml(), encoding="utf-8")
        self.schema = tacet.Schema.load(folder / "s.toml")  # whose hash a receipt states

    def by_program(self, name: str, *more: str) -> bytes:
        out = self.folder / "m.json"
        words: List[Any] = [self.program, "train", name, "--schema", "s.toml", "--epsilon", "2", "--delta",
                 "1e-5", "--method", self.method, "--seed", "5", "--quiet", "--force", "-o", out,
                 *more]
        if self.method != "adassp":
            words += ["--steps", "4"]
        subprocess.run(words, check=True, cwd=self.folder, capture_output=True,
                       input=self.text if name == "-" else None)
        return out.read_bytes()

    def in_python(self, records: Any, **more: Any) -> bytes:
        steps: Dict[str, Any] = {} if self.method == "adassp" else {"steps": 4}
        model = tacet.LinearClassifier(epsilon=2, delta=1e-5, method=self.method, random_state=5,
                                       schema=self.schema, **steps, **more).fit(records)
        out = self.folder / "p.json"
        model.save(out, overwrite=True)
        return out.read_bytes()

    def table(self) -> Any:
        columns = zip(*self.rows)
        return pyarrow.table({name: pyarrow.array(list(column), pyarrow.string())
                              for name, column in zip(self.names, columns)})

    def reader(self) -> Any:
        table = self.table()
        return pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(17))

    def relation(self) -> Any:
        return duckdb.connect().read_csv(str(self.folder / "t.csv"), all_varchar=True, header=True,
                                         quotechar='"', escapechar='"', sep=",")

    def all_of_them(self, more: List[str], arguments: Dict[str, Any]) -> Dict[str, bytes]:
        return {"file": self.by_program("t.csv", *more), "gz": self.by_program("t.csv.gz", *more),
                "pipe": self.by_program("-", *more),
                "table": self.in_python(self.table(), **arguments),
                "reader": self.in_python(self.reader(), **arguments),
                "relation": self.in_python(self.relation(), **arguments)}


def without_order(words: bytes) -> bytes:
    """A model file of Python says in which order its table had the columns, if it was another."""
    model = json.loads(words)
    model.pop("python", None)
    del model["checksum"]
    return json.dumps(model).encode()


def test_every_way_to_hand_over_a_table_gives_one_model(
    program: Any, tmp_path: pathlib.Path
) -> None:
    path = os.environ["TACET_PROGRAM"]
    for seed in range(TABLES):
        ways = Ways(seed, tmp_path, path)
        spooled = seed % 2 == 1
        threads = (1, 3)[seed // 2 % 2]
        more = ["--threads", str(threads)] + (["--spool", str(tmp_path)] if spooled else [])
        found = ways.all_of_them(more, {"threads": threads, "spool": tmp_path if spooled else None})
        expected = without_order(ways.by_program("t.csv", "--threads", "2"))
        for way, model in found.items():
            assert without_order(model) == expected, (seed, way)


ADULT = pathlib.Path(os.environ.get("TACET_DATA", "/nowhere")) / "adult/adult.train.csv.gz"
METHODS = ("gradient", "objective", "output", "phased", "adassp", "regularized-output", "ladder")


@pytest.mark.skipif(not ADULT.exists(), reason="TACET_DATA has no adult")
@pytest.mark.parametrize("method", METHODS if LONG else ("gradient", "adassp"))
def test_adult_is_one_model_however_it_comes(
    method: str, program: Any, tmp_path: pathlib.Path
) -> None:
    path = pathlib.Path(__file__).parents[2] / "data/schemas/adult.toml"
    schema = tacet.Schema.load(path)
    common = ["--schema", path, "--epsilon=1", "--method", method, "--seed=7", "--quiet"]
    program("train", ADULT, *common, "--output", tmp_path / "file.json")
    expected = (tmp_path / "file.json").read_bytes()
    program("train", ADULT, *common, "--spool", tmp_path, "--threads=3", "--output",
            tmp_path / "spool.json")
    assert (tmp_path / "spool.json").read_bytes() == expected
    for k, spool in enumerate((None, tmp_path)):
        relation = duckdb.connect().read_csv(str(ADULT), all_varchar=True, header=True)
        relation = relation.select(*(
            duckdb.ColumnExpression(name) for name in (*schema.columns, str(schema.target))))
        made = tacet.LogisticRegression(epsilon=1, method=method, schema=schema, random_state=7,
                                        spool=spool, threads=(1, 3)[k]).fit(relation)
        made.save(tmp_path / f"{k}.json")
        assert (tmp_path / f"{k}.json").read_bytes() == expected
