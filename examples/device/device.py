#!/usr/bin/env python3
"""A device of local learning in Python's standard library, after docs/reference/local-protocol.md.

    device.py URL --task task.json --token-file token --record record.json --state folder

The record is a JSON object, {"age": 43, "town": "Bern", "bought": "yes"} say. README.md says which
tasks this device takes, and which promises every device must keep.
"""

import argparse
import contextlib
import hashlib
import http.client
import json
import math
import os
import pathlib
import random
import re
import secrets
import socket
import struct
import sys
import threading
import time
import urllib.parse
from fractions import Fraction

FINAL, COUNTED = ("used_token", "repeated_report", "too_late", "finished"), {"state": "counted"}
FEATURE_SCALE = 2048


class Refused(Exception):
    """Why this device takes no part."""


def read_task(text):
    """The task, where this device is large enough for it."""
    task = json.loads(text)
    settings, schema = task["settings"], task["schema"]
    known = {"column", "format", "intercept", "missing", "name", "public_row_count", "row_scaling",
             "target", "version"}
    if (task["tacet_task"] != 1 or settings["mechanism"] != "coordinate_laplace"
            or settings["loss"] != "logistic" or "class-weights" in settings
            or not set(schema) <= known or schema["row_scaling"] != "clip1"
            or set(schema["target"]) != {"column", "negative", "positive"}):
        raise Refused("this device is too small for the task; README.md says which ones it takes")
    for column in schema["column"]:
        known = {"numeric": {"kind", "lower", "name", "upper"},
                 "categorical": {"categories", "kind", "name"}}.get(column["kind"])
        if set(column) != known:
            raise Refused(f"this device is too small for the column {column['name']}")
    return task


def same(value, category):  # one text, or one number
    with contextlib.suppress(TypeError, ValueError):
        return str(value) == category or float(str(value)) == float(category)
    return False


def encode(schema, record):
    """The record as integers v that mean v/2048, of norm 1 at most, whatever its values are."""
    features = []
    for column in schema["column"]:
        value = record.get(column["name"])
        if column["kind"] == "categorical":
            features += [1.0 if same(value, one) else 0.0 for one in column["categories"]]
            continue
        lower, upper = column["lower"], column["upper"]
        centred = lower != 0 or upper != 1
        number = missing = lower + (upper - lower) / 2 if centred else 0.0  # whose feature is 0
        with contextlib.suppress(TypeError, ValueError):
            number = float(str(value))  # an integer may be too long for a double
        if re.search("[^-+.0-9eE\\s]", str(value)) or str(value) in schema["missing"]:  # nan, inf
            number = missing
        share = (min(max(number, lower), upper) - lower) / (upper - lower)
        features.append(2.5 * (share - 0.5) if centred else share)
    if schema["intercept"]:
        features.append(1.0)
    square = sum(x * x for x in features)
    factor = min(1.0, 1 / math.sqrt(square)) if square > 0 else 1.0
    row = [int(x * (factor * FEATURE_SCALE)) for x in features]
    while sum(v * v for v in row) > FEATURE_SCALE**2:  # rounding alone can bring it there
        factor *= 1 - 2**-30
        row = [int(x * (factor * FEATURE_SCALE)) for x in features]
    return row


