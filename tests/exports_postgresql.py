"""A model as a query of PostgreSQL gives the program's answers.

    exports_postgresql.py TACET

Starts a server of its own in a temporary folder, reached by a socket alone. Exit code 77 where
PostgreSQL is not installed. The models and records are those of exports.py; the table once has
types and once is all text, as one that was imported.
"""

import csv
import glob
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import exports


class Server:
    """A server of PostgreSQL; as root it is the user postgres, which root must not be."""

    def __init__(self, programs, folder):
        self.programs, self.folder = pathlib.Path(programs), folder
        self.before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.before:
            shutil.chown(folder, "postgres")
        self._run("initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
                  "--no-sync")
        self._run("pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w", "-o",
                  f"-k {folder} -c listen_addresses='' -c fsync=off", "start")

    def stop(self):
        self._run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")

    def sql(self, text):
        done = subprocess.run([*self.before, self.programs / "psql", "-h", self.folder, "-U",
                               "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1"], input=text,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, cwd=self.folder)
        exports.expect(done.returncode == 0, f"psql: {done.stderr[:2000]}")
        return done.stdout

    def _run(self, program, *words):
        # A server keeps what it inherits, so that its output goes nowhere.
        done = subprocess.run([*map(str, [*self.before, self.programs / program, *words])],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                              cwd=self.folder)
        exports.expect(done.returncode == 0, f"{program} failed")


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def table(rows, typed):
    """The statements that make the table with its rows."""
    kinds = ["text" if not typed or name in exports.TEXTS else
             "date" if name == "day" else "float8" for name in exports.NAMES]
    columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in zip(exports.NAMES, kinds))
    lines = []
    for k, row in enumerate(rows):
        cells = ["" if kind != "text" and row[name] in exports.MISSING else quoted(row[name])
                 for name, kind in zip(exports.NAMES, kinds)]
        lines.append(",".join([str(k), *cells]))
    return (f"DROP TABLE IF EXISTS people; CREATE TABLE people (id integer, {columns});\n"
            "COPY people FROM STDIN WITH (FORMAT csv);\n" + "\n".join(lines) + "\n\\.\n")


def answers(server, query, rows, typed):
    text = server.sql(table(rows, typed) + "SET datestyle = 'German';\nCOPY (\n"
                      + query.rstrip().rstrip(";") + "\n) TO STDOUT WITH (FORMAT csv, HEADER);\n")
    found = sorted(csv.DictReader(io.StringIO(text)), key=lambda row: int(row["id"]))
    exports.expect(len(found) == len(rows), f"{len(found)} rows")
    return found


def check(server, kind, query, rows, expected):
    for typed in (True, False):
        for k, row in enumerate(answers(server, query, rows, typed)):
            said = f"{kind}, typed {typed}: {rows[k]}: {row}"
            if kind == "number":
                near = abs(float(row["prediction_UNPROTECTED"]) - expected["predictions"][k]) <= 1e-9
                exports.expect(near, f"{said}, not {expected['predictions'][k]}")
                continue
            exports.expect(row["prediction_UNPROTECTED"] == expected["predictions"][k], said)
            names = ["probability"] if kind == "two" else [f"probability_{c}" for c in (1, 2, 3)]
            for name, right in zip(names, expected["probabilities"][k][-len(names):]):
                exports.expect(abs(float(row[name + "_UNPROTECTED"]) - right) <= 1e-9,
                               f"{said}, not {expected['probabilities'][k]}")


def main(tacet):
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin")) or \
        [str(pathlib.Path(found).parent) for found in [shutil.which("initdb")] if found]
    if not programs:
        print("PostgreSQL is not installed: left out")
        return 77
    train, new = list(exports.records(400, 1)), list(exports.records(600, 2))
    new[0]["day"], new[1]["day"], new[2]["day"] = "2011-02-31", "no day", "2012-02-29"
    with tempfile.TemporaryDirectory(prefix="tacet-pg-") as name:
        folder = pathlib.Path(name)
        (folder / "server").mkdir()
        folder.chmod(0o755)
        server = Server(programs[-1], folder / "server")
        try:
            exports.write_csv(folder / "train.csv", train)
            exports.write_csv(folder / "new.csv", new)
            for kind, target in exports.TARGETS.items():
                schema, model = folder / "s.toml", folder / f"{kind}.json"
                schema.write_text(exports.SCHEMA.format(target=target, scaling=""), encoding="utf-8")
                exports.run(tacet, "train", folder / "train.csv", "--schema", schema, "--epsilon",
                            "inf", "--quiet", "--output", model)
                predict = (tacet, "predict", model, folder / "new.csv", "--json")
                expected = json.loads(exports.run(*predict))
                if kind != "number":
                    expected.update(json.loads(exports.run(*predict, "--proba")))
                query = exports.run(tacet, "export", model, "--format", "sql", "--dialect",
                                    "postgresql", "--table", "people", "--keep", "id")
                # The typed table cannot hold what is no day.
                typed_rows = [{**row, "day": "" if k < 2 else row["day"]} for k, row in enumerate(new)]
                check(server, kind, query, typed_rows, expected)
                found = answers(server, query, new, False)
                again = answers(server, query, typed_rows, False)
                exports.expect(found == again, f"{kind}: what is no day is not missing")
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
