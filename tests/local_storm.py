#!/usr/bin/env python3
"""Kills the server of local learning at random moments while devices report, and devices while they
take part; then looks at what is left.

    local_storm.py PROGRAM SOURCE KILLS

Every report that was acknowledged counts once, none twice; no device sends two different reports or
books twice; the state is sound, and its rounds are what its reports come to, computed again and by
a server that nobody kills. The 200 devices of the first part are written here, after
docs/reference/local-protocol.md alone. Moments are drawn from a fixed seed; what the server does
meanwhile is up to the machine.
"""

import hashlib
import http.client
import json
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position

POLICY = 'largest_epsilon = 4\nall_tasks_epsilon = 4\nmechanisms = ["privunit"]\n'
WORKERS = 200


def crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc32c_table()


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


def frame(task, digest, slot, draw):
    """A report of random integers: the protocol's bytes."""
    facts = task["facts"]
    lift = facts["coordinates"] > facts["dimension"]
    payload = b"".join(struct.pack("<i", draw.randrange(-2**31, 2**31))
                       for _ in range(facts["coordinates"]))
    head = b"TLDP" + struct.pack("<HBB", 1, facts["mechanism_number"], 0)
    head += bytes.fromhex(digest)[:8] + struct.pack("<Q", slot["round"])
    head += bytes.fromhex(slot["model"])[:16] + struct.pack("<Q", draw.getrandbits(64))
    head += struct.pack("<IIIHH", facts["dimension"], len(payload),
                        -int(-facts["report_epsilon"] * 1e6 // 1), 1 if lift else 0, 0)
    return head + payload + struct.pack("<I", crc32c(head + payload))


class Server:
    """`tacet serve`, which is killed and started again."""

    def __init__(self, program, folder):
        self.folder, self.program = folder, program
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = None

    def start(self, *more, state="task.state"):
        self.process = subprocess.Popen(
            [self.program, "serve", "task.json", "--state", state, "--listen",
             f"127.0.0.1:{self.port}", "--requests-per-second", "1000000",
             "--connections-per-address", "100000", "--connections-per-second", "1000000",
             "--failed-per-second", "1000000", "--quiet",
             *more],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=open(self.folder / "said", "ab"))
        self.wait_until_open()

    def wait_until_open(self):
        for _ in range(2000):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError((self.folder / "said").read_text())
                time.sleep(0.005)
        raise RuntimeError("the server does not come up")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()


class Devices:
    """Threads that take part with one token after the other until it is enough."""

    def __init__(self, port, task, digest, tokens):
        self.port, self.task, self.digest = port, task, digest
        self.tokens = list(reversed(tokens))
        self.lock = threading.Lock()
        self.taken = 0
        self.acknowledged = {}
        self.faults = []
        self.threads = [threading.Thread(target=self.work, args=(i,)) for i in range(WORKERS)]
        for thread in self.threads:
            thread.start()

    def work(self, number):
        draw = random.Random(number)
        self_connection = [None]
        while True:
            with self.lock:
                if not self.tokens:
                    return
                token = self.tokens.pop()
                self.taken += 1
            try:
                slot = json.loads(self.persist(self_connection, "/v1/slot", token, b""))
                report = frame(self.task, self.digest, slot, draw)
                time.sleep(draw.random() * 0.4)  # as devices do, so that kills come in between
                self.persist(self_connection, "/v1/report", token, report)
                with self.lock:
                    self.acknowledged[token] = report
            except ValueError as error:
                with self.lock:
                    self.faults.append(str(error))

    def persist(self, kept, path, token, body):
        """The same bytes until there is an answer that stays."""
        while True:
            try:
                if kept[0] is None:
                    kept[0] = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
                kept[0].request("POST", path, body, {"Authorization": f"Bearer {token}",
                                                     "Content-Length": str(len(body))})
                answer = kept[0].getresponse()
                text = answer.read()
                if answer.status == 200:
                    return text
                if answer.status not in (429, 503):
                    raise ValueError(f"{path}: {answer.status} {text}")
            except (OSError, http.client.HTTPException):
                kept[0] = None
            time.sleep(0.005)

    def enough(self):
        """Nobody begins any more; who has begun goes on until there is an answer."""
        with self.lock:
            self.tokens.clear()
        for thread in self.threads:
            thread.join()


def run(program, *arguments, cwd):
    said = subprocess.run([program, *arguments], check=True, capture_output=True, text=True, cwd=cwd).stdout
    formats.expect_printed(arguments, said)
    return said


def prepare(program, source, folder, count):
    for file in ("people.csv", "people.toml"):
        shutil.copy(source / "tests/cli/shared" / file, folder)
    digest = run(program, "local", "task", "--schema", "people.toml", "--epsilon", "4",
                 "--public-row-count", str(count), "--batch-size", "16", "--delay", "0",
                 cwd=folder).strip()
    tokens = run(program, "local", "enrol", "task.json", "--state", "task.state", "--count",
                 str(count), cwd=folder).split()
    text = (folder / "task.json").read_bytes()
    if hashlib.sha256(text).hexdigest() != digest:
        raise RuntimeError("a task is named by its SHA-256")
    return json.loads(text), digest, tokens


def frames_of(folder):
    with sqlite3.connect(folder / "task.state") as state:
        return [bytes(row[0]) for row in
                state.execute("SELECT frame FROM frames ORDER BY sequence")]


def learned(folder):
    """The learner, and all rounds."""
    with sqlite3.connect(folder / "task.state") as state:
        return (state.execute("SELECT value FROM meta WHERE key = 'learner'").fetchall(),
                state.execute("SELECT round, frames, learner, model FROM rounds").fetchall())


def undisturbed(program, task, frames):
    """What a server that nobody kills comes to with the same reports."""
    with tempfile.TemporaryDirectory(prefix="tacet-storm-") as name:
        folder = pathlib.Path(name)
        shutil.copy(task, folder)
        tokens = run(program, "local", "enrol", "task.json", "--state", "task.state", "--count",
                     str(len(frames)), cwd=folder).split()
        server = Server(program, folder)
        server.start()
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)

        def post(path, token, body):
            connection.request("POST", path, body, {"Authorization": f"Bearer {token}",
                                                    "Content-Length": str(len(body))})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"a server that nobody kills says {text}")

        # A report that came later than `staleness` allows had a slot all the time; here it gets one
        # in its round, too.
        facts = json.loads(task.read_text())
        batch, staleness = int(facts["settings"]["batch-size"]), facts["terms"]["staleness"]
        late = {}
        for place, (token, report) in enumerate(zip(tokens, frames)):
            begun = struct.unpack_from("<Q", report, 16)[0]
            if place // batch - begun > staleness:
                late.setdefault(begun, []).append(token)
        for place, (token, report) in enumerate(zip(tokens, frames)):
            if place % batch == 0:
                for other in late.get(place // batch, []):
                    post("/v1/slot", other, b"")
            post("/v1/report", token, report)
        server.stop()
        return learned(folder)


def kill_servers(program, source, kills):
    """Servers die; nobody's report is lost or counted twice."""
    with tempfile.TemporaryDirectory(prefix="tacet-storm-") as name:
        folder = pathlib.Path(name)
        count = 96 * kills  # more devices than come to their turn between so many kills
        task, digest, tokens = prepare(program, source, folder, count)
        server = Server(program, folder)
        server.start()
        devices = Devices(server.port, task, digest, tokens)
        moments = random.Random(20260101)
        done = 0
        for _ in range(kills):
            time.sleep(moments.random() * 0.12)
            if not any(thread.is_alive() for thread in devices.threads):
                break
            server.kill()
            done += 1
            server.start()
        devices.enough()
        ended = server.stop()
        frames = frames_of(folder)
        verdict = run(program, "local", "replay", "task.state", "--verify", cwd=folder)
        same = learned(folder) == undisturbed(program, folder / "task.json", frames)
    faults = list(devices.faults)
    if not same:
        faults.append("the model is not that of a server that nobody kills")
    if ended != 0:
        faults.append(f"the server ends with {ended} on SIGTERM")
    if len(set(frames)) != len(frames):
        faults.append("a report counts twice")
    if done < kills:
        faults.append(f"only {done} of {kills} kills came before the last device")
    taken, acknowledged = devices.taken, devices.acknowledged
    if set(frames) != set(acknowledged.values()) or len(frames) != taken:
        faults.append(f"{len(acknowledged)} of {taken} acknowledged, {len(frames)} counted")
    print(f"{done} kills of the server, {len(frames)} reports; {verdict.strip()}")
    return faults


def join(program, server, folder, state, token):
    """A device with its own record, policy and folder."""
    record = folder / f"{state}.csv"
    if not record.exists():
        record.write_text("age,town,bought\n43,Bern,yes\n")
    return subprocess.Popen(
        [program, "join", f"http://127.0.0.1:{server.port}", "--task", "task.json", "--data",
         record.name, "--token-file", token, "--policy", "policy.toml", "--state", state, "--quiet"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def kill_devices(program, source, kills):
    """Devices die; each sends one report, and books it once."""
    faults = []
    with tempfile.TemporaryDirectory(prefix="tacet-storm-") as name:
        folder = pathlib.Path(name)
        # A device that ends before its kill needs a token; four times as many as kills suffice.
        _, digest, tokens = prepare(program, source, folder, 64 + 4 * kills)
        (folder / "policy.toml").write_text(POLICY)
        server = Server(program, folder)
        server.start()
        begin = time.monotonic()
        (folder / "t").write_text(tokens.pop())
        if join(program, server, folder, "d", "t").wait() != 0:
            faults.append("a device that nobody disturbs fails")
        whole = time.monotonic() - begin
        moments = random.Random(7)
        done, parts = 0, 1
        while done < kills:
            parts += 1
            state = f"d{parts}"
            (folder / f"t{parts}").write_text(tokens.pop())
            while done < kills:
                process = join(program, server, folder, state, f"t{parts}")
                time.sleep(moments.random() * whole * 1.2)
                process.send_signal(signal.SIGKILL)
                if process.wait() == 0:
                    break
                done += 1
            last = join(program, server, folder, state, f"t{parts}")
            _, said = last.communicate()
            if last.returncode != 0:
                faults.append(f"a device that goes on fails: {said.decode()}")
            books = json.loads(run(program, "ledger", "show", f"{state}/device.ledger", "--json",
                                   cwd=folder))
            if books["accounts"][0]["spent"]["value"] != 4:
                faults.append(f"a device has booked {books['accounts'][0]['spent']}")
        # Many processes, one folder.
        (folder / "many").write_text(tokens.pop())
        crowd = [join(program, server, folder, "together", "many") for _ in range(8)]
        if any(process.wait() != 0 for process in crowd):
            faults.append("a process that shares a folder fails")
        parts += 1
        server.stop()
        frames = frames_of(folder)
        kept = {file.read_bytes() for file in folder.glob(f"*/{digest}.report")}
        if len(frames) != parts or set(frames) != kept:
            faults.append(f"{parts} devices, {len(frames)} reports, {len(kept)} kept")
        print(f"{done} kills of devices, {parts} devices, {len(frames)} reports")
    return faults


def main(arguments):
    if len(arguments) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, source = str(pathlib.Path(arguments[0]).resolve()), pathlib.Path(arguments[1]).resolve()
    kills = int(arguments[2])
    faults = kill_servers(program, source, kills) + kill_devices(program, source, kills // 4)
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
