"""Devices that take part with one record each, and the server that they trust with nothing.

A device's report is drawn from noise that has no seed, so that its bytes and the model differ from
run to run; everything else that the two sides print, keep and name is compared.
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

import worlds
from observe import marks_in, run

TASK = ("local task --schema two.toml --epsilon 4 --public-row-count 4 --batch-size 2 --delay 0 "
        "--output task.json")
JOIN = ("join http://127.0.0.1:PORT --task task.json --data dataNUMBER.csv --token-file token "
        "--policy policy.toml --state deviceNUMBER")
AFTER = ("local status task.state", "local status task.state --json",
         "local model task.state --anyway --force",
         "local model task.state --anyway --json --force",
         "local replay task.state --verify", "local backup task.state copy.state",
         "local reopen task.state --from 0", "local revoke task.state --token-file token",
         "local close task.state", "local merge task.state copy.state --output merged.state")
COMMANDS = (TASK, JOIN, *AFTER, "local enrol task.json", "serve task.json")
# (pattern, what stands for it): released reports and the model of them, names drawn at random.
MASKS = ((r"\b[0-9a-f]{16,64}\b", "NAME"), (r"127\.0\.0\.1:\d+", "ADDRESS"),
         (r"[+-]?\d+\.\d+(e[+-]?\d+)?", "#"), (r"\d{4}-\d\d-\d\d[T ][\d:]+Z?", "TIME"),
         (r"\b\d+(\.\d+)? (ms|s|bytes)\b", "TIME"), (r" +", " "),
         (r"^Coefficients\n(?:.+\n)*", "Coefficients\n"))


class Server:
    """`tacet serve` on a port that the system gives."""

    def __init__(self, program, folder, temporary):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with open(folder / "said", "wb") as said:
            self.process = subprocess.Popen(
                [program, "serve", "task.json", "--state", "task.state", "--listen",
                 f"127.0.0.1:{self.port}"], cwd=folder, stdout=subprocess.DEVNULL, stderr=said,
                env={"PATH": os.environ.get("PATH", ""), "TMPDIR": str(temporary)})
        for _ in range(2000):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.005)
        raise RuntimeError("the server does not come up")

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


def observe(program, folder, record):
    """[(words, observation)] of a task in which a device with this record takes part."""
    made = pathlib.Path(tempfile.mkdtemp(dir=folder))
    here, temporary = made / "here", made / "tmp"
    here.mkdir()
    temporary.mkdir()
    worlds.write_public(here)
    out = []

    def step(words):
        seen = run(program, words.split(), here, temporary)
        seen.files = {name: content for name, content in seen.files.items()
                      if not name.endswith(".csv")}
        out.append((words.replace(str(port), "PORT"), seen))
        return seen

    port = "PORT"
    step(TASK)
    tokens = step("local enrol task.json --state task.state --count 4").stdout.decode().split()
    server = Server(program, here, temporary)
    port = server.port
    try:
        # The last record is none, by a fault in the same place of its line.
        flat = ",".join(["1"] * 10)
        for number, line in enumerate((record, worlds.OTHER, f"{flat},{worlds.MARK}")):
            (here / f"data{number}.csv").write_text(f"{worlds.HEAD}\n{line}\n", encoding="utf-8")
            (here / "token").write_text(tokens.pop(), encoding="utf-8")
            step(JOIN.replace("PORT", str(port)).replace("NUMBER", str(number)))
    finally:
        server.stop()
    for words in AFTER:
        step(words)
    shutil.rmtree(made)
    return out


def compared(seen):
    texts = []
    for text in (seen.stdout, seen.stderr):
        text = text.decode("utf-8", "replace")
        for pattern, stands in MASKS:
            text = re.sub(pattern, stands, text, flags=re.MULTILINE)
        texts.append(text)
    return {"exit code": seen.exit, "standard output": texts[0], "standard error": texts[1],
            "names of files": sorted(seen.files)}


def check(program, folder):
    faults = []
    first = observe(program, folder, worlds.OTHER.replace("other", "first"))
    other = observe(program, folder, worlds.HOSTILE)
    for (words, one), (_, two) in zip(first, other):
        for seen in (one, two):
            faults += [f"{words}: a marked value stands in {place}" for place in marks_in(seen)]
            if seen.temporary:
                faults.append(f"{words}: files are made in TMPDIR: {seen.temporary}")
        left, right = compared(one), compared(two)
        faults += [f"{words}: {what} tells one record from another:\n    {left[what]}\n    "
                   f"{right[what]}" for what in left if left[what] != right[what]]
    joined = [seen for words, seen in first if words.startswith("join ")]
    if [seen.exit for seen in joined] != [0, 0, 3]:
        faults += [f"a device ends with {seen.exit}: {seen.stderr.decode()}" for seen in joined]
    return faults
