"""Models as C and SQL give the program's answers.

    exports.py [--many PART] TACET SCRATCH C_COMPILER...

The records are invented. Models of two and three classes and of a number are trained on a table with
curves, bins, a period, a logarithm, dates and an interaction. Records with missing values, numbers beyond
the bounds and unknown texts are scored by the program, by the exported C with sanitizers, and by the
exported query in SQLite, whose table once has types and once is all text, as one that was imported.
Models with principal curves and wide ones are scored by C alone. --many: one of two_clip1 to number_const,
wide and curves with 100,000 records (curves with 3000), or speed: 100,000 coefficients that have to compile
in 10 seconds, and, with Adult below TACET_DATA, a million of its records that have to be scored in a second.
"""

import csv
import gzip
import json
import math
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import time

from written_exports import (TARGETS, SCHEMA, CURVED, CURVED_COLUMNS, WIDE, NAMES, TEXTS, MISSING,
                             records, write_csv, days)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position

FEW, MANY = 1500, 100_000
FEW_OF_CURVES, MANY_OF_CURVES = 300, 3000  # each is half a million products, which sanitizers watch
MOST_SECONDS_TO_COMPILE = 10  # 100,000 coefficients
MOST_SECONDS_TO_SCORE = 1  # 1,000,000 records of Adult
HEADERS = ("assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits", "locale", "math",
           "setjmp", "signal", "stdarg", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "time",
           "wchar", "wctype")  # <tgmath.h> makes others of the functions that an export calls
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")


def run(*command, **given):
    done = subprocess.run([str(word) for word in command], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, encoding="utf-8", **given)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed:\n{done.stderr[:3000]}")
    if len(done.stdout) < 1_000_000:  # 100,000 answers take longer to check than to compare
        formats.expect_printed(command[1:], done.stdout)
    return done.stdout


READER = r"""
#define TACET_DECLARATIONS_ONLY
#include "model.c"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char line[4096];
static char *field[%(count)d];
#define NUMBER(text) (*(text) == '\0' ? NAN : strtod(text, NULL))
#define WORD(text) (*(text) == '\0' ? NULL : (text))
int main(void)
{
  while (fgets(line, sizeof line, stdin) != NULL) {
    char *rest = line;
    int k;
    line[strcspn(line, "\n")] = '\0';
    for (k = 0; k < %(count)d; ++k) {
      char *const tab = strchr(rest, '\t');
      field[k] = rest;
      if (tab != NULL) *tab = '\0';
      rest = tab == NULL ? strchr(rest, '\0') : tab + 1;
    }
    {
      const struct tacet_record record = {%(values)s};
      %(said)s
    }
  }
  return 0;
}
"""
PRINT_NUMBER = r'printf("%.17g\n", tacet_predict(&record));'
PRINT_CLASS = r"""double p[TACET_CLASSES];
      int c;
      tacet_probabilities(&record, p);
      printf("%d", tacet_predict(&record));
      for (c = 0; c < TACET_CLASSES; ++c) printf(" %.17g", p[c]);
      printf("\n");"""
SPEED = """
#define TACET_DECLARATIONS_ONLY
#include "model.c"
#include <stddef.h>
static const struct tacet_record records[] = {%s};
int main(void)
{
  size_t k;
  long left = 1000000;
  double sum = 0;
  while (left > 0) {
    for (k = 0; k < sizeof records / sizeof *records && left > 0; ++k, --left) {
      sum += tacet_predict(&records[k]);
    }
  }
  return sum > 0 ? 0 : 1;
}
"""


def c_value(name, text):
    """A value as the program above reads it."""
    if name in TEXTS:
        return text
    if text in MISSING:
        return ""
    return str(days(text)) if name == "day" else repr(float(text))


def c_answers(folder, compiler, kind, rows, names=NAMES):
    values = ", ".join(f"{'WORD' if name in TEXTS else 'NUMBER'}(field[{k}])" for k, name in enumerate(names))
    (folder / "main.c").write_text(READER % {
        "count": len(names), "values": values, "said": PRINT_NUMBER if kind == "number" else PRINT_CLASS},
        encoding="utf-8")
    run(compiler, *STRICT, "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o",
        folder / "scored", folder / "main.c", folder / "model.c", "-lm")
    lines = "".join("\t".join(c_value(name, row[name]) for name in names) + "\n" for row in rows)
    found = [[float(word) for word in line.split()]
             for line in run(folder / "scored", input=lines).splitlines()]
    expect(len(found) == len(rows), f"{len(found)} answers of C for {len(rows)} records")
    return found


