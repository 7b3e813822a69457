#!/usr/bin/env python3
"""The device of the library for C, against the test vectors and against a running server.

    c_device.py PROGRAM LIBRARY SOURCE C_COMPILER

Of each mechanism's record and model the library makes each byte of the vector's frame. The example
in C is compiled without a warning; twelve of its devices, each started twice, fill a task, and the
server's replay agrees. A transport that gives back nonsense, a server that is another one, and a
program that cancels end the call with an error, and nothing is spent.
"""

import ctypes
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from device_example import SCHEMA
from local_storm import Server, run

POLICY = ("largest_epsilon = 4\nall_tasks_epsilon = 4\nlargest_delta = 1e-6\n"
          "all_tasks_delta = 1e-6\nmechanisms = [\"privunit\", \"privunitg\", \"djw\", "
          "\"l2_laplace\", \"coordinate_laplace\", \"gaussian\"]\n")
INTERNAL, USAGE, DATA, BUDGET, GUARANTEE, IO, INTERRUPTED = 1, 2, 3, 4, 5, 7, 130


class Request(ctypes.Structure):
    _fields_ = [("method", ctypes.c_char_p), ("path", ctypes.c_char_p), ("token", ctypes.c_char_p),
                ("body", ctypes.c_void_p), ("body_size", ctypes.c_size_t),
                ("answer", ctypes.c_void_p), ("room", ctypes.c_size_t)]


class Reply(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("size", ctypes.c_size_t),
                ("retry_seconds", ctypes.c_int64)]


EXCHANGE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Request), ctypes.POINTER(Reply),
                            ctypes.c_void_p)
WAIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_void_p)


class Library:
    def __init__(self, path):
        self.functions = ctypes.CDLL(str(path))
        self.functions.tacet_last_error.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        return getattr(self.functions, f"tacet_{name}")(*arguments)

    def error(self):
        return self.functions.tacet_last_error().decode()

    def device(self, task, **settings):
        device = ctypes.c_uint64(0)
        text = task.encode()
        kind = self.call("device_new", text, ctypes.c_size_t(len(text)), POLICY.encode(),
                         ctypes.byref(device))
        for name, value in settings.items():
            kind = kind or self.call("device_set", device, name.encode(), str(value).encode())
        if kind != 0:
            raise RuntimeError(self.error())
        return device


def check_vectors(library, source, folder, faults):
    known = json.loads((source / "docs/reference/local-vectors.json").read_text())
    record = folder / "vector.csv"
    record.write_text(known["record"])
    for vector in known["vectors"]:
        device = library.device(vector["task"], record=record)
        model = bytes.fromhex(vector["model"])

        def rehearse(frame, room, needed):
            return library.call(
                "device_rehearse", device, ctypes.c_uint64(vector["key"]),
                ctypes.c_uint64(vector["round"]), model, ctypes.c_size_t(len(model)),
                ctypes.c_uint64(int(vector["report_number"], 16)), frame, ctypes.c_size_t(room),
                needed)

        needed = ctypes.c_size_t(0)
        rehearse(None, 0, ctypes.byref(needed))
        frame = ctypes.create_string_buffer(needed.value)
        if rehearse(frame, needed.value - 1, None) != USAGE:
            faults.append("a frame is written where there is no room for it")
        whole, model = model, model + b"x"
        if rehearse(frame, needed.value, None) != DATA:
            faults.append("a model of another length is taken")
        model = whole
        if rehearse(frame, needed.value, None) != 0 or frame.raw.hex() != vector["frame"]:
            faults.append(f"another frame than the vector's for {vector['mechanism']}")
        library.call("free", device)
    if len(known["vectors"]) != 6:
        faults.append("vectors of six mechanisms were expected")


