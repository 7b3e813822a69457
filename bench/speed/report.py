#!/usr/bin/env python3
"""How long a report takes, how large it is, and what memory it needs.

    TACET_DATA=FOLDER bench/speed/report.py [--program FILE] [--runs N] [--ledger FILE]

Three subjects: the model of Adult, a model of 2^20 coefficients, and an account of 10,000 runs. The runs
are real ones, of `tacet quantile`, and take half an hour; --ledger takes an account that an earlier call
left behind. Bars: Adult's page at most 400 kB and 1 s; the others 2 MB, 5 s and 200 MB. The table is
bench/speed/tables/report.md.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABOUT = """Reports: time, size and memory

Elapsed seconds (the median of three) of `tacet report`, the size of its page, and the most memory that the
process held."""
SCHEMA = """public_row_count = 40
[target]
column = "bought"
positive = "yes"
negative = "no"
[[column]]
name = "town"
kind = "hashed"
bits = 20
"""


def peak_of(words, folder):
    """Seconds and megabytes of one process."""
    start = time.perf_counter()
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, str(folder / "errors"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)])
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"report.py: {words} ended with {status}: {(folder / 'errors').read_text()}")
    return time.perf_counter() - start, used.ru_maxrss / 1000


def account(program, folder, runs):
    """A ledger of so many runs; their order is that of an account in use."""
    def tacet(*words):
        subprocess.run([program, *words, "--quiet"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    tacet("ledger", "init", "runs.ledger", "--data-set", "people", "--data", "people.csv", "--currency", "zcdp",
          "--cap", "500")
    for _ in range(runs):
        tacet("quantile", "people.csv", "--schema", "people.toml", "--column", "age", "--epsilon", "0.05",
              "--adjacency", "add_remove", "--ledger", "runs.ledger")
    return folder / "runs.ledger"


def measured(name, program, folder, words, bars):
    found = [peak_of([program, "report", *words, "-o", str(folder / "page.html"), "--force", "--quiet"], folder)
             for _ in range(3)]
    seconds = sorted(each[0] for each in found)[1]
    size = (folder / "page.html").stat().st_size / 1e6
    memory = max(each[1] for each in found)
    held = all(value <= bar for value, bar in zip((size, seconds, memory), bars) if bar)
    return {"subject": name, "page, MB": size, "bar, MB": bars[0], "seconds": seconds, "bar, s": bars[1],
            "memory, MB": memory, "bar of memory, MB": bars[2], "holds": held}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/tacet"))
    parser.add_argument("--runs", type=int, default=10000)
    parser.add_argument("--ledger")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as where:
        folder = pathlib.Path(where)
        for name in ("people.csv", "people.toml"):
            (folder / name).write_bytes((ROOT / "tests/cli/shared" / name).read_bytes())
        (folder / "big.toml").write_text(SCHEMA)

        def train(data, schema, output, *words):
            subprocess.run([options.program, "train", str(data), "--schema", str(schema), "--epsilon", "1",
                            "--seed", "1", "--output", str(folder / output), "--quiet", *words], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return str(folder / output)
        adult = pathlib.Path(os.environ.get("TACET_DATA", "")) / "adult/adult.train.csv.gz"
        if adult.exists():
            model = train(adult, ROOT / "data/schemas/adult.toml", "adult.json")
            rows.append(measured("the model of Adult", options.program, folder, [model], (0.4, 1, None)))
        model = train(folder / "people.csv", folder / "big.toml", "big.json", "--method", "output", "--adjacency",
                      "replace_one")
        rows.append(measured("2^20 coefficients", options.program, folder, [model], (2, 5, 200)))
        ledger = options.ledger or account(options.program, folder, options.runs)
        runs = subprocess.run([options.program, "ledger", "show", str(ledger)], check=True, capture_output=True,
                              text=True).stdout.count(" quantile ")
        rows.append(measured(f"an account of {runs} runs", options.program, folder, ["--ledger", str(ledger)],
                             (2, 5, 200)))
    for row in rows:
        print(row)
    tables.save("speed/report", {"reports": rows})
    tables.keep("speed/report", ABOUT, f"bench/speed/report.py --runs {options.runs}", {"Reports": rows})
    return 0 if all(row["holds"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