def sql_answers(query, rows, typed):
    base = sqlite3.connect(":memory:")
    kinds = [f'"{name.replace(chr(34), 2 * chr(34))}"'
             + (" TEXT" if not typed or name in TEXTS or name == "day" else " REAL") for name in NAMES]
    base.execute(f"CREATE TABLE people (id INTEGER, {', '.join(kinds)})")

    def value(name, text):
        if typed and text in MISSING and name not in TEXTS:
            return None
        return float(text) if typed and name not in TEXTS and name != "day" else text

    base.executemany(f"INSERT INTO people VALUES ({', '.join('?' * (len(NAMES) + 1))})",
                     [[k, *(value(name, row[name]) for name in NAMES)] for k, row in enumerate(rows)])
    found = base.execute(query)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row)) for row in sorted(found.fetchall())]


def expect(holds, what):
    if not holds:
        sys.exit(what)


def compare_sql(kind, query, rows, expected):
    for typed in (True, False):
        found = sql_answers(query, rows, typed)
        expect(len(found) == len(rows), f"{kind}: {len(found)} rows")
        for k, row in enumerate(found):
            expect(row["id"] == k, f"{kind}: row {k} is {row}")
            if kind == "number":
                near = math.isclose(row["prediction_UNPROTECTED"], expected["predictions"][k],
                                    abs_tol=1e-9, rel_tol=0)
                expect(near, f"{kind}, typed {typed}: {rows[k]}: {row}, not {expected['predictions'][k]}")
                continue
            wanted = expected["probabilities"][k]
            names = (["probability_UNPROTECTED"] if kind == "two"
                     else [f"probability_{c}_UNPROTECTED" for c in (1, 2, 3)])
            for name, right in zip(names, wanted[-len(names):]):
                near = math.isclose(row[name], right, abs_tol=1e-9, rel_tol=0)
                expect(near, f"{kind}, typed {typed}: {rows[k]}: {row}, not {wanted}")
            expect(row["prediction_UNPROTECTED"] == expected["predictions"][k],
                   f"{kind}, typed {typed}: {row}")


def check_curves(tacet, folder, train, new, compilers):
    """Principal curves of numbers, and of numbers and categories."""
    for names in (["age", "gain", "curve"], list(CURVED_COLUMNS)):
        where = folder / f"curves_{len(names)}"
        where.mkdir()
        text = CURVED + "".join(f'[[column]]\nname = "{name}"\n{CURVED_COLUMNS[name]}' for name in names)
        if len(names) == 3:
            text = text.replace("missing_indicator = true\n", "")
        (where / "s.toml").write_text(text, encoding="utf-8")
        model = where / "m.json"
        run(tacet, "train", train, "--schema", where / "s.toml", "--epsilon", "40", "--method", "gradient",
            "--curves", "0.4", "--quiet", "--output", model)
        answers = json.loads(run(tacet, "predict", model, folder / "new.csv", "--json"))["predictions"]
        run(tacet, "export", model, "--format", "c", "-o", where / "model.c")
        run(tacet, "verify", model, "--export", where / "model.c", "--quiet")
        check_coefficients(tacet, model)
        expect(len(set(answers)) > 10, "curves predict one number alone")
        for compiler in compilers:
            for k, found in enumerate(c_answers(where, compiler, "number", new, names)):
                expect(found == [answers[k]], f"curves in C: {new[k]}: {found}, not {answers[k]}")


def check_coefficients(tacet, model):
    """Their JSON is as docs/formats says."""
    printed = run(tacet, "export", model, "--format", "coefficients")
    if formats.validators() is not None:
        formats.check("exported-model", formats.parse(printed))


def check_wide(tacet, scratch, new, compilers):
    (scratch / "wide.toml").write_text(WIDE, encoding="utf-8")
    run(tacet, "train", scratch / "train.csv", "--schema", scratch / "wide.toml", "--epsilon", "inf", "--model",
        "wide", "--hidden", "3", "--steps", "5", "--quiet", "--output", scratch / "wide.model")
    check_coefficients(tacet, scratch / "wide.model")
    answers = json.loads(run(tacet, "predict", scratch / "wide.model", scratch / "new.csv", "--json"))
    run(tacet, "export", scratch / "wide.model", "--format", "c", "-o", scratch / "model.c")
    for compiler in compilers:
        found = c_answers(scratch, compiler, "two", new, ["town", "case"])
        expect([answers["classes"][int(one[0])] for one in found] == answers["predictions"],
               "a wide model in C")


