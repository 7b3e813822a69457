"""Runs the demo without large data sets and reads its table.

    demo_test.py PROGRAM

The noise is secure, so the numbers vary. A correct program fails this test less often than once in
10^9 runs: at epsilon 0.5 the effect of sex alone, -0.305, is more than 10 of its noise standard deviations
away from the threshold.
"""

import os
import pathlib
import re
import subprocess
import sys

EXACT = {"sex alone": "-0.305", "sex and department": "+0.050"}


def rows_of(text):
    """(model, epsilon) -> (effect, noise sd, reading)"""
    line = re.compile(r"^(sex alone|sex and department) +(\S+) +([+-]\d+\.\d+) +(\S+) +"
                      r"(women fare worse|women fare better|within the noise) +\d+\.\d%")
    matches = [line.match(row) for row in text.splitlines()]
    return {(match[1], match[2]): match.groups()[2:] for match in matches if match}


def main(program):
    demo = pathlib.Path(__file__).resolve().parent / "demo"
    environment = {key: value for key, value in os.environ.items() if key != "TACET_DATA"}
    run = subprocess.run([sys.executable, str(demo), program], check=False, env=environment,
                         stdout=subprocess.PIPE, text=True)
    print(run.stdout)
    assert run.returncode == 0, f"exit code {run.returncode}"
    rows = rows_of(run.stdout)
    assert len(rows) == 8, f"the table should have 8 rows, found {sorted(rows)}"
    for model, effect in EXACT.items():
        found = rows[model, "unprotected"]
        assert found[:2] == (effect, "-"), f"without privacy the effect is {effect}, got {found}"
    for epsilon in ("0.5", "1", "4"):
        reading = rows["sex alone", epsilon][2]
        assert reading == "women fare worse", f"sex alone at epsilon {epsilon}: {reading}"
    assert "differential privacy" in run.stdout, "the guarantee is missing"


if __name__ == "__main__":
    main(sys.argv[1])
