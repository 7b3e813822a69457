#!/usr/bin/env python3
"""Kills the program at random moments while its encoded records lie in a spool: nothing stays.

    spool_storm.py PROGRAM KILLS

After each kill the folder of the spool is empty; after a hundred the disk has its room back. In the
end the ledger holds what it holds after kills of runs in memory: every run that was booked counts in
full, and no other one. Moments are drawn from a fixed seed; what a run does meanwhile is up to the machine.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position

COLUMNS, ROWS = 40, 60_000
BYTES_OF_RUN = ROWS * (2 * (COLUMNS + 1) + 16)  # encoded, with the constant, labels and norms


def write_records(folder):
    draw = random.Random(1)
    lines = [",".join(str(draw.randrange(10)) for _ in range(COLUMNS)) for _ in range(500)]
    with open(folder / "t.csv", "w", encoding="ascii") as out:
        out.write(",".join(f"x{k}" for k in range(COLUMNS)) + ",y\n")
        for k in range(ROWS):
            out.write(f"{lines[k % 500]},{k % 2}\n")
    names = ", ".join(f'"x{k}"' for k in range(COLUMNS))
    (folder / "s.toml").write_text(
        f'public_row_count = {ROWS}\n[target]\ncolumn = "y"\npositive = "1"\nnegative = "0"\n'
        f'[[column]]\nnames = [{names}]\nkind = "numeric"\nlower = 0\nupper = 9\n')


class Storm:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.spool = folder / "spool"
        self.spool.mkdir()
        write_records(folder)
        subprocess.run([program, "ledger", "init", "l.db", "--data-set", "people", "--data",
                        "t.csv", "--epsilon", "1000", "--delta", "0.5", "--quiet"], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)

    def train(self, output, *more):
        return subprocess.Popen(
            [self.program, "train", "t.csv", "--schema", "s.toml", "--epsilon", "0.001", "--delta",
             "1e-6", "--method", "gradient", "--steps", "40", "--ledger", "l.db", "--quiet",
             "--output", output, *more], cwd=self.folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def free(self):
        found = os.statvfs(self.spool)
        return found.f_bfree * found.f_frsize

    def account(self):
        words = ("ledger", "show", "l.db", "--data-set", "people", "--json")
        shown = subprocess.run([self.program, *words], cwd=self.folder, check=True, capture_output=True,
                               text=True).stdout
        formats.expect_printed(words, shown)
        return json.loads(shown)["accounts"][0]

    def whole(self):
        begun = time.monotonic()
        if self.train("whole.json", "--spool", "spool").wait() != 0:
            raise RuntimeError("a training that nobody disturbs fails")
        return time.monotonic() - begun

    def kill(self, moment, output, *more):
        process = self.train(output, *more)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL


def main(program, kills):
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as name:
        storm = Storm(program, pathlib.Path(name))
        whole = storm.whole()
        moments = random.Random(20260202)
        before = storm.free()
        killed = 0
        for k in range(kills):
            killed += storm.kill(moments.random() * whole * 1.1, f"m{k}.json", "--spool", "spool")
            left = list(storm.spool.iterdir())
            assert not left, f"kill {k} left {left}"
        # Other programs write to the disk, too: half of what all runs together have held.
        if kills >= 100:
            assert storm.free() > before - kills * BYTES_OF_RUN // 2, "the disk has less room"
        account = storm.account()
        states = [run["state"] for run in account["runs"]]
        models = [k for k in range(kills) if (storm.folder / f"m{k}.json").exists()]
        assert set(states) <= {"committed", "reserved"}, set(states)
        assert states.count("committed") >= 1 + len(models), (states, models)
        assert abs(account["spent"]["value"] - 0.001 * len(states)) < 1e-9, account["spent"]
        assert killed >= kills // 4, f"only {killed} of {kills} runs were killed while they ran"
        subprocess.run([program, "ledger", "verify", "l.db"], cwd=storm.folder, check=True,
                       stdout=subprocess.DEVNULL)
        print(f"{killed} of {kills} killed while they ran, {len(models)} models;",
              "the folder is empty")


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2]))