def check_compile_time(tacet, scratch, compilers):
    """100,000 coefficients."""
    folder = scratch / "large"
    folder.mkdir()
    (folder / "s.toml").write_text(
        'public_row_count = 2\n[target]\ncolumn = "y"\npositive = ["a"]\nnegative = ["b"]\n'
        + "".join(f'[[column]]\nname = "x{k}"\nkind = "hashed"\nbits = 14\n' for k in range(6)),
        encoding="utf-8")
    head = ",".join([*(f"x{k}" for k in range(6)), "y"])
    (folder / "t.csv").write_text(f"{head}\n1,2,3,4,5,6,a\n1,1,1,1,1,1,b\n", encoding="utf-8")
    run(tacet, "train", folder / "t.csv", "--schema", folder / "s.toml", "--epsilon", "1", "--quiet",
        "--output", folder / "m.json")
    run(tacet, "export", folder / "m.json", "--format", "c", "-o", folder / "model.c")
    for compiler in compilers:
        started = time.monotonic()
        run(compiler, *STRICT, "-O2", "-c", "-o", folder / "model.o", folder / "model.c")
        seconds = time.monotonic() - started
        print(f"{compiler} compiles {6 * 2 ** 14 + 1} coefficients in {seconds:.1f} s")
        expect(seconds < MOST_SECONDS_TO_COMPILE, "100,000 coefficients take too long to compile")


def check_speed(tacet, scratch, compilers):
    data = pathlib.Path(os.environ.get("TACET_DATA", "/nowhere")) / "adult"
    if not (data / "adult.train.csv.gz").is_file():
        print("without Adult below TACET_DATA its speed is not measured")
        return
    folder = scratch / "adult"
    folder.mkdir()
    schema = pathlib.Path(__file__).resolve().parents[1] / "data" / "schemas" / "adult.toml"
    run(tacet, "train", data / "adult.train.csv.gz", "--schema", schema, "--epsilon", "1", "--quiet",
        "--output", folder / "m.json")
    run(tacet, "export", folder / "m.json", "--format", "c", "-o", folder / "model.c")
    with gzip.open(data / "adult.test.csv.gz", "rt", encoding="utf-8") as file:
        rows = [list(row.values())[:-1] for row in csv.DictReader(file)]
    # Numbers are written without quotes; no text of the set has one.
    lines = ["{" + ", ".join(one if one.isdigit() else f'"{one}"' for one in row) + "}" for row in rows]
    (folder / "main.c").write_text(SPEED % ",\n".join(lines), encoding="utf-8")
    for compiler in compilers:
        run(compiler, *STRICT, "-O2", "-o", folder / "scored", folder / "main.c", folder / "model.c", "-lm")
        times = []
        for _ in range(3):
            started = time.monotonic()
            run(folder / "scored")
            times.append(time.monotonic() - started)
        print(f"C of {compiler} scores a million records of Adult in {min(times):.2f} s")
        expect(min(times) < MOST_SECONDS_TO_SCORE, "a million records of Adult take too long")


def macros(compiler, headers):
    """Names that the headers define without arguments, but for those that no struct may have anyway."""
    done = subprocess.run([compiler, "-std=c99", "-dM", "-E", "-x", "c", "-"], input=headers, check=True,
                          stdout=subprocess.PIPE, text=True)
    return {line.split()[1] for line in done.stdout.splitlines() if re.match(r"#define [A-Za-z]\w* ", line)}


def check_macros(tacet, scratch, compilers):
    """Columns with the names of macros do no harm behind any header of C99."""
    folder = scratch / "macros"
    folder.mkdir()
    headers = "".join(f"#include <{name}.h>\n" for name in HEADERS)
    names = sorted(set().union(*(macros(compiler, headers) for compiler in compilers)))
    expect({"EOF", "I", "complex", "ERANGE", "PRIXMAX", "SIGINT"} <= set(names), f"few macros: {names}")
    columns = [f'[[column]]\nname = "{name}"\nkind = "numeric"\nlower = 0\nupper = 1\n' for name in names]
    (folder / "s.toml").write_text('public_row_count = 2\n[target]\ncolumn = "y"\nlower = 0\nupper = 1\n'
                                   + "".join(columns), encoding="utf-8")
    rows = [",".join([digit] * (len(names) + 1)) for digit in "01"]
    (folder / "t.csv").write_text("\n".join([",".join([*names, "y"]), *rows, ""]), encoding="utf-8")
    run(tacet, "train", folder / "t.csv", "--schema", folder / "s.toml", "--epsilon", "inf", "--quiet",
        "--output", folder / "m.json")
    run(tacet, "export", folder / "m.json", "--format", "c", "-o", folder / "model.c")
    (folder / "behind.c").write_text(headers + '#include "model.c"\n', encoding="utf-8")
    for compiler in compilers:
        run(compiler, *STRICT, "-fsyntax-only", folder / "behind.c")


