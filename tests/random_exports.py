"""Exports of random models give the program's answers.

    random_exports.py [--postgresql] FIRST:LAST TACET SCRATCH C_COMPILER...

Each seed from FIRST to before LAST makes a schema, records and settings (random_models.py). `tacet predict` is
compared with the exported C, compiled strictly with sanitizers, and with the query in SQLite and, if asked for, in
PostgreSQL, whose table once has types and once is all text. In C numbers are equal bit for bit, probabilities to
1e-14; in SQL to 1e-9. python/tests/test_exports_random.py does the same with ONNX and DuckDB. What a seed left in
SCRATCH stays there where it failed. Exit code 77 where PostgreSQL is asked for and not installed.
"""

import collections
import csv
import glob
import io
import json
import math
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

import exports_postgresql
import random_models
from random_models import bucket, number_of

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-fsanitize=address,undefined",
          "-fno-sanitize-recover=all")
READER = r"""
#define TACET_DECLARATIONS_ONLY
#include "model.c"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
double number(void);
double number(void)
{
  double value;
  if (fread(&value, sizeof value, 1, stdin) != 1) exit(1);
  return value;
}
/* A size before the bytes; NULL where it is negative. */
const char *word(char **room);
const char *word(char **room)
{
  int32_t size;
  if (fread(&size, sizeof size, 1, stdin) != 1) exit(1);
  if (size < 0) return NULL;
  free(*room);
  *room = malloc((size_t)size + 1);
  if (*room == NULL || fread(*room, 1, (size_t)size, stdin) != (size_t)size) exit(1);
  (*room)[size] = '\0';
  return *room;
}
int main(void)
{
  static char *room[%(count)d + 1];
  int32_t left;
  int k;
  if (fread(&left, sizeof left, 1, stdin) != 1) return 1;
  for (; left > 0; --left) {
    struct tacet_record record;
    double margins[TACET_OUTPUTS];
%(reads)s
    tacet_margins(&record, margins);
    printf("%%.17g %%.17g", (double)tacet_predict(&record), margins[0]);
%(said)s
    printf("\n");
  }
  for (k = 0; k < %(count)d; ++k) free(room[k]);
  return 0;
}
"""
PROBABILITIES = """    {
      double p[TACET_CLASSES];
      tacet_probabilities(&record, p);
      for (k = 0; k < TACET_CLASSES; ++k) printf(" %.17g", p[k]);
    }"""
KEY = '"the key"'


class Mismatch(Exception):
    pass


def run(*command, may_refuse=False, **given):
    words = [str(word) for word in command]
    done = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **given)
    if done.returncode != 0 and not (may_refuse and done.returncode in range(2, 7)):
        said = done.stderr[:1500].decode(errors="replace")
        raise Mismatch(f"{' '.join(words)}\nexit code {done.returncode}:\n{said}")
    return done


class Refused(Exception):
    """What cannot be trained or exported, in the program's words without names and numbers."""

    def __init__(self, said):
        super().__init__(re.sub(r"'[^']*'|[\d.]+", "_", said.strip().splitlines()[-1])[:150])


