#!/usr/bin/env python3
"""The server of local learning as its operator and its devices see it, all of them real processes.

    local_service.py PROGRAM SOURCE

Tokens that are enrolled while it runs and taken up at SIGHUP; what /metrics counts; sixty-four
processes that share a device's folder; marked records and tokens, which appear nowhere but in the
device's own files; states that cannot be served.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from local_storm import POLICY, Server, prepare, run

CANARY = "canary7f3a"
CROWD = 64

class WatchedServer(Server):
    """One with metrics and a log."""

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "task.json", "--state", "task.state", "--listen",
             f"127.0.0.1:{self.port}", "--admin", "127.0.0.1:0", "--requests-a-second", "1000"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=open(self.folder / "said", "wb"))
        self.wait_until_open()
        self.admin = None
        for _ in range(500):
            found = re.search(r"status at http://(\S+)", (self.folder / "said").read_text())
            if found:
                self.admin = found.group(1)
                return
            time.sleep(0.01)
        raise RuntimeError("the server does not say where its metrics are")

    def read(self, path):
        with urllib.request.urlopen(f"http://{self.admin}{path}") as answer:
            return answer.read().decode()

    def metric(self, name):
        return float(re.search(rf"^tacet_{re.escape(name)} (\S+)$", self.read("/metrics"),
                               re.MULTILINE).group(1))

def join(program, server, folder, device, token, *more):
    """A device's process; its record has a mark in every field."""
    record = folder / f"{device}.csv"
    if not record.exists():
        record.write_text(f"age,town,bought\n{CANARY}1,{CANARY}2,yes\n")
        (folder / f"{device}.token").write_text(token)
    return subprocess.Popen(
        [program, "join", f"http://127.0.0.1:{server.port}", "--task", "task.json", "--data",
         record.name, "--token-file", f"{device}.token", "--policy", "policy.toml", "--state",
         device, *more], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

def check_tokens_and_metrics(program, server, folder, faults):
    late = run(program, "local", "enrol", "task.json", "--state", "task.state", "--count", "1",
               cwd=folder).strip()
    first = join(program, server, folder, "early", late)
    if b"unknown_token" not in first.communicate()[0] or first.returncode != 7:
        faults.append("a token that the server has not read is taken")
    server.process.send_signal(signal.SIGHUP)
    for _ in range(200):
        again = join(program, server, folder, "early", late)
        said = again.communicate()[0]
        if again.returncode == 0:
            break
        time.sleep(0.02)
    else:
        faults.append(f"SIGHUP does not bring a new token: {said}")
    for name, least in [("reports_accepted", 1), ('answers_total{reason="counted"}', 1),
                        ('answers_total{reason="slot"}', 1),
                        ('answers_total{reason="unknown_token"}', 1), ("ready", 1),
                        ("connections_total", 3), ("bytes_in_total", 100),
                        ("request_seconds_count", 2), ("commit_seconds_count", 1)]:
        if server.metric(name) < least:
            faults.append(f"/metrics: {name} is {server.metric(name)}")
    if server.metric('answers_total{reason="wrong_checksum"}') != 0:
        faults.append("/metrics counts what nobody sent")
    if server.read("/health") != "alive\n" or server.read("/ready") != "ready\n":
        faults.append("/health or /ready")
    if "<script" in server.read("/"):
        faults.append("the page has a script")
    try:
        server.read("/v1/task")
        faults.append("the task is at the operator's address")
    except urllib.error.HTTPError as error:
        if error.code != 404:
            faults.append(f"the operator's address answers {error.code}")

def check_crowd(program, server, folder, token, faults):
    before = server.metric("reports_accepted")
    crowd = [join(program, server, folder, "together", token) for _ in range(CROWD)]
    failed = sum(process.wait() != 0 for process in crowd)
    if failed or server.metric("reports_accepted") != before + 1:
        faults.append(f"{CROWD} processes, one folder: {failed} fail, "
                      f"{server.metric('reports_accepted') - before} reports")
    books = json.loads(run(program, "ledger", "show", "together/device.ledger", "--json",
                           cwd=folder))
    if books["accounts"][0]["spent"]["value"] != 4:
        faults.append("a folder that is shared books twice")

def check_marks(program, server, folder, tokens, faults):
    said = b""
    for number, token in enumerate(tokens):
        process = join(program, server, folder, f"marked{number}", token)
        said += process.communicate()[0]
        if process.returncode != 0:
            faults.append(f"a marked record is refused: {said.decode()}")
    (folder / "broken.csv").write_text(f"age,town\n{CANARY}1,{CANARY}2\n")
    said += join(program, server, folder, "broken", tokens[0]).communicate()[0]
    places = {"what devices say": said, "the log": (folder / "said").read_bytes(),
              "metrics": server.read("/metrics").encode(), "the page": server.read("/").encode()}
    for file in folder.glob("task.state*"):
        places[file.name] = file.read_bytes()
    for file in folder.glob("*/*"):
        if file.is_file():
            places[str(file)] = file.read_bytes()
    for place, text in places.items():
        if CANARY.encode() in text:
            faults.append(f"a record's values stand in {place}")
        for token in tokens:
            if token.encode() in text or bytes.fromhex(token) in text:
                faults.append(f"a token stands in {place}")

def refuses(program, folder, state, words, code, faults):
    """A state that cannot be served, whose file stays what it was."""
    before = (folder / state).read_bytes()
    done = subprocess.run([program, "serve", "task.json", "--state", state, "--listen",
                           "127.0.0.1:0", "--quiet"], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=20)
    if done.returncode != code or words not in done.stderr or len(done.stderr.splitlines()) != 1:
        faults.append(f"{state}: exit code {done.returncode}, {done.stderr}")
    if (folder / state).read_bytes() != before:
        faults.append(f"{state} was changed")

def check_states(program, server, folder, faults):
    refuses(program, folder, "task.state", f"served by process {server.process.pid}", 7, faults)
    if server.stop() != 0:
        faults.append("SIGTERM does not end the server well")
    whole = (folder / "task.state").read_bytes()
    for share in (0.3, 0.7, 0.99):
        (folder / "cut.state").write_bytes(whole[:int(len(whole) * share)])
        refuses(program, folder, "cut.state", "cut.state", 3, faults)
    (folder / "edited.state").write_bytes(whole)
    with contextlib.closing(sqlite3.connect(folder / "edited.state")) as state, state:
        state.execute("UPDATE frames SET frame = zeroblob(length(frame)) WHERE sequence = 2")
    refuses(program, folder, "edited.state", "edited.state", 3, faults)
    if os.geteuid() != 0:  # whom no mode keeps from writing
        shutil.copy(folder / "task.state", folder / "read.state")
        (folder / "read.state").chmod(0o400)
        refuses(program, folder, "read.state", "read.state", 7, faults)

def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, source = str(pathlib.Path(arguments[0]).resolve()), pathlib.Path(arguments[1]).resolve()
    faults = []
    with tempfile.TemporaryDirectory(prefix="tacet-service-") as name:
        folder = pathlib.Path(name)
        _, _, tokens = prepare(program, source, folder, 32)
        (folder / "policy.toml").write_text(POLICY)
        server = WatchedServer(program, folder)
        server.start()
        try:
            check_tokens_and_metrics(program, server, folder, faults)
            check_crowd(program, server, folder, tokens.pop(), faults)
            check_marks(program, server, folder, tokens[:3], faults)
            check_states(program, server, folder, faults)
        finally:
            server.process.kill()
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