def check_refusals(library, source, folder, faults):
    vector = json.loads((source / "docs/reference/local-vectors.json").read_text())["vectors"][0]
    record = folder / "mine" / "record.csv"
    record.parent.mkdir()
    record.write_text("age,town,bought\n43,Bern,yes\n")
    model = struct.pack("<4d", 0, 0, 0, 0)
    slot = json.dumps({"task": vector["task_digest"], "round": 0, "model": "0" * 64, "seconds": 20})

    def answer(status, body):
        def exchange(request, reply, _):
            ctypes.memmove(request.contents.answer, body, len(body))
            reply.contents.status, reply.contents.size = status, len(body)
            return 0
        return exchange

    def too_long(request, reply, _):
        reply.contents.status, reply.contents.size = 200, request.contents.room + 1
        return 0

    def another_model(request, reply, _):
        body = slot.encode() if request.contents.path == b"/v1/slot" else model
        return answer(200, body)(request, reply, None)

    cases = [(IO, lambda *_: IO), (IO, lambda *_: GUARANTEE), (INTERRUPTED, lambda *_: INTERRUPTED),
             (USAGE, answer(0, b"")), (USAGE, too_long), (DATA, answer(200, b"{}")),
             (IO, answer(410, b'{"error": "finished", "message": "late"}')),
             (GUARANTEE, another_model)]
    for number, (expected, exchange) in enumerate(cases):
        device = library.device(vector["task"], record=record, folder=folder / f"refused{number}",
                                token="a" * 64, patience=0)
        kind = library.call("device_join", device, EXCHANGE(exchange), WAIT(lambda *_: 0), None, 0)
        if kind != expected:
            faults.append(f"refusal {number}: {kind}, {library.error()}")
        record.parent.joinpath(".tacet-ledgers").unlink(missing_ok=True)
        if list((folder / f"refused{number}").glob("*.report")):
            faults.append(f"refusal {number} has drawn a report")
    device = library.device(vector["task"], record=record, folder=folder / "cancelled",
                            token="a" * 64)
    kind = library.call("device_join", device, EXCHANGE(lambda *_: IO), WAIT(lambda *_: 1), None, 0)
    if kind != INTERRUPTED:
        faults.append(f"a program that cancels a wait: {kind}, {library.error()}")
    for name, value in (("token", "short"), ("patience", "-1"), ("patience", "1s"), ("age", "1")):
        if library.call("device_set", device, name.encode(), value.encode()) not in (USAGE, DATA):
            faults.append(f"{name} = {value} is taken")


def check_server(program, example, folder, faults):
    (folder / "people.toml").write_text(SCHEMA)
    (folder / "policy.toml").write_text(POLICY)
    run(program, "local", "task", "--schema", "people.toml", "--epsilon", "4",
        "--public-row-count", "12", "--batch-size", "4", "--delay", "0", cwd=folder)
    tokens = run(program, "local", "enrol", "task.json", "--state", "task.state", "--count", "12",
                 cwd=folder).split()
    server = Server(program, folder)
    server.start()

    def start(number):
        place = folder / f"place{number}"
        if not place.exists():
            place.mkdir()
            (place / "record.csv").write_text(f"age,town,bought\n{7 * number},Bern,yes\n")
            (place / "token").write_text(tokens[number] + "\n")
        return subprocess.Popen(
            [example, str(server.port), "task.json", "policy.toml", place / "token",
             place / "record.csv", place / "state"], cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    for _ in range(2):  # the second time sends nothing new
        for process in [start(number) for number in range(12)]:
            said = process.communicate()[0]
            if process.returncode != 0 or said != "counted\n":
                faults.append(f"a device ends with {process.returncode}: {said}")
    server.stop()
    said = run(program, "local", "replay", "task.state", "--verify", cwd=folder)
    if "12 reports, 3 rounds" not in said:
        faults.append(f"the replay says {said}")


def main(arguments):
    if len(arguments) != 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, library, source = (pathlib.Path(name).resolve() for name in arguments[:3])
    faults = []
    with tempfile.TemporaryDirectory(prefix="tacet-c-device-") as name:
        folder = pathlib.Path(name)
        example = folder / "device"
        run(arguments[3], "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
            f"-I{source / 'tacet/capi'}", str(source / "examples/device/device.c"), str(library),
            f"-Wl,-rpath,{library.parent}", "-o", str(example), cwd=folder)
        known = Library(library)
        check_vectors(known, source, folder, faults)
        check_refusals(known, source, folder, faults)
        check_server(str(program), example, folder, faults)
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
