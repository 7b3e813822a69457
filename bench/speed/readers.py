#!/usr/bin/env python3
"""Reading CSV files beside polars and pyarrow: time, processor's time and memory of a process.

    bench/speed/readers.py [--build FOLDER] [--python FILE] [--rounds N]

Two files, from the page cache: 377 MB of numbers (54 columns of six digits and a label) and 200 MB
of census text. tacet reads and encodes them with 1 and with 2 threads, the others read them into
their columns with 2; all in turns, each in a process of its own, medians over the rounds. --python
names an interpreter that has polars and pyarrow; without it they are installed into build/readers.

Exits with code 1 unless, on 2 threads, numbers take no longer than with polars, the census no
longer than with pyarrow, and numbers no more than 160 MB. The result goes to
bench/speed/tables/readers.md.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile


sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin, tables  # noqa: E402

ABOUT = """Reading CSV files beside polars and pyarrow

Medians of the rounds. `tacet` also encodes what it reads to small integers."""
ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = 54
NUMBERS_MB, CENSUS_MB = 377, 200
MAX_MEMORY_MB = 160

OTHERS = {
    "polars": "import polars; table = polars.read_csv(path)",
    "pyarrow": "import pyarrow, pyarrow.csv; pyarrow.set_cpu_count(2); "
               "table = pyarrow.csv.read_csv(path)"}
FRAME = """
import resource, sys, time
path = sys.argv[1]
{imports}
wall, work = time.perf_counter(), time.process_time()
{read}
use = resource.getrusage(resource.RUSAGE_SELF)
rows = table.num_rows if hasattr(table, "num_rows") else table.height
print(time.perf_counter() - wall, time.process_time() - work, use.ru_maxrss / 1e3, rows)
"""


def write(path, head, lines, megabytes):
    """Lines of a pool in random order."""
    generator = random.Random(1)
    with path.open("w", encoding="ascii") as out:
        size = out.write(head)
        while size < megabytes * 1_000_000:
            size += out.write("".join(generator.choices(lines, k=1000)))


def numbers(folder):
    generator = random.Random(2)
    lines = [",".join(f"0.{generator.randrange(100_000, 1_000_000)}" for _ in range(COLUMNS))
             + f",{generator.randrange(2)}\n" for _ in range(20_000)]
    names = [f"x{k}" for k in range(COLUMNS)]
    write(folder / "numbers.csv", ",".join(names) + ",y\n", lines, NUMBERS_MB)
    listed = ", ".join(f'"{name}"' for name in names)
    (folder / "numbers.toml").write_text(
        f'[target]\ncolumn = "y"\npositive = "1"\n[[column]]\nnames = [{listed}]\n'
        'kind = "numeric"\nlower = 0\nupper = 1\n', encoding="ascii")


CENSUS = {"age": 90, "workclass": ["Private", "State-gov", "Federal-gov", "Local-gov"],
          "weight": 1_500_000,
          "education": ["Bachelors", "HS-grad", "Masters", "Some-college", "11th", "Doctorate"],
          "occupation": ["Adm-clerical", "Exec-managerial", "Sales", "Prof-specialty"],
          "gain": 99_999, "hours": 99,
          "country": ["United-States", "Mexico", "Germany", "India", "Philippines"]}


def census(folder):
    generator = random.Random(3)

    def value(rule):
        return generator.choice(rule) if isinstance(rule, list) else str(generator.randrange(rule))

    lines = [",".join(value(rule) for rule in CENSUS.values())
             + generator.choice([",>50K\n", ",<=50K\n"]) for _ in range(50_000)]
    write(folder / "census.csv", ",".join(CENSUS) + ",income\n", lines, CENSUS_MB)
    text = '[target]\ncolumn = "income"\npositive = ">50K"\n'
    for name, rule in CENSUS.items():
        text += f'[[column]]\nname = "{name}"\n'
        text += (f'kind = "categorical"\ncategories = {json.dumps(rule)}\n'
                 if isinstance(rule, list) else f'kind = "numeric"\nlower = 0\nupper = {rule}\n')
    (folder / "census.toml").write_text(text, encoding="ascii")


def interpreter():
    """Python with the other readers, installed on the first use."""
    folder = ROOT / "build" / "readers"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "-q",
                        "polars", "pyarrow"], check=True)
    return python


def commands(options, folder, name):
    found = {f"tacet, {threads}": [options.build / "bench" / "read_bench", folder / f"{name}.csv",
                                   folder / f"{name}.toml", str(threads)] for threads in (1, 2)}
    for other, words in OTHERS.items():
        imports, read = words.rsplit(";", 1)
        program = FRAME.format(imports=imports, read=read.strip())
        found[f"{other}, 2"] = [options.python, "-c", program, folder / f"{name}.csv"]
    return found


def measure(options, folder, name):
    """side -> medians over the rounds."""
    sides = commands(options, folder, name)
    runs = {side: [] for side in sides}
    for number in range(options.rounds + 1):
        for side, command in sides.items():
            run = subprocess.run(command, check=True, capture_output=True, text=True,
                                 env={"POLARS_MAX_THREADS": "2", "PATH": "/usr/bin:/bin"})
            if number > 0:  # the first round fills the cache
                runs[side].append([float(word) for word in run.stdout.split()])
    keys = ("wall_seconds", "processor_seconds", "memory_mb", "records")
    return {side: {key: statistics.median(values) for key, values in zip(keys, zip(*rows))}
            for side, rows in runs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--python", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    options.python = options.python or interpreter()
    result = {}
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        for name, make in (("numbers", numbers), ("census", census)):
            make(folder)
            result[name] = measure(options, folder, name)
            for side, row in result[name].items():
                print(f"{name:8} {side:12} {row['wall_seconds']:7.3f} s "
                      f"{row['processor_seconds']:7.3f} s CPU {row['memory_mb']:8.1f} MB")
            (folder / f"{name}.csv").unlink()
    tables.save("speed/readers", result)
    tables.keep("speed/readers", ABOUT, f"bench/speed/readers.py --rounds {options.rounds}",
                {origin.machine()["cpu"]: [{"file": name, "reader, threads": side, **row}
                                           for name, sides in result.items()
                                           for side, row in sides.items()]})
    numbers_ours, census_ours = result["numbers"]["tacet, 2"], result["census"]["tacet, 2"]
    missed = [text for text, kept in (
        ("numbers take longer than with polars",
         numbers_ours["wall_seconds"] <= result["numbers"]["polars, 2"]["wall_seconds"]),
        ("the census takes longer than with pyarrow",
         census_ours["wall_seconds"] <= result["census"]["pyarrow, 2"]["wall_seconds"]),
        (f"numbers take more than {MAX_MEMORY_MB} MB",
         numbers_ours["memory_mb"] <= MAX_MEMORY_MB)) if not kept]
    sys.exit("bench: " + "; ".join(missed) if missed else 0)


if __name__ == "__main__":
    main()
