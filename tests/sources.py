"""Runs the commands of docs/how-to/sources.md with the clients that this machine has.

    sources.py TACET SOURCE

Each block of the page names its client. The model must be the one that the CSV file gives, whose
seed a wrapper adds. Without any client beside the shell's tools: exit 77, skipped.
"""

import csv
import json
import os
import pathlib
import pwd
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

SCHEMA = """
public_row_count = 400
[target]
column = "seen"
positive = "yes"
negative = "no"
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 100
[[column]]
name = "code"
kind = "categorical"
categories = ["00037", "00121"]
"""
ROWS = [[str(k * 37 % 100), ("00037", "00121")[k % 2], "yes" if k * 37 % 100 > 40 else "no"]
        for k in range(400)]
NAMES = ["age", "code", "seen"]


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([NAMES, *rows])


def make_files(folder):
    """The records in every form that a client of the page reads."""
    write_csv(folder / "visits.csv", ROWS)
    write_csv(folder / "visits_1.csv", ROWS[:150])
    write_csv(folder / "visits_2.csv", ROWS[150:])
    (folder / "s.toml").write_text(SCHEMA, encoding="utf-8")
    with open(folder / "visits.jsonl", "w", encoding="utf-8") as file:
        for row in ROWS:
            file.write(json.dumps(dict(zip(NAMES, row))) + "\n")
    base = sqlite3.connect(folder / "clinic.db")
    base.execute("CREATE TABLE visits (age TEXT, code TEXT, seen TEXT)")
    base.executemany("INSERT INTO visits VALUES (?, ?, ?)", ROWS)
    base.commit()
    base.close()
    if shutil.which("duckdb"):
        subprocess.run(["duckdb", "-c", "COPY (FROM read_csv('visits.csv', all_varchar = true)) "
                        "TO 'visits.parquet'"], cwd=folder, check=True)


class Server:
    """A PostgreSQL server of its own, where its programs are installed."""

    def __init__(self, folder):
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        self.programs = found[-1].parent if found else None
        self.folder = folder / "server"
        self.environment = {}

    def run(self, *command):
        """As another user where this is the root, whom the server refuses."""
        switch = {"user": "nobody"} if os.getuid() == 0 else {}
        subprocess.run([str(word) for word in command], check=True, cwd="/", **switch,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self, table):
        self.folder.mkdir(mode=0o700)
        user = pwd.getpwuid(os.getuid()).pw_name
        if os.getuid() == 0:
            os.chown(self.folder, pwd.getpwnam("nobody").pw_uid, -1)
            self.folder.parent.chmod(0o711)
            user = "nobody"
        self.run(self.programs / "initdb", "-D", self.folder / "data", "-A", "trust", "-U", user)
        self.run(self.programs / "pg_ctl", "-D", self.folder / "data", "-w", "-o",
                 f"-c listen_addresses='' -k {self.folder}", "-l", self.folder / "log", "start")
        self.environment = {"PGHOST": str(self.folder), "PGUSER": user}
        psql = ["psql", "-q", "-v", "ON_ERROR_STOP=1"]
        known = dict(os.environ, **self.environment)
        subprocess.run([*psql, "-d", "postgres", "-c", "CREATE DATABASE clinic"], check=True,
                       env=known)
        subprocess.run([*psql, "-d", "clinic", "-c",
                        "CREATE TABLE visits (age text, code text, seen text)", "-c",
                        f"\\copy visits FROM '{table}' CSV HEADER"], check=True, env=known)

    def stop(self):
        if self.environment:
            self.run(self.programs / "pg_ctl", "-D", self.folder / "data", "-m", "fast", "stop")


def blocks_of(page):
    return re.findall(r"^```sh (\w+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def main(tacet, source):
    page = (pathlib.Path(source) / "docs/how-to/sources.md").read_text(encoding="utf-8")
    blocks = blocks_of(page)
    known = {"psql", "sqlite3", "duckdb", "cat"}
    if {client for client, _ in blocks} != known:
        sys.exit(f"the page's clients are not {sorted(known)}")
    ran = set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_files(folder)
        wrapper = folder / "bin"
        wrapper.mkdir()
        (wrapper / "tacet").write_text(f'#!/bin/sh\nexec {tacet} "$@" --seed 1 --quiet --force\n')
        (wrapper / "tacet").chmod(0o755)
        environment = dict(os.environ, PATH=f"{wrapper}:{os.environ['PATH']}")
        plain = subprocess.run(["tacet", "train", "visits.csv", "--schema", "s.toml", "--epsilon",
                                "1", "-o", "plain.json"], cwd=folder, env=environment)
        assert plain.returncode == 0
        server = Server(folder)
        try:
            for client, block in blocks:
                if not shutil.which(client) or (client == "psql" and not server.programs):
                    continue
                if client == "psql":
                    server.start(folder / "visits.csv")
                (folder / "model.json").unlink(missing_ok=True)
                found = subprocess.run(["sh", "-eu", "-c", block], cwd=folder,
                                       env=dict(environment, **server.environment))
                assert found.returncode == 0, block
                same = (folder / "model.json").read_bytes() == (folder / "plain.json").read_bytes()
                assert same, f"another model:\n{block}"
                # A client that fails leaves no mark, so that nothing is trained.
                (folder / "model.json").unlink()
                broken = block.replace("visits", "no_such_table")
                failed = subprocess.run(["sh", "-u", "-c", broken], cwd=folder,
                                        env=dict(environment, **server.environment),
                                        stderr=subprocess.DEVNULL)
                assert failed.returncode == 3, (failed.returncode, broken)
                assert not (folder / "model.json").exists()
                ran.add(client)
        finally:
            server.stop()
    print("ran:", ", ".join(sorted(ran)), "; not here:", ", ".join(sorted(known - ran)) or "none")
    if ran <= {"cat"}:
        sys.exit(77)


if __name__ == "__main__":
    main(*sys.argv[1:])