class Model:
    """A model of a seed and the program's answers to the new records."""

    def __init__(self, tacet, case, folder):
        self.tacet, self.case, self.folder, self.file = tacet, case, folder, folder / "m.json"
        (folder / "s.toml").write_text(case.schema, encoding="utf-8")
        for name, rows in (("train", case.train), ("new", case.new)):
            (folder / name).write_text(case.written(rows), encoding="utf-8", newline="")
        done = run(tacet, "train", folder / "train", "--schema", folder / "s.toml", *case.options, "--quiet", "--force",
                   "--output", self.file, may_refuse=True)
        if done.returncode != 0:
            raise Refused(done.stderr.decode())
        exported = self.export("coefficients")
        self.schema, self.unprotected = json.loads(exported)["schema"], b"UNPROTECTED" in exported
        found = json.loads(self._predict())
        self.predictions, self.classes = found["predictions"], found.get("classes")
        self.margins, self.probabilities = None, None
        if self.classes:
            beside = json.loads(self._predict("--noise") or "{}").get("beside", {"columns": []})
            if "margin" in beside["columns"]:
                self.margins = [row[beside["columns"].index("margin")] for row in beside["records"]]
            found = self._predict("--proba")
            self.probabilities = json.loads(found)["probabilities"] if found else None

    def _predict(self, *more):
        return run(self.tacet, "predict", self.file, self.folder / "new", "--json", *more, may_refuse=bool(more)).stdout

    def export(self, kind, *more):
        """The bytes of an export, which `verify` knows again."""
        path = self.folder / {"c": "model.c"}.get(kind, "exported")
        done = run(self.tacet, "export", self.file, "--format", kind, *more, "--output", path, "--force", may_refuse=True)
        if done.returncode != 0:
            raise Refused(done.stderr.decode())
        run(self.tacet, "verify", self.file, "--export", path)
        return path.read_bytes()

    def sources(self):
        """The columns that the model reads, in the order of the members of a struct of C."""
        by_name = {one.name: one for one in self.case.columns}
        found = []
        for column in self.schema.get("column", []):
            for name in column["names"] if column["kind"] == "crossed" else [column["name"]]:
                if column["kind"] != "ignored" and by_name[name] not in found:
                    found.append(by_name[name])
        return found

    def expect(self, where, k, found, probabilities, tolerance):
        """A class or a number, and probabilities, of the record `k`."""
        wanted, told = self.predictions[k], f"{where}: record {k}, {self.case.new[k]}"
        span = abs(self.case.target.get("upper", 1)) + abs(self.case.target.get("lower", 0))
        same = found == wanted if self.classes or tolerance == 0 else abs(found - wanted) <= tolerance * max(1.0, span)
        if not same:
            raise Mismatch(f"{told}: {found!r}, not {wanted!r}")
        if self.probabilities is None:
            return
        wanted = self.probabilities[k]
        if not all(abs(one - other) <= max(tolerance, 1e-14) for one, other in zip(probabilities, wanted, strict=True)):
            raise Mismatch(f"{told}: {probabilities}, not {wanted}")


# ---- C


def check_c(model, compilers):
    text = model.export("c").decode("utf-8")
    if ("tacet_UNPROTECTED" in text) != model.unprotected:
        raise Mismatch("C: the symbol of an unprotected model")
    body = text.partition("struct tacet_record {\n")[2].partition("\n};")[0]
    members = re.findall(r"^  (?:double |const char \*)(\w+);", body, re.MULTILINE)
    sources = model.sources()
    if model.case.count:
        members, sources = [f"features[{k}]" for k in range(model.case.count)], [None] * model.case.count
    if len(members) != len(sources):
        raise Mismatch(f"C: members {members} for {[one.name for one in sources]}")
    reads = [f"    record.{member} = {'number()' if one is None or one.is_number() else f'word(&room[{k}])'};"
             for k, (member, one) in enumerate(zip(members, sources))] or ["    record.unused = 0;"]
    (model.folder / "main.c").write_text(READER % {"count": len(members), "reads": "\n".join(reads),
                                                   "said": PROBABILITIES if model.probabilities else ""}, encoding="utf-8")
    given = struct.pack("=i", len(model.case.new)) + b"".join(c_record(model, sources, row) for row in model.case.new)
    for compiler in compilers:
        run(compiler, *STRICT, "-o", model.folder / "scored", model.folder / "main.c", model.folder / "model.c", "-lm")
        lines = run(model.folder / "scored", input=given).stdout.decode().splitlines()
        for k, line in enumerate(lines):
            answer, margin, *probabilities = map(float, line.split())
            model.expect(f"C of {compiler}", k, model.classes[int(answer)] if model.classes else answer, probabilities, 0)
            if model.margins and margin != model.margins[k]:
                raise Mismatch(f"C of {compiler}: record {k}, {model.case.new[k]}: "
                               f"margin {margin!r}, not {model.margins[k]!r}")
        if len(lines) != len(model.case.new):
            raise Mismatch(f"C of {compiler}: {len(lines)} answers")


def c_record(model, sources, row):
    if model.case.count:
        return struct.pack(f"={model.case.count}d", *(row["values"].get(k, 0.0) for k in range(model.case.count)))
    out = b""
    for one in sources:
        text = row[one.name]
        if one.is_number():
            out += struct.pack("=d", one.number(text))
        elif text == "" and len(out) % 2 == 0:  # NULL is the empty text
            out += struct.pack("=i", -1)
        else:
            out += struct.pack("=i", len(text.encode("utf-8"))) + text.encode("utf-8")
    return out


