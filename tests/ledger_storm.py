#!/usr/bin/env python3
"""Kills the program at random moments while it trains with a ledger, and looks at what is left.

    ledger_storm.py PROGRAM SOURCE KILLS

Every model that exists is whole and booked, once; nothing usable lies under another name; the
ledger is sound, and every run that was booked counts in full. Moments are drawn from a fixed seed;
what a run does meanwhile is up to the machine.
"""

import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position

SETTINGS = ["--epsilon", "0.001", "--delta", "1e-6", "--steps", "20", "--quiet"]


def run(program, *arguments, **more):
    done = subprocess.run([program, *arguments], check=True, capture_output=True, text=True, **more)
    formats.expect_printed(arguments, done.stdout)
    return done


def train(program, folder, output):
    command = [program, "train", "people.csv", "--schema", "people.toml", *SETTINGS, "--ledger",
               "budget.ledger", "--output", output]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def duration(program, folder):
    """Seconds of a whole run."""
    start = time.monotonic()
    for i in range(3):
        if train(program, folder, f"whole{i}.json").wait() != 0:
            raise RuntimeError("a training that nobody disturbs fails")
    return (time.monotonic() - start) / 3


def storm(program, source, kills):
    with tempfile.TemporaryDirectory(prefix="tacet-storm-") as name:
        folder = pathlib.Path(name)
        for file in ("people.csv", "people.toml"):
            shutil.copy(source / "tests/cli/shared" / file, folder)
        run(program, "ledger", "init", "budget.ledger", "--data-set", "people", "--data",
            "people.csv", "--epsilon", "1000", "--delta", "0.5", cwd=folder)
        whole = duration(program, folder)
        moments = random.Random(20260101)
        killed = 0
        for i in range(kills):
            process = train(program, folder, f"model{i}.json")
            time.sleep(moments.random() * whole * 1.6)
            process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
        return look(program, folder, killed)


def look(program, folder, killed):
    verdict = run(program, "ledger", "verify", "budget.ledger", cwd=folder).stdout
    report = run(program, "ledger", "show", "budget.ledger", "--json", cwd=folder).stdout
    account = json.loads(report)["accounts"][0]
    booked = [one["output_sha256"] for one in account["runs"] if one["state"] == "committed"]
    models = list(folder.glob("*.json"))
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in models]
    states = [one["state"] for one in account["runs"]]
    faults = []
    if len(set(booked)) != len(booked):
        faults.append("an output was booked twice")
    if not set(hashes) <= set(booked):
        faults.append("a model exists that is not booked")
    # A booking that was cut off left its journal, and perhaps a second name of the marks; the next
    # one that writes takes them away.
    run(program, "ledger", "cap", "budget.ledger", "--epsilon", "1000", "--delta", "0.5", cwd=folder)
    known = {"people.csv", "people.toml", "budget.ledger", ".tacet-ledgers"}
    others = [name for name in os.listdir(folder) if name not in known and
              not name.endswith(".json")]
    if others:
        faults.append(f"left behind: {others}")
    counted = account["spent"]["value"]
    if abs(counted - 0.001 * len(states)) > 1e-9:
        faults.append(f"{len(states)} runs count {counted}")
    print(f"{killed} runs killed, {len(models)} models, {states.count('committed')} runs committed, "
          f"{states.count('reserved')} reserved; {verdict.strip()}")
    return faults


def main(arguments):
    if len(arguments) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    faults = storm(str(pathlib.Path(arguments[0]).resolve()), pathlib.Path(arguments[1]).resolve(),
                   int(arguments[2]))
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
