"""Runs the commands of docs/how-to/sources.md with the clients that this machine has.

    sources.py TACET SOURCE CLIENT...

Each block of the page names its client; those of these clients are run. The model must be the one that
the CSV file gives, whose seed a wrapper adds. PostgreSQL has a server of its own on 127.0.0.1.
Where none of the clients is installed: exit 77, skipped.
"""

import csv
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
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


def has_client(name):
    if name != "pyarrow":
        return shutil.which(name) is not None
    return subprocess.run(["python3", "-c", "import pyarrow.csv, pyarrow.feather"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


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
    if has_client("pyarrow"):
        subprocess.run(["python3", "-c", "import pyarrow.csv as c, pyarrow.feather as f\n"
                        "texts = c.ConvertOptions(column_types=dict.fromkeys("
                        f"{NAMES}, 'string'))\n"
                        "f.write_feather(c.read_csv('visits.csv', convert_options=texts), "
                        "'visits.arrow')"], cwd=folder, check=True)
    if has_client("duckdb"):
        subprocess.run(["duckdb", "-c", "COPY (FROM read_csv('visits.csv', all_varchar = true)) "
                        "TO 'visits.parquet'"], cwd=folder, check=True)


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


class Server:
    """A PostgreSQL server of its own, with the table and the reader of the page."""

    def __init__(self, folder):
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        self.programs = found[-1].parent if found else None
        self.folder = folder / "server"
        self.environment = {}

    def run(self, *command):
        """As another user where this is the root, whom the server refuses."""
        switch = {"user": "nobody"} if os.getuid() == 0 else {}
        # A server keeps what it inherits, so that its output goes nowhere.
        subprocess.run([str(word) for word in command], check=True, cwd="/", **switch,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def start(self, table):
        self.folder.mkdir(mode=0o700)
        if os.getuid() == 0:
            os.chown(self.folder, pwd.getpwnam("nobody").pw_uid, -1)
            self.folder.parent.chmod(0o711)
        owner = "nobody" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
        self.run(self.programs / "initdb", "-D", self.folder / "data", "-A", "trust", "-U", owner,
                 "--no-sync")
        port = free_port()
        self.run(self.programs / "pg_ctl", "-D", self.folder / "data", "-w", "-o",
                 f"-c listen_addresses=127.0.0.1 -p {port} -k '' -c fsync=off", "-l",
                 self.folder / "log", "start")
        self.environment = {"PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "reader"}
        psql = ["psql", "-q", "-X", "-v", "ON_ERROR_STOP=1"]
        known = {**os.environ, **self.environment, "PGUSER": owner}
        subprocess.run([*psql, "-d", "postgres", "-c", "CREATE DATABASE clinic", "-c",
                        "CREATE ROLE reader LOGIN"], check=True, env=known)
        subprocess.run([*psql, "-d", "clinic", "-c",
                        "CREATE TABLE visits (age text, code text, seen text)", "-c",
                        "GRANT SELECT ON visits TO reader", "-c",
                        f"\\copy visits FROM '{table}' CSV HEADER"], check=True, env=known)

    def at_its_address(self, block):
        return block.replace("db.example.org:5432", "127.0.0.1:" + self.environment["PGPORT"])

    def stop(self):
        if self.environment:
            self.run(self.programs / "pg_ctl", "-D", self.folder / "data", "-m", "immediate",
                     "stop")


def blocks_of(page):
    return re.findall(r"^```sh (\w+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def wrapper_in(folder, tacet):
    """A folder with a tacet that has a seed."""
    folder.mkdir()
    (folder / "tacet").write_text(f'#!/bin/sh\nexec {tacet} "$@" --seed 1 --quiet --force\n')
    (folder / "tacet").chmod(0o755)
    return folder


def run_block(block, folder, environment):
    """The model of the block, and what becomes of it where its client fails."""
    def run(text):
        (folder / "model.json").unlink(missing_ok=True)
        return subprocess.run(["sh", "-u", "-c", text], cwd=folder, env=environment, check=False,
                              capture_output=True, text=True)
    done = run(block)
    assert done.returncode == 0, f"{block}\n{done.stderr}"
    same = (folder / "model.json").read_bytes() == (folder / "plain.json").read_bytes()
    assert same, f"another model:\n{block}"
    # A client that fails leaves no mark, so that nothing is trained.
    broken = run(block.replace("visits", "no_such_table"))
    assert broken.returncode == 3, f"{broken.returncode}, not 3: {block}\n{broken.stderr}"
    assert not (folder / "model.json").exists()


def main(tacet, source, *clients):
    page = (pathlib.Path(source) / "docs/how-to/sources.md").read_text(encoding="utf-8")
    blocks = blocks_of(page)
    known = {"psql", "sqlite3", "duckdb", "pyarrow", "cat"}
    if {client for client, _ in blocks} != known or not set(clients) <= known:
        sys.exit(f"the page's clients are not {sorted(known)}, or other ones are named")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server = Server(folder)
        here = {client for client in clients if has_client(client)
                and (client != "psql" or server.programs)}
        if not here:
            sys.exit(77)
        make_files(folder)
        program = pathlib.Path(tacet).resolve()
        path = f"{wrapper_in(folder / 'bin', program)}:{os.environ['PATH']}"
        environment = dict(os.environ, PATH=path)
        subprocess.run(["tacet", "train", "visits.csv", "--schema", "s.toml", "--epsilon", "1",
                        "-o", "plain.json"], cwd=folder, env=environment, check=True,
                       stderr=subprocess.DEVNULL)
        try:
            if "psql" in here:
                server.start(folder / "visits.csv")
                environment |= server.environment
            for client, block in blocks:
                if client == "psql" and client in here:
                    block = server.at_its_address(block)
                if client in here:
                    run_block(block, folder, environment)
        finally:
            server.stop()
    print("ran:", ", ".join(sorted(here)), "; not here:",
          ", ".join(sorted(set(clients) - here)) or "none")


if __name__ == "__main__":
    main(*sys.argv[1:])
