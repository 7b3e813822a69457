#!/usr/bin/env python3
"""Trains on the devices of Adult through `tacet serve`, and looks at what came out.

    local_serve.py PROGRAM LOCAL_DEVICES DATA [JOINS [LIARS [GROUPS]]]

DATA is a folder with adult/adult.train.csv.gz and adult.test.csv.gz; "-": the one that TACET_DATA
names, and without it nothing is done (exit code 77). All 32,561 records are devices
at epsilon 4, 8 a round; JOINS of them (default 100) are `tacet join` processes of their own, the
others threads of LOCAL_DEVICES. LIARS in a thousand send one fixed direction; GROUPS is the task's
robust mode. Where `openssl` is installed, all of it over TLS. Prints a JSON row: accuracy on the
test set, CPU of the server, and what the replay says of the bits. Exit code 1 where honest devices
miss an accuracy of .795 or 200 s, or where the model is not what the reports come to.
"""

import gzip
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

MIN_ACCURACY = 0.795
MAX_SECONDS = 200
BATCH = 8
DEVICES = 32561
LEFT_OUT = 77

POLICY = 'largest_epsilon = 4\nall_tasks_epsilon = 4\nmechanisms = ["privunit"]\n'


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


def certificate(folder):
    """One that signs itself; None where there is no openssl."""
    try:
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-keyout", "key.pem", "-out", "certificate.pem", "-days", "2", "-subj",
            "/CN=load", "-addext", "subjectAltName=IP:127.0.0.1", cwd=folder)
    except FileNotFoundError:
        return []
    return ["--certificate", "certificate.pem", "--key", "key.pem"]


def start(program, folder, secure):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([program, "serve", "task.json", "--state", "task.state", "--listen",
                               f"127.0.0.1:{port}", "--requests-per-second", "1000000",
                               "--connections-per-second", "1000000", *secure],
                              cwd=folder)
    for _ in range(1000):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server, f"{'https' if secure else 'http'}://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.01)
    raise RuntimeError("the server does not come up")


def join_all(program, folder, url, records, tokens, secure):
    crowd = []
    (folder / "policy.toml").write_text(POLICY)
    for i, (record, token) in enumerate(zip(records, tokens)):
        (folder / f"record{i}.csv").write_text(record)
        (folder / f"token{i}").write_text(token)
        crowd.append(subprocess.Popen(
            [program, "join", url, "--task", "task.json", "--data", f"record{i}.csv",
             "--token-file", f"token{i}", "--policy", "policy.toml", "--state", f"device{i}",
             "--quiet", *(["--ca", "certificate.pem"] if secure else [])],
            cwd=folder, stdout=subprocess.DEVNULL))
    return crowd


def main(program, devices, data, joins="100", liars="0", groups="0"):
    program, devices = os.path.abspath(program), os.path.abspath(devices)
    source = pathlib.Path(__file__).resolve().parents[2]
    if data == "-":
        data = os.environ.get("TACET_DATA", "")
        if not data:
            print("left out: TACET_DATA names no folder with data sets")
            return LEFT_OUT
    train = pathlib.Path(data).resolve() / "adult/adult.train.csv.gz"
    test = train.with_name("adult.test.csv.gz")
    with tempfile.TemporaryDirectory(prefix="tacet-serve-") as name:
        folder = pathlib.Path(name)
        schema = source / "data/schemas/adult.toml"
        run(program, "local", "task", "--schema", str(schema), "--epsilon", "4",
            "--public-row-count", str(DEVICES), "--batch-size", str(BATCH), "--delay", "0",
            "--robust-groups", groups, cwd=folder)
        tokens = run(program, "local", "enrol", "task.json", "--state", "task.state", "--count",
                     str(DEVICES), cwd=folder).split()
        with gzip.open(train, "rt") as file:
            text = file.read().splitlines()
        # The last records are processes of their own.
        alone = int(joins)
        few = text[len(text) - alone:] if alone else []
        (folder / "tokens").write_text("\n".join(tokens[:DEVICES - alone]) + "\n")
        secure = certificate(folder)
        server, url = start(program, folder, secure)
        begin = time.monotonic()
        header = text[0] + "\n"
        crowd = join_all(program, folder, url, [header + one + "\n" for one in few],
                         tokens[DEVICES - alone:], secure)
        load = run(devices, url, "task.json", str(train), "tokens", "12", liars,
                   *(["certificate.pem"] if secure else []), cwd=folder)
        failed = sum(process.wait() != 0 for process in crowd)
        seconds = time.monotonic() - begin
        server.send_signal(signal.SIGTERM)
        _, status, used = os.wait4(server.pid, 0)
        replay = run(program, "local", "replay", "task.state", "--verify", cwd=folder)
        run(program, "local", "model", "task.state", cwd=folder)
        score = json.loads(run(program, "evaluate", "model.json", str(test), "--public",
                               "--json", cwd=folder))
        score = score.get("metrics", score)
        counted = json.loads(load)["devices"] + alone - failed
        print(json.dumps({"liars_in_1000": int(liars), "robust_groups": int(groups),
                          "tls": bool(secure), "joins": alone, "counted": counted,
                          "seconds": round(seconds, 1),
                          "server_cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
                          "server_megabytes": used.ru_maxrss // 1024, "replay": replay.strip(),
                          "accuracy": score["accuracy"], "auc": score["auc"]}))
        # Whoever comes after the last whole round is told so, and has spent nothing.
        right = status == 0 and counted == DEVICES - DEVICES % BATCH
        good = score["accuracy"] >= MIN_ACCURACY and seconds < MAX_SECONDS
        return 0 if right and (good or int(liars) > 0 or int(groups) > 0) else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    sys.exit(main(*sys.argv[1:]))
