#!/usr/bin/env python3
"""The small device of examples/device against the test vectors, and against a running server.

    device_example.py PROGRAM SOURCE

From the vector's record it comes to the same row and gradient, and from its coordinates to each
byte of the frame, for every mechanism. Missing values are encoded as the schema says. Its noise has
the law that it should. Forty of them, each started twice, fill a task, and the server's replay
agrees. Whatever a server answers that means
harm, the device says why it takes no part, asks once a second at most, and draws no report.
"""

import http.server
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import time
from fractions import Fraction

from local_storm import Server, run

SCHEMA = """
name = "people"
[target]
column = "bought"
positive = "yes"
negative = "no"
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 100
[[column]]
name = "town"
kind = "categorical"
categories = ["Bern", "Basel"]
"""


def check_vectors(device, source, faults):
    known = json.loads((source / "docs/reference/local-vectors.json").read_text())
    names, values = known["record"].splitlines()
    record = dict(zip(names.split(","), values.split(",")))
    for vector in known["vectors"]:
        task = json.loads(vector["task"])
        slot = {"round": vector["round"], "model": vector["model_digest"]}
        made = device.frame(task, vector["task_digest"], slot, int(vector["report_number"], 16),
                            vector["coordinates"])
        if made.hex() != vector["frame"]:
            faults.append(f"another frame than the vector's for {vector['mechanism']}")
        row = device.encode(task["schema"], record)
        if row != vector["row"]:
            faults.append(f"the row is {row}, the vector's {vector['row']}")
        values = device.gradient(task, row, 1, unpack(vector["model"]))
        if values != vector["gradient"]:
            faults.append(f"the gradient is {values}, the vector's {vector['gradient']}")
    if len(known["vectors"]) != 6:
        faults.append("vectors of six mechanisms were expected")


def unpack(model):
    content = bytes.fromhex(model)
    return list(struct.unpack(f"<{len(content) // 8}d", content))


def check_encoding(device, faults):
    """What data/schemas/README.md says of values that are missing, no number, or spelt otherwise.
    The bounds of the flag are 0 and 1, so that its feature is the number itself."""
    schema = {"missing": ["", "NA"], "intercept": False, "column": [
        {"kind": "numeric", "name": "flag", "lower": 0, "upper": 1},
        {"kind": "numeric", "name": "age", "lower": 0, "upper": 100},
        {"kind": "categorical", "name": "code", "categories": ["1", "b"]}]}
    known = {"flag": "0", "age": "50", "code": "c"}  # a feature of 0 for each
    cases = [("flag", "1", [2048, 0, 0, 0]), ("age", "1e400", [0, 2048, 0, 0]),
             ("age", 10**400, [0, 2048, 0, 0]), ("code", "1.0", [0, 0, 2048, 0])]
    cases += [(name, value, [0] * 4) for name in ("flag", "age", "code")
              for value in ("", "NA", "nan", "inf", "-inf", "text", "9_9", "\uff19", None)]
    for name, value, row in cases:
        found = device.encode(schema, {**known, name: value})
        if found != row:
            faults.append(f"{name} {value!r} is {found}, {row} was expected")


def check_noise(device, faults):
    """Counts of 40,000 draws; each is off by five standard deviations once in 10^6 runs."""
    scale, draws = Fraction(7, 2), 40_000
    counts = {}
    for _ in range(draws):
        k = device.discrete_laplace(scale)
        counts[k] = counts.get(k, 0) + 1
    base = (1 - math.exp(-2 / 7)) / (1 + math.exp(-2 / 7))
    for k in range(-5, 6):
        p = base * math.exp(-abs(k) * 2 / 7)
        if abs(counts.get(k, 0) - draws * p) > 5 * math.sqrt(draws * p * (1 - p)):
            faults.append(f"the noise is {k} {counts.get(k, 0)} times, {draws * p:.0f} were expected")


