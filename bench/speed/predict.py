#!/usr/bin/env python3
"""What one prediction costs: from C and C++, of single records and of many, and by an export in C.

    bench/speed/predict.py [--build FOLDER] [--library FILE]

Two models: of the two columns of the Berkeley admissions, and of the fourteen of the census (Adult), of
made-up people. `tacet_predict_table` does nothing but call `api::Model::predict`, which is the interface in
C++. Each figure is the median of nine rounds of microseconds of processor time per record, on one core.
With the Python package installed where this runs, also `predict` of a frame of one record. --library takes
another libtacet.so, to measure two of them in turns; its table is printed and not kept. The table is
bench/speed/tables/predict.md, which docs/library.md quotes.
"""

import argparse
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import tomllib

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABOUT = """Predictions: microseconds per record

Processor time, the median of nine rounds, on one core. `tacet_predict_table` of C calls `predict` of C++."""
MANY = 1000
ROUNDS = 9
TIMED = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { return 1e6 * (double)clock() / CLOCKS_PER_SEC; }
static int ascending(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}
static double median_of(double *rounds) {
  qsort(rounds, ROUNDS, sizeof *rounds, ascending);
  return rounds[ROUNDS / 2];
}
"""
LIBRARY = """
static tacet_table people(size_t count) {
  tacet_table table;
  if (tacet_table_new(count, &table)) exit(1);
  FILL
  return table;
}
static double of(tacet_model model, size_t count, int calls) {
  static double out[MANY];
  double rounds[ROUNDS];
  for (int k = 0; k < ROUNDS; ++k) {
    const tacet_table table = people(count);
    const double begin = now();
    for (int i = 0; i < calls; ++i) {
      if (tacet_predict_table(model, table, out, count)) exit(1);
    }
    rounds[k] = (now() - begin) / calls / (double)count;
    tacet_free(table);
  }
  return median_of(rounds);
}
int main(int count, char **words) {
  tacet_model model;
  if (count < 2 || tacet_model_load(words[1], &model)) return 1;
  printf("[%g, %g]", of(model, 1, 5000), of(model, MANY, 20));
}
"""
EXPORT = """
int main(void) {
  double rounds[ROUNDS], sum = 0;
  for (int k = 0; k < ROUNDS; ++k) {
    const double begin = now();
    for (int i = 0; i < 200; ++i) {
      for (int j = 0; j < MANY; ++j) {
        double found[TACET_CLASSES];
        tacet_probabilities(&people[j], found);
        sum += found[0];
      }
    }
    rounds[k] = (now() - begin) / 200 / MANY;
  }
  printf("%g", sum < 0 ? -1 : median_of(rounds));
}
"""


def made_up(schema, count):
    """People whose values the schema knows: (name, whether it is a number, values) of each column."""
    draw = random.Random(1)
    columns = []
    for column in schema["column"]:
        number = column["kind"] == "numeric"
        values = [draw.randint(int(column["lower"]), int(column["upper"])) if number
                  else draw.choice(column["categories"]) for _ in range(count)]
        columns.append((column["name"], number, values))
    return columns


def literals(number, values):
    return ", ".join(f"{value}.0" if number else json.dumps(value) for value in values)


def compiled(folder, name, text, *more):
    source = folder / f"{name}.c"
    source.write_text(f"#define MANY {MANY}\n#define ROUNDS {ROUNDS}\n{text}", encoding="utf-8")
    subprocess.run(["cc", "-std=c11", "-O2", str(source), *map(str, more), "-o", str(folder / name), "-lm"],
                   check=True)
    return folder / name


def answer(*words):
    return json.loads(subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout)


def by_python(model, columns):
    """Microseconds of `predict` of a frame of one record; None without the package."""
    try:
        import pandas
        import tacet
    except ImportError:
        return None
    loaded = tacet.load(model)
    frame = pandas.DataFrame({name: values[:1] for name, _, values in columns})
    rounds = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for _ in range(100):
            loaded.predict(frame)
        rounds.append((time.process_time() - begin) / 100 * 1e6)
    return sorted(rounds)[ROUNDS // 2]


def measured(folder, program, library, name):
    path = ROOT / f"data/schemas/{name}.toml"
    schema = tomllib.loads(path.read_text(encoding="utf-8"))
    columns = made_up(schema, MANY)
    labels = [sum((schema["target"].get(side, []) for side in ("positive", "negative")), [])[k % 2]
              if isinstance(schema["target"]["positive"], list)
              else schema["target"][("positive", "negative")[k % 2]] for k in range(MANY)]
    with open(folder / "people.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow([column[0] for column in columns] + [schema["target"]["column"]])
        rows.writerows(zip(*(column[2] for column in columns), labels))
    model = folder / f"{name}.json"
    subprocess.run([program, "train", folder / "people.csv", "--schema", path, "--epsilon", "1", "--method",
                    "gradient", "--public-row-count", str(MANY), "--steps", "20", "--quiet", "--output", model],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([program, "export", model, "--format", "c", "--output", folder / "model.c", "--force", "--quiet"],
                   check=True)
    fill = "\n".join(
        f"{{ static const {'double' if number else 'char *const'} v[] = {{{literals(number, values)}}};\n"
        f"  tacet_table_{'numbers' if number else 'texts'}(table, {json.dumps(column)}, v, count); }}"
        for column, number, values in columns)
    one, many = answer(compiled(
        folder, "library", f'#include "{ROOT}/tacet/capi/tacet.h"\n{TIMED}{LIBRARY.replace("FILL", fill)}',
        library, f"-Wl,-rpath,{library.parent}"), model)
    people = ",\n".join("{" + ", ".join(literals(number, values[k:k + 1]) for _, number, values in columns) + "}"
                        for k in range(MANY))
    exported = answer(compiled(
        folder, "export", f'#include "model.c"\n{TIMED}static const struct tacet_record people[] = {{{people}}};\n{EXPORT}'))
    return {"tacet_predict_table, one record per call": one, f"tacet_predict_table, {MANY} records per call": many,
            "tacet_probabilities of an export in C": exported,
            "Python: predict of a frame of one record": by_python(model, columns)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--library", type=pathlib.Path)
    options = parser.parse_args()
    library = (options.library or options.build / "libtacet.so").absolute()
    with tempfile.TemporaryDirectory() as where:
        found = {f"{columns} columns": measured(pathlib.Path(where), options.build / "tacet", library, name)
                 for columns, name in ((2, "berkeley1973"), (14, "adult"))}
    rows = [{"what": what, **{columns: of[what] for columns, of in found.items()}} for what in found["2 columns"]]
    rows = [row for row in rows if row["2 columns"] is not None]
    print(tables.markdown(rows))
    if not options.library:
        tables.save("speed/predict", {"predictions": rows})
        tables.keep("speed/predict", ABOUT, "bench/speed/predict.py", {"Predictions": rows})


if __name__ == "__main__":
    main()
