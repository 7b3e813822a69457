#!/usr/bin/env python3
"""What systemd says of the server's unit file, where systemd is installed.

    systemd_unit.py PROGRAM SOURCE

The unit is verified with PROGRAM in the place of the installed one; its exposure is below 2.0.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

LEFT_OUT = 77
MOST_EXPOSURE = 20  # tenths


def main(program, source):
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        print("left out: systemd is not installed")
        return LEFT_OUT
    text = (pathlib.Path(source) / "packaging/tacet-serve.service").read_text()
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / "tacet-serve.service"
        unit.write_text(text.replace("/usr/local/bin/tacet", str(pathlib.Path(program).resolve())))
        for command in (["verify", str(unit)],
                        ["security", "--offline=true", f"--threshold={MOST_EXPOSURE}", str(unit)]):
            done = subprocess.run([analyze, *command], capture_output=True, text=True, check=False)
            if done.returncode != 0 or done.stderr:
                print(f"FAILED: systemd-analyze {command[0]}: {done.stdout}{done.stderr}")
                return 1
            print(done.stdout.strip().splitlines()[-1] if done.stdout else "verified")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
