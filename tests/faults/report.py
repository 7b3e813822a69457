#!/usr/bin/env python3
"""report.py FOLDER: runs every planted fault below FOLDER; prints fault, test, p-value and runs."""

import pathlib
import subprocess
import sys


def main(folder):
    programs = sorted(path for path in pathlib.Path(folder).glob("fault_*")
                      if path.is_file() and path.name != "fault_tests")
    missed = 0
    for program in programs:
        name = program.name.removeprefix("fault_")
        done = subprocess.run([program, name], text=True, stdout=subprocess.PIPE, check=False)
        print(done.stdout, end="", flush=True)
        missed += done.returncode != 0
    print(f"{len(programs) - missed} of {len(programs)} planted faults were found by the test of their name")
    return 1 if missed or not programs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
