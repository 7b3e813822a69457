#!/usr/bin/env python3
"""The server of local learning as its operator and its devices see it, all of them real processes.

    local_service.py PROGRAM SOURCE

Tokens that are enrolled while it runs and taken up at SIGHUP; what /metrics counts; sixty-four
processes that share a device's folder; a folder that was copied; marked records and tokens, which
appear nowhere but in the device's own files, nor in the server's memory; what the server tells
systemd; certificates, addresses and states that cannot be served.
"""

import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
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
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(self.folder / "notify"))
        self.manager.settimeout(20)
        self.process = subprocess.Popen(
            [self.program, "serve", "task.json", "--state", "task.state", "--listen",
             f"127.0.0.1:{self.port}", "--admin", "127.0.0.1:0", "--requests-per-second", "1000",
             "--connections-per-second", "1000"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=open(self.folder / "said", "wb"),
            env=dict(os.environ, NOTIFY_SOCKET=str(self.folder / "notify")))
        self.wait_until_open()
        self.admin = None
        for _ in range(500):
            found = re.search(r"status at http://(\S+)", (self.folder / "said").read_text())
            if found:
                self.admin = found.group(1)
                return
            time.sleep(0.01)
        raise RuntimeError("the server does not say where its metrics are")

    def notified(self):
        return self.manager.recv(100).decode()

    def memory(self):
        """All that the process holds now: what a core would show."""
        parts = []
        with open(f"/proc/{self.process.pid}/maps") as maps, \
                open(f"/proc/{self.process.pid}/mem", "rb", buffering=0) as memory:
            for line in maps:
                place, modes = line.split()[:2]
                if not modes.startswith("rw"):
                    continue
                first, last = (int(end, 16) for end in place.split("-"))
                if last - first > 1 << 32:  # a sanitizer keeps its books there
                    continue
                try:
                    memory.seek(first)
                    parts.append(memory.read(last - first))
                except OSError:
                    continue
        return b"".join(parts)

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
        prepared(folder, device, token)
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
    limits = pathlib.Path(f"/proc/{server.process.pid}/limits").read_text()
    open_files = int(re.search(r"Max open files +(\d+)", limits).group(1))
    if open_files < min(8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]):
        faults.append("the server has no room for as many connections as it allows")
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

def check_copied_folder(program, server, folder, token, faults):
    """One device's folder on two machines: each has its record, and the server takes one report."""
    before = server.metric("reports_accepted")
    refused = subprocess.run([program, "join", "http://127.0.0.1:1", "--task", "task.json",
                              "--data", "here.csv", "--token-file", "here.token", "--policy",
                              "policy.toml", "--state", "here", "--patience", "0"],
                             cwd=prepared(folder, "here", token), capture_output=True, check=False)
    if refused.returncode != 7:
        faults.append(f"no server: exit code {refused.returncode}")
    there = folder / "another" / "machine"
    there.mkdir(parents=True)
    for file in ("task.json", "policy.toml", "here.csv", "here.token"):
        shutil.copy(folder / file, there)
    shutil.copytree(folder / "here", there / "here")
    for place, code, words in ((folder, 0, "counted"), (there, 7, "used_token")):
        process = join(program, server, place, "here", token)
        said = process.communicate()[0].decode()
        if process.returncode != code or words not in said:
            faults.append(f"a copied folder: exit code {process.returncode}, {said}")
    if server.metric("reports_accepted") != before + 1:
        faults.append("a copied folder reports twice")

def prepared(folder, device, token):
    (folder / f"{device}.csv").write_text(f"age,town,bought\n{CANARY}1,{CANARY}2,yes\n")
    (folder / f"{device}.token").write_text(token)
    return folder

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
    if CANARY.encode() in server.memory():
        faults.append("a record's values are in the server's memory")
    for place, text in places.items():
        if CANARY.encode() in text:
            faults.append(f"a record's values stand in {place}")
        for token in tokens:
            if token.encode() in text or bytes.fromhex(token) in text:
                faults.append(f"a token stands in {place}")

def refuses(program, folder, state, words, code, faults, *more, listen="127.0.0.1:0"):
    """What cannot be served: one line, and the state stays what it was."""
    before = (folder / state).read_bytes() if (folder / state).exists() else None
    done = subprocess.run([program, "serve", "task.json", "--state", state, "--listen", listen,
                           "--quiet", *more], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=20)
    if done.returncode != code or words not in done.stderr or len(done.stderr.splitlines()) != 1:
        faults.append(f"{state} {more}: exit code {done.returncode}, {done.stderr}")
    after = (folder / state).read_bytes() if (folder / state).exists() else None
    if after != before:
        faults.append(f"{state} was changed")

def certificate(folder, name, subject):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out",
                    f"{name}.pem", "-days", "2", "-subj", "/CN=test", "-addext",
                    f"subjectAltName={subject}"], cwd=folder, capture_output=True, check=True)

