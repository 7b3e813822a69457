#!/usr/bin/env python3
"""Compares the server's throughput with that of another tree, in turns.

    bench/local/local_against.py BUILD OTHER [ROUNDS [MODE...]]

BUILD and OTHER are folders of the preset `bench`, with local_load built in both. Each of ROUNDS (5)
runs every mode with the one and then with the other, and every second round the other way round, so
that what else the machine does meets both. It may be measured in pieces: rounds of the same two programs
are added to those that build/results has. A ratio is BUILD's reports per second over OTHER's; that
of processor time is OTHER's microseconds a report over BUILD's. Both are medians over the rounds'
own ratios: 1 is as fast, more is faster. Replaces the section `against` of
bench/local/tables/service.md. Exit code 1 where a median ratio is below 0.95.
"""

import json
import pathlib
import statistics
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import local_service  # noqa: E402
from common import tables  # noqa: E402

BAR = 0.95
# Arguments of local_load; what is compared, and whether more of it is better.
MODES = [(["writer", "60000"], [("writer_cpu_microseconds", False)]),
         (["kept", "40000"], [("reports_per_second", True), ("server_cpu_microseconds", False)]),
         (["tls", "40000"], [("reports_per_second", True), ("server_cpu_microseconds", False)]),
         (["fresh", "8000", "64"],
          [("reports_per_second", True), ("server_cpu_microseconds", False)])]


def commit_of(build):
    """Of the tree that a build lies in."""
    return subprocess.run(["git", "-C", str(build), "rev-parse", "--short=8", "HEAD"],
                          capture_output=True, text=True, check=True).stdout.strip()


def one(build, arguments):
    rows, good = local_service.rows_of([local_service.program(build, "local_load"), *arguments])
    if not good:
        sys.exit(f"{build}: local_load {' '.join(arguments)} failed")
    return rows[0]


def kept_rounds(builds):
    """{mode: [(row of BUILD, row of OTHER), ...]} of these programs, as far as they have run."""
    name = [f"{path} {path.stat().st_mtime_ns}"
            for path in (local_service.program(build, "local_load") for build in builds)]
    path = tables.raw("local/service_against")
    found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found if isinstance(found, dict) and found.get("programs") == name else {
        "programs": name, "modes": {}}


def measure(builds, rounds, modes, kept):
    for _ in range(rounds):
        for arguments, _ in MODES:
            if arguments[0] not in modes:
                continue
            pairs = kept["modes"].setdefault(arguments[0], [])
            order = (0, 1) if len(pairs) % 2 == 0 else (1, 0)
            pair = {which: one(builds[which], arguments) for which in order}
            pairs.append((pair[0], pair[1]))
            tables.save("local/service_against", kept)


def rows(found):
    for arguments, keys in MODES:
        pairs = found.get(arguments[0], [])
        if not pairs:
            continue
        for key, more in keys:
            here, there = ([pair[which][key] for pair in pairs] for which in (0, 1))
            ratios = [a / b if more else b / a for a, b in zip(here, there)]
            yield {"mode": arguments[0], "measure": key.replace("_", " "), "rounds": len(pairs),
                   "this tree": statistics.median(here), "the other": statistics.median(there),
                   "median ratio": round(statistics.median(ratios), 3),
                   "smallest ratio": round(min(ratios), 3),
                   "largest ratio": round(max(ratios), 3),
                   "bar": f"at least {BAR}", "holds": statistics.median(ratios) >= BAR}


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    builds = [pathlib.Path(name).resolve() for name in arguments[:2]]
    kept = kept_rounds(builds)
    measure(builds, int(arguments[2]) if len(arguments) > 2 else 5,
            arguments[3:] or [mode[0] for mode, _ in MODES], kept)
    made = list(rows(kept["modes"]))
    command = f"bench/local/local_against.py BUILD OTHER, where OTHER is {commit_of(builds[1])}"
    tables.keep("local/service", local_service.ABOUT, command, {"against": made})
    return 0 if all(row["holds"] for row in made) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