# ---- SQL


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def cell(one, text, typed):
    """A value of a table whose columns have types, or of one that was imported as texts."""
    if not (typed and one.is_number()):
        return text
    number = one.number(text)
    if math.isnan(number):
        return None
    return text.strip(random_models.BLANK)[:10] if one.kind == "date" else number


def check_sql(model, dialect, kinds, ask):
    """`kinds`: the types of numbers and dates; `ask(columns, rows, query)` gives names and rows of a result."""
    query = model.export("sql", "--dialect", dialect, "--table", "people", "--keep", "the key").decode("utf-8")
    sources, mark = model.sources(), "_UNPROTECTED" if model.unprotected else ""
    for typed in (True, False):
        types = [kinds.get(one.kind, "text") if typed else "text" for one in sources]
        columns = [f"{KEY} integer", *(f"{quoted(one.name)} {kind}" for one, kind in zip(sources, types))]
        rows = [[k, *(cell(one, row[one.name], typed) for one in sources)] for k, row in enumerate(model.case.new)]
        names, found = ask(columns, rows, query)
        if len(found) != len(rows):
            raise Mismatch(f"{dialect}: {len(found)} rows")
        for k, values in enumerate(sorted(found, key=lambda row: int(row[0]))):
            row = dict(zip(names, values))
            answer, probabilities = row["prediction" + mark], []
            if model.probabilities and len(model.classes) == 2:
                share = float(row["probability" + mark])
                probabilities = [1 - share, share]
            elif model.probabilities:
                probabilities = [float(row[f"probability_{c + 1}{mark}"]) for c in range(len(model.classes))]
            model.expect(f"{dialect}, typed {typed}", k, answer if model.classes else float(answer), probabilities, 1e-9)


def ask_connection(base, columns, rows, query):
    """Of SQLite and DuckDB."""
    base.execute(f"CREATE TABLE people ({', '.join(columns)})")
    base.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(columns))})", rows)
    found = base.execute(query)
    names = [column[0] for column in found.description]
    return names, found.fetchall()


def ask_sqlite(columns, rows, query):
    return ask_connection(sqlite3.connect(":memory:"), columns, rows, query)


def ask_postgresql(server, columns, rows, query):
    lines = [",".join("" if value is None else str(value) if k == 0 else quoted(str(value)) for k, value in enumerate(row))
             for row in rows]
    text = server.sql("SET client_min_messages = error; DROP TABLE IF EXISTS people;\n"
                      f"CREATE TABLE people ({', '.join(columns)});\n"
                      "COPY people FROM STDIN WITH (FORMAT csv);\n" + "\n".join(lines) + "\n\\.\nCOPY (\n"
                      + query.rstrip().rstrip(";") + "\n) TO STDOUT WITH (FORMAT csv, HEADER);\n")
    names, *found = csv.reader(io.StringIO(text, newline=""))
    return names, found


# ---- ONNX


def is_usual(model, one, text):
    """Whether a graph knows the text of a category as the program does: by the same bytes, or a usual number."""
    for column in model.schema["column"]:
        if column.get("name") == one.name and column["kind"] == "categorical" and text not in column["categories"]:
            number = number_of(text)
            return math.isnan(number) or text in (f"{number:g}", f"{number}", f"{number:g}e0") or \
                number not in map(number_of, column["categories"])
    return True


def onnx_feed(model, inputs):
    """Arrays by name for `inputs`, and the places of the records that they hold."""
    import numpy
    case = model.case
    if case.count:
        values = [[row["values"].get(k, 0.0) for k in range(case.count)] for row in case.new]
        return {"features": numpy.array(values)}, range(len(values))
    by_name = {one.name: one for one in case.columns}
    crossed = {" & ".join(column["names"]): column for column in model.schema.get("column", [])
               if column["kind"] == "crossed"}
    places = [k for k, row in enumerate(case.new) if all(is_usual(model, one, row[one.name]) for one in model.sources())]
    rows = [case.new[k] for k in places]
    feed = {}
    for name in inputs:
        one, types = by_name.get(name), numpy.int64
        if one is None:
            column = crossed[name]
            parts = [[(by_name[each], row[each]) for each in column["names"]] for row in rows]
            spelt = ["".join(f"{len(text.encode('utf-8'))}:{text}" for _, text in part) for part in parts]
            values = [[-1 if any(each.is_missing(text) for each, text in part) else bucket(text, column["bits"])]
                      for part, text in zip(parts, spelt)]
        elif one.is_number():
            values, types = [[one.number(row[name])] for row in rows], numpy.float64
        elif one.kind == "categorical":
            values, types = [[row[name]] for row in rows], object
        elif one.kind == "hashed":
            values = [[-1 if one.is_missing(row[name]) else bucket(row[name], one.rule["bits"])] for row in rows]
        else:
            found = [one.buckets(row[name]) for row in rows]
            width = max(1, *map(len, found))
            values = [row + [-1] * (width - len(row)) for row in found]
        feed[name] = numpy.array(values, dtype=types)
    return feed, places


