#!/usr/bin/env python3
"""Requests that mean harm, or are odd, and what the server of local learning says to each.

    local_attacks.py PROGRAM SOURCE

The requests are written after docs/reference/local-protocol.md, byte by byte: versions of HTTP,
pipelines, folded fields, lengths, targets, transfer codings, upgrades. Then TLS (local_tls.py), and
what happens around a state: tokens that are revoked while they have a slot, an edited task, ports that are taken,
copies while rounds are dropped, states of two tasks, a full disk and a read-only one (as root).
"""

import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

from local_storm import Server, frame, prepare
from local_tls import check_tls, hang_up

HOST = b"Host: x\r\n"
NONE = b"GET /v1/none HTTP/1.1\r\n"


def requests(token, other):
    """(bytes, statuses in order, whether the connection ends)"""
    bearer = b"Authorization: Bearer " + token + b"\r\n"
    slot, report = b"POST /v1/slot HTTP/1.1\r\n" + HOST, b"POST /v1/report HTTP/1.1\r\n" + HOST
    empty = b"Content-Length: 0\r\n"
    whole = slot + bearer + empty
    for text, statuses, ends in (
            (b"GET /v1/none HTTP/1.0\r\n", [404], True),
            (b"GET /v1/none HTTP/1.0\r\nConnection: keep-alive\r\n", [404], False),
            (b"POST /v1/slot HTTP/1.0\r\n" + bearer + empty, [200], True),
            (b"POST /v1/report HTTP/1.0\r\n" + bearer + b"Content-Length: 3\r\n", [413], True),
            (b"GET /v1/none HTTP/1.2\r\n" + HOST, [400], True),
            (b"GET /v1/none http/1.1\r\n" + HOST, [400], True),
            (b"PRI * HTTP/2.0\r\n", [400], True),
            # Half a token, then a whole one; two requests with one of them refused.
            (slot + b"Authorization: Bearer " + token[:32] + b"\r\n" + empty + b"\r\n" + whole,
             [401, 200], False),
            (NONE + HOST + b"\r\n" + whole + b"\r\n" + NONE + HOST, [404, 200, 404], False),
            # A folded line is one line with a space; never part of a token.
            (slot + b"Authorization: Bearer\r\n " + token + b"\r\n" + empty, [200], False),
            (slot + b"Authorization: Bearer " + token[:32] + b"\r\n " + token[32:] + b"\r\n" + empty,
             [401], False),
            (slot + bearer + empty + b"Transfer-Encoding:\r\n chunked\r\n", [400], True),
            (b"POST /v1/slot HTTP/1.1\r\n x: y\r\n" + HOST + bearer + empty, [400], True),
            (slot + b"Authorization : Bearer " + token + b"\r\n" + empty, [400], True),
            (slot + bearer + b"Content-Length : 0\r\n", [400], True),
            (slot + bearer + bearer + empty, [400], False),
            (slot + bearer + b"Authorization: Bearer " + other + b"\r\n" + empty, [400], False),
            (slot + b"Authorization: Bearer " + token.upper() + b"\r\n" + empty, [401], False),
            (slot + b"Authorization: Bearer " + token + b"\0\r\n" + empty, [400], True),
            (slot + bearer + empty + empty, [411], True),
            (NONE + HOST + HOST, [400], False),
            (NONE, [400], False),
            (NONE + b"X: a\0b\r\n" + HOST, [400], True),
            (NONE + b"X: a\rb\r\n" + HOST, [400], True),
            (b"A" * 9000 + b" /v1/none HTTP/1.1\r\n" + HOST, [400], True),
            (NONE + HOST + b"".join(b"a%d:\r\n" % i for i in range(900)), [404], False),
            # Upgrades are not taken, and no method opens a tunnel.
            (NONE + HOST + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
             b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n", [404], False),
            (NONE + HOST + b"Connection: upgrade\r\nUpgrade: websocket\r\n"
             b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZQ==\r\n", [404], False),
            (b"CONNECT x:443 HTTP/1.1\r\n" + HOST, [404], False),
            (b"TRACE /v1/task HTTP/1.1\r\n" + HOST, [405], False),
            # A body where none belongs, with fields behind it.
            (NONE + HOST + b"Transfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n0\r\n"
             + bearer, [404], True)):
        yield text + b"\r\n", statuses, ends
    for length in (b"9223372036854775807", b"9223372036854775808", b"18446744073709551615"):
        yield report + bearer + b"Content-Length: " + length + b"\r\n\r\n", [413], True
    for length in (b"18446744073709551616", b"-1", b"+0", b"0x0", b"", b"0 0", b"1e2", b"3, 4"):
        yield report + bearer + b"Content-Length: " + length + b"\r\n\r\n", [400], True
    for coding in (b"chunked, chunked", b"identity", b"gzip, chunked", b"chunked, gzip", b"xchunked",
                   b"", b"identity\r\nTransfer-Encoding: chunked"):
        field = b"Transfer-Encoding: " + coding + b"\r\n\r\n0\r\n\r\n"
        yield report + bearer + field, [411], True
        yield report + bearer + empty + field, [400], True
    for target in (b"/v1/%74ask", b"/v1/./task", b"/v1/../v1/task", b"//v1/task", b"/v1//task",
                   b"/v1/task/", b"/v1/task?x=1", b"/v1/task#x", b"/V1/task", b"*", b"x",
                   b"/v1/model/..%2ftask", b"/v1/model/" + b"%00" * 32, b"http:///v1/none",
                   b"http://x", b"ftp://x/v1/task", b"/v1/\xff\xfe"):
        yield b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n", [404], False
    for target in (b"/v1/task\0", b"/v1\0/task", b"/v1/ta sk", b"/v1/task\t"):
        yield b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n", [400], True


def said(port, text):
    """What comes back, and whether the server ended the connection."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.settimeout(1)
        connection.sendall(text)
        got = b""
        with contextlib.suppress(TimeoutError):
            while True:
                more = connection.recv(65536)
                if not more:
                    return got, True
                got += more
        return got, False


def check_requests(server, tokens, faults):
    cases = list(requests(tokens[0].encode(), tokens[1].encode()))
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(lambda case: said(server.port, case[0]), cases))
    for (text, statuses, ends), (got, ended) in zip(cases, answers):
        found = [int(one) for one in re.findall(rb"HTTP/1\.1 (\d+)", got)]
        if found != statuses or ended != ends:
            faults.append(f"{text[:150]!r} is answered {found}, "
                          f"{'and ended' if ended else 'and kept'}: {got[:200]!r}")
    kept = said(server.port, b"GET /v1/none HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")[0]
    if b"\r\nConnection: keep-alive\r\n" not in kept:
        faults.append("a client of HTTP/1.0 is not told that its connection is kept")
    waits = said(server.port, b"POST /v1/report HTTP/1.0\r\nAuthorization: Bearer "
                 + tokens[0].encode() + b"\r\nContent-Length: 92\r\nExpect: 100-continue\r\n\r\n")[0]
    if b" 100 " in waits:
        faults.append("a client of HTTP/1.0 gets an answer before the answer")


def post(server, path, token, body=b""):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("POST", path, body, {"Authorization": f"Bearer {token}",
                                            "Content-Length": str(len(body))})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text)


def call(program, folder, *arguments, timeout=60):
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=timeout)
    return done.returncode, done.stdout + done.stderr


def expect(faults, done, code, words):
    if done[0] != code or words not in done[1]:
        faults.append(f"exit code {done[0]} for {code}, '{words}' is not in: {done[1]}")


def check_revoked(program, server, folder, task, digest, tokens, faults):
    """Under a slot, and after the report has counted."""
    draw = random.Random(1)
    holder, done = tokens
    slots = {token: post(server, "/v1/slot", token)[1] for token in tokens}
    reports = {token: frame(task, digest, slots[token], draw) for token in tokens}
    if post(server, "/v1/report", done, reports[done])[1] != {"state": "counted"}:
        faults.append("a report is not counted")
    (folder / "lost").write_text(f"{holder}\n{done}\n")
    expect(faults, call(program, folder, "local", "revoke", "task.state", "--token-file", "lost"), 0,
           "Revoked 2")
    hang_up(server)
    for token in tokens:
        code = post(server, "/v1/report", token, reports[token])[1].get("error")
        if code != "ended_token":
            faults.append(f"a revoked token is told {code}")


def check_taken(program, server, folder, faults):
    """A port and a state that another server has."""
    place = f"127.0.0.1:{server.port}"
    expect(faults, call(program, folder, "serve", "task.json", "--state", "other.state", "--listen",
                        place), 7, f"cannot listen on {place}")
    expect(faults, call(program, folder, "serve", "task.json", "--state", "task.state", "--listen",
                        "127.0.0.1:0"), 7, "is served by process")
    for option in (socket.SO_REUSEPORT, socket.SO_REUSEADDR):
        for address in ("127.0.0.1", "0.0.0.0"):
            with socket.socket() as other, contextlib.suppress(OSError):
                other.setsockopt(socket.SOL_SOCKET, option, 1)
                other.bind((address, server.port))
                other.listen(1)
                faults.append(f"another process listens at {address} beside the server")


def check_states(program, server, folder, task, digest, tokens, faults):
    """Stops the server."""
    draw = random.Random(2)
    for token in tokens[:64]:
        status, slot = post(server, "/v1/slot", token)
        if status == 200:
            post(server, "/v1/report", token, frame(task, digest, slot, draw))
    expect(faults, call(program, folder, "local", "reopen", "task.state", "--from", "1"), 7,
           "is served by process")
    server.stop()
    copies = []

    def back_up():
        for i in range(6):
            copies.append(call(program, folder, "local", "backup", "task.state", f"copy{i}.state"))

    beside = threading.Thread(target=back_up)
    beside.start()
    for number in ("3", "2", "1"):
        expect(faults, call(program, folder, "local", "reopen", "task.state", "--from", number), 0, "")
    beside.join()
    for i, done in enumerate(copies):
        expect(faults, done, 0, "")
        expect(faults, call(program, folder, "local", "replay", f"copy{i}.state", "--verify"), 0,
               "bit for bit")
    edited = (folder / "task.json").read_text() + "\n"
    (folder / "edited.json").write_text(edited)
    expect(faults, call(program, folder, "serve", "edited.json", "--state", "task.state", "--listen",
                        "127.0.0.1:0"), 2, "each task has a state of its own")


def check_least(program, source, folder, faults):
    """Reports of a round under way teach nothing yet: they are none of those that a model needs."""
    folder.mkdir()
    shutil.copy(source / "tests/cli/shared/people.toml", folder)
    expect(faults, call(program, folder, "local", "task", "--schema", "people.toml", "--epsilon", "4",
                        "--public-row-count", "8", "--batch-size", "4", "--delay", "0",
                        "--min-reports", "5"), 0, "")
    text = (folder / "task.json").read_bytes()
    tokens = call(program, folder, "local", "enrol", "task.json", "--state", "task.state", "--count",
                  "8")[1].split()
    server, draw = Server(program, folder), random.Random(3)
    server.start()
    for number, token in enumerate(tokens):
        if number in (5, 7):  # of which four have taught the model
            expect(faults, call(program, folder, "local", "model", "task.state", "--anyway"), 5,
                   "have 5 reports (--min-reports), and they have 4")
        body = frame(json.loads(text), hashlib.sha256(text).hexdigest(),
                     post(server, "/v1/slot", token)[1], draw)
        if post(server, "/v1/report", token, body)[0] != 200:
            faults.append("a report is not counted")
    expect(faults, call(program, folder, "local", "model", "task.state"), 0, "2 of 2 rounds")
    server.stop()


def check_merge(program, folder, faults):
    """Tasks that differ in one parameter, by its last digit."""
    for name, scale in (("one", "1"), ("two", "1.0000000000000002")):
        expect(faults, call(program, folder, "local", "task", "--schema", "people.toml", "--epsilon",
                            "4", "--batch-size", "40", "--weight-scale", scale, "--output",
                            f"{name}.json"), 0, "")
        expect(faults, call(program, folder, "local", "enrol", f"{name}.json", "--state",
                            f"{name}.state", "--shards", "2", "--count", "4"), 0, "")
        for i in "01":
            expect(faults, call(program, folder, "local", "close", f"{name}.state.{i}"), 0, "")
    expect(faults, call(program, folder, "local", "merge", "one.state.0", "two.state.1", "--output",
                        "merged.state"), 2, "'two.state.1' is of task")
    if (folder / "merged.state").exists():
        faults.append("a merge that was refused leaves a state")


@contextlib.contextmanager
def mounted(folder, *options):
    """A small file system; nothing where none can be mounted."""
    folder.mkdir()
    done = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", *options, "none", folder],
                                                capture_output=True, check=False).returncode == 0
    try:
        yield done
    finally:
        if done:
            subprocess.run(["umount", folder], check=True)


def check_disks(program, folder, faults):
    """Each names the file that was asked for, never one that it made on the way."""
    words = {"state": ["local", "enrol", "task.json", "--state"],
             "copy": ["local", "backup", "task.state"],
             "ledger": ["ledger", "init", "--data-set", "people", "--epsilon", "4", "--delta", "0",
                        "--adjacency", "replace_one"],
             "served": ["serve", "task.json", "--listen", "127.0.0.1:0", "--state"]}
    with mounted(folder / "full", "-o", "size=1m") as done:
        if not done:
            print("nothing can be mounted here: full and read-only disks are left out")
            return
        with contextlib.suppress(OSError), open(folder / "full/filler", "wb", 0) as filler:
            while True:
                filler.write(b"x" * 4096)
        for name, command in words.items():
            done = call(program, folder, *command, f"full/{name}")
            expect(faults, done, 7, f"'full/{name}' could not be written: the disk is full")
            if os.listdir(folder / "full") != ["filler"]:
                faults.append(f"{command[:2]} leaves {os.listdir(folder / 'full')}")
        os.truncate(folder / "full/filler", 800000)
        for _ in range(40):  # until there is no room, in the state or beside it
            code, text = call(program, folder, *words["state"], "full/state", "--count", "100")
            if code != 0:
                expect(faults, (code, text), 7, "'full/state' could not be written: the disk is full")
                break
        else:
            faults.append("a full disk takes tokens for ever")
    with mounted(folder / "fixed") as done:
        shutil.copy(folder / "task.state", folder / "fixed/kept.state")
        subprocess.run(["mount", "-o", "remount,ro", folder / "fixed"], check=True)
        for name, command in words.items():
            expect(faults, call(program, folder, *command, f"fixed/{name}"), 7, f"'fixed/{name}'")
        expect(faults, call(program, folder, "serve", "task.json", "--state", "fixed/kept.state",
                            "--listen", "127.0.0.1:0"), 7, "'fixed/kept.state' cannot be opened")
        expect(faults, call(program, folder, "local", "status", "fixed/kept.state"), 0, "reports")


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, source = str(pathlib.Path(arguments[0]).resolve()), pathlib.Path(arguments[1]).resolve()
    faults = []
    with tempfile.TemporaryDirectory(prefix="tacet-attacks-") as name:
        folder = pathlib.Path(name)
        task, digest, tokens = prepare(program, source, folder, 100)
        server = Server(program, folder)
        server.start()
        check_requests(server, tokens[:2], faults)
        check_taken(program, server, folder, faults)
        check_revoked(program, server, folder, task, digest, tokens[2:4], faults)
        check_states(program, server, folder, task, digest, tokens[4:], faults)
        check_merge(program, folder, faults)
        check_least(program, source, folder / "least", faults)
        check_disks(program, folder, faults)
        check_tls(program, folder, faults)
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