def check_places(program, server, folder, faults):
    """Addresses and certificates; the state would be a new one."""
    def refused(words, code, *more, listen="127.0.0.1:0"):
        refuses(program, folder, "other.state", words, code, faults, *more, listen=listen)
    taken = f"127.0.0.1:{server.port}"
    refused(f"cannot listen on {taken}", 7, listen=taken)
    refused(f"cannot listen on {server.admin}", 7, "--admin", server.admin)
    refused("'nowhere.example' is no address", 2, listen="nowhere.example:1")
    if not shutil.which("openssl"):
        return
    certificate(folder, "one", "IP:127.0.0.1")
    certificate(folder, "two", "IP:127.0.0.2")
    (folder / "cut.pem").write_bytes((folder / "one.pem").read_bytes()[:200])
    refused("cannot use the key 'two.key' with the certificate 'one.pem'", 7, "--certificate",
            "one.pem", "--key", "two.key")
    refused("cannot use the certificate 'cut.pem'", 7, "--certificate", "cut.pem", "--key",
            "one.key")
    refused("cannot use the key 'one.pem'", 7, "--certificate", "one.pem", "--key", "one.pem")
    refused("'cut.pem'", 7, "--certificate", "one.pem", "--key", "one.key", "--client-ca",
            "cut.pem")
    if os.geteuid() != 0:  # who may read everything
        (folder / "two.key").chmod(0)
        refused("cannot use the key 'two.key'", 7, "--certificate", "two.pem", "--key", "two.key")

def check_strange_servers(program, folder, token, faults):
    """A device meets a certificate of another host, or one that nobody vouches for."""
    if not shutil.which("openssl"):
        return
    server = Server(program, folder)
    for name, ca in (("two", "two.pem"), ("one", "two.pem")):
        (folder / f"{name}.key").chmod(0o600)
        server.start("--certificate", f"{name}.pem", "--key", f"{name}.key", state="strange.state")
        done = subprocess.run(
            [program, "join", f"https://127.0.0.1:{server.port}", "--task", "task.json", "--data",
             "strange.csv", "--token-file", "strange.token", "--policy", "policy.toml", "--state",
             "strange", "--ca", ca], cwd=prepared(folder, "strange", token), capture_output=True,
            text=True, check=False, timeout=20)
        if done.returncode != 7 or "certificate of 127.0.0.1" not in done.stderr:
            faults.append(f"certificate {name}: exit code {done.returncode}, {done.stderr}")
        books = json.loads(run(program, "ledger", "show", "strange/device.ledger", "--json",
                               cwd=folder))
        if books["accounts"][0]["spent"]["value"] != 0:
            faults.append("a strange server costs something")
        server.kill()

def check_log(program, folder, token, faults):
    """A log in JSON that is renamed while the server runs, and a token that is revoked."""
    server = Server(program, folder)
    server.start("--log", "serve.log", "--log-format", "json", state="logged.state")
    log, old = folder / "serve.log", folder / "serve.log.1"
    lost = run(program, "local", "enrol", "task.json", "--state", "logged.state", cwd=folder)
    (folder / "lost.txt").write_text(lost)
    run(program, "local", "revoke", "logged.state", "--token-file", "lost.txt", cwd=folder)
    log.rename(old)
    server.process.send_signal(signal.SIGHUP)
    for _ in range(500):
        if log.exists() and log.stat().st_size > 0:
            break
        time.sleep(0.01)
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/v1/slot", b"", method="POST",
                                     headers={"Authorization": f"Bearer {lost.strip()}"})
    said = b""
    for _ in range(200):
        try:
            urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            said = error.read()
        if b"ended_token" in said:
            break
        time.sleep(0.02)
    else:
        faults.append(f"a revoked token is answered {said}")
    if server.stop() != 0:
        faults.append("a server with a log does not end well")
    events = []
    for file in (old, log):
        events.append([json.loads(line)["event"] for line in file.read_text().splitlines()])
        if lost.strip() in file.read_text() or token.strip() in file.read_text():
            faults.append(f"a token stands in {file.name}")
    if "started" not in events[0] or events[1] != ["hangup", "stopped"]:
        faults.append(f"the log has {events}")

def check_closed_pipe(program, folder, faults):
    """A server outlives whoever reads its log through a pipe."""
    server = Server(program, folder)
    reader, writer = os.pipe()
    server.process = subprocess.Popen(
        [program, "serve", "task.json", "--state", "piped.state", "--listen",
         f"127.0.0.1:{server.port}"], cwd=folder, stdout=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    server.wait_until_open()
    os.close(reader)
    server.process.send_signal(signal.SIGHUP)  # which is a line of the log
    time.sleep(0.5)
    if server.stop() != 0:
        faults.append("a server ends with whoever reads its log")

def check_states(program, server, folder, faults):
    refuses(program, folder, "task.state", f"served by process {server.process.pid}", 7, faults)
    if server.notified() != "READY=1":
        faults.append("systemd is not told that the server is ready")
    if server.stop() != 0:
        faults.append("SIGTERM does not end the server well")
    if server.notified() != "STOPPING=1":
        faults.append("systemd is not told that the server ends")
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
            check_copied_folder(program, server, folder, tokens.pop(), faults)
            check_marks(program, server, folder, tokens[:3], faults)
            check_places(program, server, folder, faults)
            check_strange_servers(program, folder, tokens.pop(), faults)
            check_log(program, folder, tokens[0], faults)
            check_closed_pipe(program, folder, faults)
            check_states(program, server, folder, faults)
        finally:
            server.process.kill()
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