def check_onnx(model, made):
    """`made`: the model as `tacet.export` makes it."""
    import onnxruntime
    facts = {one.key for one in made.metadata_props}
    if ("UNPROTECTED" in facts) != model.unprotected or ("UNPROTECTED" in made.graph.name) != model.unprotected:
        raise Mismatch("ONNX: the mark of an unprotected model")
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    feed, places = onnx_feed(model, [one.name for one in session.get_inputs()])
    if not feed:
        return
    names = [one.name.rsplit("tacet_", 1)[-1] for one in session.get_outputs()]
    found = dict(zip(names, session.run(None, feed)))
    for row, k in enumerate(places):
        answer = str(found["label"][row]) if model.classes else float(found["prediction"][row, 0])
        model.expect("ONNX", k, answer, found["probabilities"][row].tolist() if model.probabilities else [], 1e-12)


# ---- all


def trained(tacet, seed, folder):
    """The model of the first variant of a seed that the program does not refuse."""
    refusals = []
    for case in random_models.variants(seed):
        try:
            return Model(tacet, case, folder)
        except Refused as refusal:
            refusals.append(str(refusal))
    raise Mismatch("no variant can be trained:\n" + "\n".join(refusals))


def check_seeds(tacet, scratch, seeds, checks):
    """Whether all of `checks`, functions of a model by name, hold for each seed.

    Each must find something to compare for one seed in three.
    """
    seen, failed = collections.Counter(), 0
    shutil.rmtree(scratch, ignore_errors=True)
    for seed in seeds:
        folder = scratch / str(seed)
        folder.mkdir(parents=True)
        good, model = True, None
        try:
            model = trained(tacet, seed, folder)
            for name, check in checks.items():
                try:
                    check(model)
                    seen[f"{name}: compared"] += 1
                except Refused as refusal:
                    seen[f"{name}: {refusal}"] += 1
        except (Mismatch, SystemExit, sqlite3.Error) as error:
            good = False
            options = " ".join(model.case.options) if model else "not trained"
            print(f"seed {seed}, {options}: {str(error)[:2000]}", flush=True)
        failed += not good
        if good:
            shutil.rmtree(folder)
    for what, count in sorted(seen.items()):
        print(f"{count:5} {what}")
    print(f"{failed} of {len(seeds)} seeds fail")
    rare = [name for name in checks if 3 * seen[f"{name}: compared"] < len(seeds)]
    if rare:
        print(f"compared for fewer than one seed in three: {', '.join(rare)}")
    return failed == 0 and not rare


def main():
    words = [word for word in sys.argv[1:] if word != "--postgresql"]
    tacet, scratch, compilers = pathlib.Path(words[1]).resolve(), pathlib.Path(words[2]), words[3:]
    seeds = range(*map(int, words[0].split(":")))
    checks = {"SQLite": lambda model: check_sql(model, "sqlite", {"numeric": "REAL"}, ask_sqlite)}
    if compilers:
        checks["C"] = lambda model: check_c(model, compilers)
    if "--postgresql" not in sys.argv:
        return 0 if check_seeds(tacet, scratch, seeds, checks) else 1
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs:
        print("PostgreSQL is not installed: left out")
        return 77
    with tempfile.TemporaryDirectory(prefix="tacet-pg-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        (folder / "server").mkdir()
        server = exports_postgresql.Server(programs[-1], folder / "server")
        checks["PostgreSQL"] = lambda model: check_sql(
            model, "postgresql", {"numeric": "float8", "date": "date"}, lambda *asked: ask_postgresql(server, *asked))
        try:
            return 0 if check_seeds(tacet, scratch, seeds, checks) else 1
        finally:
            server.stop()


if __name__ == "__main__":
    sys.exit(main())
