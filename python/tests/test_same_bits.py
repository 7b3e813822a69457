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

    def __init__(self, folder: pathlib.Path, program: str, names: List[str], rows: List[Row],
                 schema: tacet.Schema, options: Dict[str, Any]) -> None:
        self.folder, self.program = folder, program
        self.names, self.rows, self.options = names, rows, options
        self.text = text_of(names, rows)
        (folder / "t.csv").write_bytes(self.text)
        (folder / "t.csv.gz").write_bytes(gzip.compress(self.text))
        (folder / "s.toml").write_text(schema.to_toml(), encoding="utf-8")
        self.schema = tacet.Schema.load(folder / "s.toml")  # whose hash a receipt states

    def by_program(self, name: str, *more: str) -> bytes:
        out = self.folder / "m.json"
        words: List[Any] = [self.program, "train", name, "--schema", "s.toml", "--seed", "5", "--quiet",
                            "--force", "-o", out, *more]
        words += [f"--{option.replace('_', '-')}={value}" for option, value in self.options.items()]
        subprocess.run(words, check=True, cwd=self.folder, capture_output=True,
                       input=self.text if name == "-" else None)
        return out.read_bytes()

    def in_python(self, records: Any, **more: Any) -> bytes:
        model = tacet.LinearClassifier(random_state=5, schema=self.schema, **self.options,
                                       **more).fit(records)
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
    try:
        model = json.loads(words)
    except UnicodeDecodeError:
        return words  # a wide model, here of the schema's order
    model.pop("python", None)
    del model["checksum"]
    return json.dumps(model).encode()


def random_ways(seed: int, folder: pathlib.Path, program: str) -> Ways:
    names, rows = table_of(seed)
    schema = schema_of(seed, len(rows))
    method = random.Random(seed + 1).choice(["gradient", "gradient", "adassp", "output"])
    if schema.unit and method == "output":
        method = "gradient"
    steps: Dict[str, Any] = {} if method == "adassp" else {"steps": 4}
    return Ways(folder, program, names, rows, schema,
                {"epsilon": 2, "delta": 1e-5, "method": method, **steps})


def expect_one_model(ways: Ways, more: List[str], arguments: Dict[str, Any], what: object) -> None:
    expected = without_order(ways.by_program("t.csv", "--threads", "2"))
    for way, model in ways.all_of_them(more, arguments).items():
        assert without_order(model) == expected, (what, way)