def gradient(task, row, label, point):
    """Of the logistic loss, in units of clipping-norm / 2^norm_bits: at most 2^norm_bits long."""
    margin = label * sum(w * v for w, v in zip(point, row)) / FEATURE_SCALE
    slope = -label / (1 + math.exp(min(margin, 700.0)))
    bits = task["facts"]["norm_bits"]
    unit = float(task["settings"]["clipping-norm"]) / 2**bits
    square = sum(v * v for v in row)
    most = math.isqrt(4**bits // square) if square else 0
    wanted = slope / (unit * FEATURE_SCALE)
    scalar = round(max(-most, min(most, wanted))) if math.isfinite(wanted) else 0
    values = [scalar * v for v in row]
    assert sum(v * v for v in values) <= 4**bits
    return values


def bernoulli_exp(x):
    """True with probability exp(-x), x a fraction of at least 0 (Canonne, Kamath and Steinke 2020,
    "The discrete Gaussian for differential privacy")."""
    while x > 1:
        if not bernoulli_exp(Fraction(1)):
            return False
        x -= 1
    k = 1
    while secrets.randbelow(x.denominator * k) < x.numerator:
        k += 1
    return k % 2 == 1


def discrete_laplace(scale):
    """k with probability proportional to exp(-|k| / scale), scale a fraction above 0."""
    t, s = scale.numerator, scale.denominator
    while True:
        u = secrets.randbelow(t)
        if not bernoulli_exp(Fraction(u, t)):
            continue
        v = 0
        while bernoulli_exp(Fraction(1)):
            v += 1
        magnitude = (u + t * v) // s
        if magnitude != 0 or secrets.randbits(1):  # 0 has one sign, all others two
            return -magnitude if secrets.randbits(1) else magnitude


def randomise(task, values):
    """Two gradients are 2 sqrt(d) 2^norm_bits apart at most, in the sum of their differences: with
    at least that over epsilon as scale, the report is epsilon-private (docs/proofs)."""
    facts = task["facts"]
    scale = Fraction(facts["grid_scale"])
    distance_square = 4 * len(values) * 4 ** facts["norm_bits"]
    if (scale * Fraction(facts["report_epsilon"])) ** 2 < distance_square:
        raise Refused("the task's noise is less than its epsilon needs")
    return [max(1 - 2**31, min(2**31 - 1, v + discrete_laplace(scale))) for v in values]


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def frame(task, digest, slot, number, coordinates):
    facts = task["facts"]
    epsilon = math.ceil(Fraction(facts["report_epsilon"]) * 10**6)
    lift = facts["coordinates"] > facts["dimension"]
    payload = struct.pack(f"<{len(coordinates)}i", *coordinates)
    head = (b"TLDP" + struct.pack("<HBB", 1, facts["mechanism_number"], 0)
            + bytes.fromhex(digest)[:8] + struct.pack("<Q", slot["round"])
            + bytes.fromhex(slot["model"])[:16]
            + struct.pack("<QIIIHH", number, facts["dimension"], len(payload), epsilon, lift, 0))
    return head + payload + struct.pack("<I", crc32c(head + payload))


class Server:
    """Over TLS, or to this machine. A request takes a second at least, its answer a minute at most."""

    def __init__(self, url, token, patience):
        address = urllib.parse.urlsplit(url)
        here = [("http", name) for name in ("127.0.0.1", "::1", "localhost")]
        if address.scheme != "https" and (address.scheme, address.hostname) not in here:
            raise Refused("a token is sent over HTTPS only, or to this machine")
        kind = getattr(http.client, f"{address.scheme.upper()}Connection")
        self.connect = lambda: kind(address.hostname, address.port, timeout=30)
        self.token, self.end, self.due = token, time.monotonic() + patience, 0.0

    def pause(self, seconds):
        if time.monotonic() + seconds > self.end:
            raise Refused("the server does not answer; call again later, with the same folder")
        time.sleep(max(1.0, seconds) * (1 + random.random() / 4))

    def exchange(self, method, path, body, most):
        headers = {"Content-Length": str(len(body)), "Authorization": f"Bearer {self.token}"}
        connection = self.connect()
        connection.connect()
        guard = threading.Timer(60, connection.sock.shutdown, [socket.SHUT_RDWR])
        guard.start()
        try:
            connection.request(method, path, body or None, headers if method == "POST" else {})
            answer = connection.getresponse()
            return answer.status, answer.read(most + 1), answer.getheader("Retry-After", "")
        finally:
            guard.cancel()
            connection.close()

    def ask(self, method, path, body=b"", most=65536):
        """The same bytes until there is an answer that stays: its status and its body."""
        pause = 1.0
        while True:
            wait, now = pause, time.monotonic()
            time.sleep(max(0.0, self.due - now))
            self.due = max(self.due, now - 4) + 1  # a slot, a model and a report may follow at once
            with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
                status, text, after = self.exchange(method, path, body, most)
                strange = path == "/v1/report" and status == 200 and read_answer(text) != COUNTED
                if status >= 200 and status not in (429, 500, 502, 503, 504) and not strange:
                    if len(text) > most:
                        raise Refused("the server's answer is too long")
                    return status, text
                wait = min(float(after), 3600.0) if after.isdecimal() else pause
            self.pause(wait)
            pause = min(2 * pause, 300.0)


def read_answer(text):
    with contextlib.suppress(TypeError, ValueError, RecursionError):
        return dict(**json.loads(text))
    return {}


def draw_report(server, task, digest, record):
    """A slot that lasts long enough, its model, and one report."""
    schema, facts = task["schema"], task["facts"]
    delay = random.SystemRandom().random() * task["terms"]["delay_seconds"]
    while True:
        status, text = server.ask("POST", "/v1/slot")
        slot, now = read_answer(text), time.monotonic()
        if status != 200 or slot.get("task") != digest:
            raise Refused(f"no slot: {slot.get('error', status)!r:.100}")
        most = (("round", facts["rounds"] - 1), ("seconds", 86400))
        if not all(type(slot.get(name)) is int and 0 <= slot[name] <= top for name, top in most) \
                or not re.fullmatch("[0-9a-f]{64}", str(slot.get("model"))):
            raise Refused("the server's slot is none")
        end = now + slot["seconds"]
        status, model = server.ask("GET", f"/v1/model/{slot['model']}", most=8 * facts["dimension"])
        if status != 200 or hashlib.sha256(model).hexdigest() != slot["model"]:
            raise Refused("the server's model is not the one it named")
        if time.monotonic() + delay + 1 <= end:
            break
        server.pause(end - time.monotonic())
    point = struct.unpack(f"<{facts['dimension']}d", model)
    if not math.sqrt(sum(x * x for x in point)) <= task["terms"]["largest_norm"]:
        raise Refused("the server's model is longer than the task allows")
    target = record.get(schema["target"]["column"])
    label = 1 if any(same(target, one) for one in schema["target"]["positive"]) else -1
    values = gradient(task, encode(schema, record), label, point)
    return frame(task, digest, slot, secrets.randbits(64), randomise(task, values)), delay


def keep(file, content):
    """Whole and durable, or not at all."""
    draft = file.with_suffix(f".{os.getpid()}")
    with open(draft, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    with contextlib.suppress(FileExistsError):  # a second report is never kept
        os.link(draft, file)
    draft.unlink()
    descriptor = os.open(file.parent, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def take_part(url, task_file, token, record, folder, patience=3600.0):
    """The server's last word: "counted", or why the report does not count."""
    text = pathlib.Path(task_file).read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    task, folder = read_task(text), pathlib.Path(folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    server = Server(url, token, patience)
    kept = folder / f"{digest}.report"
    if not kept.exists():
        report, delay = draw_report(server, task, digest, record)
        keep(kept, report)  # from here on these bytes are the only ones ever sent
        time.sleep(delay)
    status, answer = server.ask("POST", "/v1/report", kept.read_bytes())
    if status == 200:
        return "counted"
    code = read_answer(answer).get("error", status)
    if code not in FINAL:
        raise Refused(f"the server does not take the report: {code!r:.100}")
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("url")
    for name in ("--task", "--token-file", "--record", "--state"):
        parser.add_argument(name, required=True)
    given = parser.parse_args()
    try:
        print(take_part(given.url, given.task, pathlib.Path(given.token_file).read_text().strip(),
                        json.loads(pathlib.Path(given.record).read_text()), given.state))
    except Refused as why:
        sys.exit(f"device: {why}")


if __name__ == "__main__":
    main()