def check_constant(tacet, scratch, compilers):
    """A model that reads no column, as too few records for the budget leave it."""
    folder = scratch / "constant"
    folder.mkdir()
    (folder / "s.toml").write_text(
        'public_row_count = 2\n[target]\ncolumn = "y"\nlower = 0\nupper = 1\n'
        + "".join(f'[[column]]\nname = "x{k}"\nkind = "numeric"\nlower = 0\nupper = 1\n' for k in range(100)),
        encoding="utf-8")
    rows = [",".join([digit] * 101) for digit in "01"]
    (folder / "t.csv").write_text("\n".join([",".join([*(f"x{k}" for k in range(100)), "y"]), *rows, ""]),
                                  encoding="utf-8")
    model = folder / "m.json"
    run(tacet, "train", folder / "t.csv", "--schema", folder / "s.toml", "--epsilon", ".1", "--quiet",
        "--output", model)
    expect(not json.loads(model.read_text(encoding="utf-8"))["schema"]["column"], "the model reads columns")
    expected, = set(json.loads(run(tacet, "predict", model, folder / "t.csv", "--json"))["predictions"])
    run(tacet, "export", model, "--format", "c", "-o", folder / "model.c")
    (folder / "main.c").write_text(
        '#define TACET_DECLARATIONS_ONLY\n#include "model.c"\n#include <stdio.h>\nint main(void)\n'
        '{\n  struct tacet_record record = {0};\n  printf("%.17g", tacet_predict(&record));\n  return 0;\n}\n',
        encoding="utf-8")
    for compiler in compilers:
        run(compiler, *STRICT, "-o", folder / "scored", folder / "main.c", folder / "model.c", "-lm")
        found = subprocess.run([folder / "scored"], check=True, stdout=subprocess.PIPE, text=True).stdout
        expect(float(found) == expected, f"a constant in C: {found}, not {expected}")
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE records (x0 REAL)")
    database.execute("INSERT INTO records VALUES (NULL)")
    row, = database.execute(run(tacet, "export", model, "--format", "sql"))
    found = row[0]
    expect(math.isclose(found, expected, rel_tol=1e-12), f"a constant in SQL: {found}, not {expected}")


def check_kind(tacet, scratch, kind, scaling, new, compilers):
    folder = scratch / f"{kind}_{scaling}"
    folder.mkdir()
    text = SCHEMA.format(target=TARGETS[kind], scaling=f'row_scaling = "{scaling}"')
    (folder / "s.toml").write_text(text, encoding="utf-8")
    model = folder / "m.json"
    run(tacet, "train", scratch / "train.csv", "--schema", folder / "s.toml", "--epsilon", "inf",
        "--quiet", "--output", model)
    answers = json.loads(run(tacet, "predict", model, scratch / "new.csv", "--json"))
    if kind != "number":
        probabilities = run(tacet, "predict", model, scratch / "new.csv", "--json", "--proba")
        answers["probabilities"] = json.loads(probabilities)["probabilities"]
    run(tacet, "export", model, "--format", "c", "-o", folder / "model.c")
    query = run(tacet, "export", model, "--format", "sql", "--table", "people", "--keep", "id")
    for compiler in compilers:
        for k, found in enumerate(c_answers(folder, compiler, kind, new)):
            if kind == "number":
                expect(found == [answers["predictions"][k]], f"{kind} in C: {new[k]}: {found}")
                continue
            expect(answers["classes"][int(found[0])] == answers["predictions"][k],
                   f"{kind} in C: {new[k]}: {found}")
            near = all(math.isclose(one, other, rel_tol=1e-14)
                       for one, other in zip(found[1:], answers["probabilities"][k]))
            expect(near, f"{kind} in C: {new[k]}: {found}, not {answers['probabilities'][k]}")
    compare_sql(kind, query, new, answers)
    check_coefficients(tacet, model)


def main():
    many = sys.argv[1] == "--many"
    part, words = (sys.argv[2], sys.argv[3:]) if many else (None, sys.argv[1:])
    tacet, scratch, compilers = words[0], pathlib.Path(words[1]), words[2:]
    kinds = {f"{kind}_{scaling}": (kind, scaling) for kind in TARGETS for scaling in ("clip1", "const")}
    known = [*kinds, "wide", "curves", "speed"]
    expect(part in [None, *known], f"--many takes one of {', '.join(known)}, not {part}")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    train, new = list(records(400, 1)), list(records(MANY if many else FEW, 2))
    write_csv(scratch / "train.csv", train)
    write_csv(scratch / "new.csv", new)
    for name, (kind, scaling) in kinds.items():
        if part in (None, name):
            check_kind(tacet, scratch, kind, scaling, new, compilers)
    if part in (None, "wide"):
        check_wide(tacet, scratch, new, compilers)
    if part in (None, "curves"):
        curved = new[:MANY_OF_CURVES if many else FEW_OF_CURVES]
        check_curves(tacet, scratch, scratch / "train.csv", curved, compilers)
    if part is None:
        check_macros(tacet, scratch, compilers)
        check_constant(tacet, scratch, compilers)
    if part == "speed":
        check_compile_time(tacet, scratch, compilers)
        check_speed(tacet, scratch, compilers)
    print(f"{part or 'few of all'}, by {len(compilers)} compilers: as the program")


if __name__ == "__main__":
    main()