def test_every_way_to_hand_over_a_table_gives_one_model(
    program: Any, tmp_path: pathlib.Path
) -> None:
    path = os.environ["TACET_PROGRAM"]
    for seed in range(TABLES):
        spooled = seed % 2 == 1
        threads = (1, 3)[seed // 2 % 2]
        more = ["--threads", str(threads)] + (["--spool", str(tmp_path)] if spooled else [])
        expect_one_model(random_ways(seed, tmp_path, path), more,
                         {"threads": threads, "spool": tmp_path if spooled else None}, seed)


# Every method that trains on each kind of table; the program refuses the other ones.
OF_ALL = ["auto", "gradient", "objective", "regularized-output", "adassp", "wide"]
OF_IDS = [*OF_ALL, "output", "phased", "inverse-sensitivity", "ladder", "localized", "growth",
          "phased-erm"]
TRAINED = {"numbers": [*OF_IDS, "sparse-groups", "inference"], "units": [*OF_ALL, "inference"],
           "ids": OF_IDS}
OTHERS: Dict[str, Dict[str, Any]] = {"sparse-groups": {"group_column": "c"}, "inference": {"epsilon": 500}}


def ways_of(kind: str, method: str, folder: pathlib.Path) -> Ways:
    """Numbers alone, three records of each person, or a sparse table."""
    draw = random.Random(7)
    count = 300
    target = tacet.binary("y", positive="yes", negative="no")
    names = ["a", "b", "c", "d", "y"]
    rows: List[Row] = [[*(f"{draw.random():.3f}" for _ in range(4)), draw.choice(["yes", "no"])]
                       for _ in range(count)]
    columns = [tacet.numeric(name, 0, 1) for name in "abcd"]
    more: Dict[str, Any] = {"public_row_count": count}
    if kind == "units":
        more = {"public_row_count": count // 3, "unit": "who"}
        names, rows = [*names, "who"], [[*row, f"p{k // 3}"] for k, row in enumerate(rows)]
    if kind == "ids":
        names, rows = ["ids", "y"], [
            [";".join(str(draw.randrange(50)) for _ in range(3)), row[-1]] for row in rows]
        columns = [tacet.ids("ids", separator=";", max_ids=3, count=50)]
        more["storage"] = "sparse"
    return Ways(folder, os.environ["TACET_PROGRAM"], names, rows,
                tacet.Schema(columns, target=target, **more),
                {"epsilon": 2, "method": method, **OTHERS.get(method, {})})


@pytest.mark.parametrize("kind", TRAINED)
def test_every_method_trains_one_model_however_records_come(
    kind: str, program: Any, tmp_path: pathlib.Path
) -> None:
    for k, method in enumerate(TRAINED[kind] if LONG else ["gradient", TRAINED[kind][-1]]):
        ways = ways_of(kind, method, tmp_path)
        for spooled in (False, True) if LONG else (True,):
            for threads in (1, 3) if LONG else (3,):
                more = ["--threads", str(threads)] + (["--spool", str(tmp_path)] if spooled else [])
                expect_one_model(
                    ways, more, {"threads": threads, "spool": tmp_path if spooled else None},
                    (method, spooled, threads))


@pytest.mark.skipif(not LONG, reason="in the long tier (TACET_LONG)")
@pytest.mark.parametrize("kind", TRAINED)
def test_no_method_is_left_out(kind: str, program: Any, tmp_path: pathlib.Path) -> None:
    """What trains on a kind of table is in the list above."""
    refused = []
    for method in sorted({*TRAINED["numbers"]} - {*TRAINED[kind]}):
        try:
            ways_of(kind, method, tmp_path).by_program("t.csv")
        except subprocess.CalledProcessError as error:
            assert error.returncode == 2, method
            refused.append(method)
    assert refused == sorted({*TRAINED["numbers"]} - {*TRAINED[kind]})


ADULT = pathlib.Path(os.environ.get("TACET_DATA", "/nowhere")) / "adult/adult.train.csv.gz"
METHODS = (*OF_IDS, "sparse-groups", "inference")


@pytest.mark.skipif(not ADULT.exists(), reason="TACET_DATA has no adult")
@pytest.mark.parametrize("method", METHODS if LONG else ("gradient", "adassp"))
def test_adult_is_one_model_however_it_comes(
    method: str, program: Any, tmp_path: pathlib.Path
) -> None:
    path = pathlib.Path(__file__).parents[2] / "data/schemas/adult.toml"
    schema = tacet.Schema.load(path)
    options: Dict[str, Any] = {"epsilon": 8 if method == "inference" else 1, "method": method}
    if method == "sparse-groups":
        options["group_column"] = "workclass"
    words = [f"--{option.replace('_', '-')}={value}" for option, value in options.items()]
    text = gzip.decompress(ADULT.read_bytes())
    (tmp_path / "adult.csv").write_bytes(text)
    spooled = ["--spool", str(tmp_path), "--threads=3"]
    found = []
    for source, more in ((ADULT, []), (ADULT, spooled), (tmp_path / "adult.csv", []), ("-", spooled)):
        subprocess.run([os.environ["TACET_PROGRAM"], "train", source, "--schema", path, "--seed=7",
                        "--quiet", "--force", "--output", tmp_path / "m.json", *words, *more],
                       check=True, input=text if source == "-" else None, capture_output=True)
        found.append((tmp_path / "m.json").read_bytes())
    relation = duckdb.connect().read_csv(str(ADULT), all_varchar=True, header=True)
    relation = relation.select(*(
        duckdb.ColumnExpression(name) for name in (*schema.columns, str(schema.target))))
    table = relation.to_arrow_table()
    for k, records in enumerate((relation, relation, table, table.to_reader(1000))):
        made = tacet.LogisticRegression(schema=schema, random_state=7, threads=(1, 3)[k % 2],
                                        spool=(None, tmp_path)[k % 2], **options).fit(records)
        made.save(tmp_path / "p.json", overwrite=True)
        found.append((tmp_path / "p.json").read_bytes())
    assert all(model == found[0] for model in found)
