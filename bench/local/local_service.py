#!/usr/bin/env python3
"""Measures the service of local learning, and judges it by its bars.

    bench/local/local_service.py BUILD DATA PART...

BUILD is a folder of the preset `bench`, DATA one with adult/ (see local_serve.py). PARTs: `load`
(speed, delay, memory: bench/local_load), `core` (processor time a report), `shards` (one server and
four shards in turns, a task of one round), `hostile` (clients that mean harm beside honest ones:
bench/local_hostile), `people` (all devices of Adult; then one in a hundred lies, with and without
the robust mode). Each replaces its
section of bench/local/tables/service.md. Wants two cores that have nothing else to do. Exit code 1
where a bar is missed.
"""

import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ABOUT = """The server of local learning: load, hostile clients, people

Measure `load` on two cores with nothing else to do. `hostile`, `people` and `shards` ran at the
highest priority (nice -20) beside other jobs: a rate may be below, a delay above what a quiet machine
gives. `shards` compares two ways in turns; its medians are of five runs each. `against` compares two trees
in turns, beside other jobs, so that its ratios say more than its rates."""

# Arguments of local_load; then (key, at least, at most).
LOAD = [
    (["writer", "60000"], [("reports_per_cpu_second", 15000, None)]),
    (["kept", "60000"], [("reports_per_second", 8000, None)]),
    (["tls", "60000"], [("reports_per_second", 7000, None)]),
    (["fresh", "15000", "64"], [("reports_per_second", 1500, None)]),
    (["paced", "75000", "256", "5000"], [("p99_ms", None, 50)]),
    (["held", "8000"], [("server_megabytes", None, 100)]),
    (["held-tls", "8000"], []),
]
# JOINS, LIARS in a thousand, GROUPS of local_serve.py.
PEOPLE = [("100", "0", "0"), ("0", "10", "0"), ("0", "10", "4"), ("0", "0", "4")]


def program(build, name):
    """Where this build has it: tests build some of them too."""
    return next(path for path in (build / "bench" / name, build / "tests" / name) if path.exists())


def rows_of(command):
    """Its rows, and whether it was content."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False)
    sys.stderr.write(done.stderr)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for row in rows:
        print(json.dumps(row), flush=True)
    return rows, done.returncode == 0 and bool(rows)


def judged(row, bars):
    """The row with its bar, and whether that holds."""
    good = True
    for key, least, most in bars:
        row["bar"] = f"{key} {'at least' if least else 'at most'} {least or most}"
        row["holds"] = row[key] >= least if least else row[key] <= most
        good = good and row["holds"]
    return good


def load(build, _):
    for arguments, bars in LOAD:
        rows, good = rows_of([program(build, "local_load"), *arguments])
        yield rows, all([judged(row, bars) for row in rows]) and good


def core(build, _):
    """Processor time a report, the medians of three runs: other jobs change it little."""
    for arguments, key in ((["writer", "20000"], "writer_cpu_microseconds"),
                           (["kept", "10000"], "server_cpu_microseconds"),
                           (["tls", "10000"], "server_cpu_microseconds")):
        runs = [rows_of([program(build, "local_load"), *arguments]) for _ in range(3)]
        rows = sorted((row for found, _ in runs for row in found), key=lambda row: row[key])
        row = rows[len(rows) // 2]
        yield ([{"mode": row["mode"], "reports": row["reports"], "cpu_microseconds": row[key],
                 "reports_per_cpu_second": round(1e6 / row[key])}], all(well for _, well in runs))


def shards(build, _):
    """Five runs of each, in turns; the medians, and what four servers have of one's reports."""
    runs, good = {"one": [], "shards": []}, True
    for _ in range(5):
        for mode, rows in runs.items():
            found, well = rows_of([program(build, "local_load"), mode, "40000"])
            rows += found
            good = good and well
    median = {mode: sorted(rows, key=lambda row: row["reports_per_second"])[len(rows) // 2]
              for mode, rows in runs.items()}
    share = round(median["shards"]["reports_per_second"] / median["one"]["reports_per_second"], 2)
    median["shards"]["share_of_one"] = share
    yield list(median.values()), good and judged(median["shards"], [("share_of_one", 0.95, None)])


def hostile(build, _):
    yield rows_of([program(build, "local_hostile"), "all"])


def people(build, data):
    for arguments in PEOPLE:
        yield rows_of([HERE / "local_serve.py", build / "tacet", program(build, "local_devices"),
                       data, *arguments])


def main(arguments):
    parts = {"load": load, "core": core, "shards": shards, "hostile": hostile, "people": people}
    if len(arguments) < 3 or any(part not in parts for part in arguments[2:]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    good = True
    for part in arguments[2:]:
        found = []
        for rows, well in parts[part](pathlib.Path(arguments[0]).resolve(), arguments[1]):
            found += rows
            good = good and well
        tables.save(f"local/service_{part}", found)
        for row in found:
            if "counters" in row:
                row["counters"] = ", ".join(f"{name} {n}" for name, n in row["counters"].items())
        tables.keep("local/service", ABOUT, f"bench/local/local_service.py BUILD DATA {part}",
                    {part: found})
    print("every bar holds" if good else "A BAR IS MISSED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