def check_server(device, program, folder, faults):
    (folder / "people.toml").write_text(SCHEMA)
    run(program, "local", "task", "--schema", "people.toml", "--epsilon", "4", "--mechanism",
        "coordinate_laplace", "--public-row-count", "40", "--batch-size", "8", "--delay", "0",
        cwd=folder)
    tokens = run(program, "local", "enrol", "task.json", "--state", "task.state", "--count", "40",
                 cwd=folder).split()
    server = Server(program, folder)
    server.start()
    answers = []

    def take_part(number):
        record = {"age": 2 * number, "town": "Bern", "bought": "yes" if number > 20 else "no"}
        for _ in range(2):  # the second time sends the same bytes
            answers.append(device.take_part(
                f"http://127.0.0.1:{server.port}", folder / "task.json", tokens[number], record,
                folder / f"device{number}", patience=120))

    threads = [threading.Thread(target=take_part, args=(i,)) for i in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.stop()
    if answers != ["counted"] * 80:
        faults.append(f"devices were answered {answers}")
    said = run(program, "local", "replay", "task.state", "--verify", cwd=folder)
    if "40 reports, 5 rounds" not in said:
        faults.append(f"the replay says {said}")
    subprocess.run([program, "local", "model", "task.state", "--quiet"], cwd=folder, check=True)


def check_hostile(device, source, folder, faults):
    """Answers to the request for a slot; none of them may lead to a report."""
    vector = next(one for one in json.loads(
        (source / "docs/reference/local-vectors.json").read_text())["vectors"]
        if one["mechanism"] == "coordinate_laplace")
    (folder / "vector.json").write_text(vector["task"])
    good = {"task": vector["task_digest"], "round": 0, "model": "0" * 64, "seconds": 20}
    slots = [json.dumps({**good, key: value}).encode() for key, value in [
        ("seconds", 0), ("seconds", -5), ("seconds", 10**30), ("seconds", "20"), ("seconds", None),
        ("seconds", True), ("round", -1), ("round", 1.5), ("round", "0"), ("round", 10**6),
        ("model", "../../x"), ("model", 5), ("task", "0" * 64), ("seconds", 20)]]
    bodies = [b"", b"[]", b"[" * 50000, b"\xff", b"{", *slots]
    answers = [(200, body, "") for body in bodies]
    answers += [(103, b"", ""), (302, b"", ""), (599, b"x" * 10**5, ""), (503, b"", "\xb2"),
                (503, b"", "0"), (503, b"", "9" * 400),
                (400, b'{"error": "' + b"a" * 9000 + b'"}', "")]

    def meet(number, answer):
        asked = []

        class Hostile(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked.append(self.path)
                self.send_response(answer[0])
                self.send_header("Content-Length", str(len(answer[1])))
                self.send_header("Retry-After", answer[2])
                self.end_headers()
                self.wfile.write(answer[1])

            def do_GET(self):
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(bytes(32))

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            begin, said = time.monotonic(), ""
            try:
                device.take_part(f"http://127.0.0.1:{server.server_port}", folder / "vector.json",
                                 "a" * 64, {"age": 1}, folder / f"hostile{number}", patience=3)
                said = "it takes part"
            except device.Refused as why:
                said = "" if len(str(why)) < 200 else "it repeats what it was told"
            except Exception as error:  # whatever it is, it is none of the device's own words
                said = f"{type(error).__name__}: {error}"
            server.shutdown()
        if said or len(asked) > 5 + time.monotonic() - begin or "/v1/report" in asked:
            faults.append(f"an answer {answer[0]} {answer[1][:80]}: {said}, {len(asked)} requests")

    meetings = [threading.Thread(target=meet, args=case) for case in enumerate(answers)]
    for meeting in meetings:
        meeting.start()
    for meeting in meetings:
        meeting.join()
    if list(folder.glob("hostile*/*.report")):
        faults.append("a report was drawn for a server that means harm")


def check_pages(device, source, folder, faults):
    """A page that something on the way sends with status 200 is no word that the report counts."""
    vector = next(one for one in json.loads(
        (source / "docs/reference/local-vectors.json").read_text())["vectors"]
        if one["mechanism"] == "coordinate_laplace")
    kept = folder / "paged"
    kept.mkdir()
    (folder / "vector.json").write_text(vector["task"])
    (kept / f"{vector['task_digest']}.report").write_bytes(bytes.fromhex(vector["frame"]))
    answers = [b"<p>please sign in</p>", b'["counted"]', b'{"state": "counted"}']
    bodies = []

    class Page(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            answer = answers[len(bodies) - 1]
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        said = device.take_part(f"http://127.0.0.1:{server.server_port}", folder / "vector.json",
                                "a" * 64, {}, kept, patience=60)
        server.shutdown()
    if said != "counted" or bodies != [bytes.fromhex(vector["frame"])] * 3:
        faults.append(f"behind pages with status 200: {said} after {len(bodies)} times the report")


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, source = str(pathlib.Path(arguments[0]).resolve()), pathlib.Path(arguments[1]).resolve()
    sys.path.insert(0, str(source / "examples/device"))
    import device
    faults = []
    if len((source / "examples/device/device.py").read_text().splitlines()) > 300:
        faults.append("the small device has more than 300 lines")
    check_vectors(device, source, faults)
    check_encoding(device, faults)
    check_noise(device, faults)
    with tempfile.TemporaryDirectory(prefix="tacet-device-") as name:
        check_hostile(device, source, pathlib.Path(name), faults)
        check_pages(device, source, pathlib.Path(name), faults)
        check_server(device, program, pathlib.Path(name), faults)
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
