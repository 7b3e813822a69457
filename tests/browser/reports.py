"""The reports that the browser looks at, each made by the commands that a user would type."""
import gzip
import os
import pathlib
import subprocess
import sys
import time

import records

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position


class Maker:
    """Runs the program in `folder`, where all of its files are."""

    def __init__(self, program, tree, folder):
        self.program, self.tree, self.folder = program, tree, folder
        schemas = tree / "data" / "schemas"
        self.census(folder / "census.csv", schemas)
        records.patients(folder / "patients.csv")
        for name, text in (("stays", records.PATIENTS), ("outcomes", records.OUTCOMES),
                           ("readmissions", records.ADMISSIONS)):
            (folder / f"{name}.toml").write_text(text)
        (folder / "applicants.csv").write_bytes((tree / "data" / "berkeley1973.csv").read_bytes())
        (folder / "applicants.toml").write_bytes((schemas / "berkeley1973.toml").read_bytes())

    def census(self, path, schemas):
        """The census of 1994 where it is at hand, else invented records with its columns."""
        text = (schemas / "adult.toml").read_text()
        real = pathlib.Path(os.environ.get("TACET_DATA", "/nowhere")) / "adult" / "adult.train.csv.gz"
        if real.exists():
            path.write_bytes(gzip.decompress(real.read_bytes()))
        else:
            print("browser: invented records stand in for the census, which TACET_DATA does not have")
            records.census(path, schemas / "adult.toml")
            text = text.replace("public_row_count = 32561", "public_row_count = 6000")
        (self.folder / "census.toml").write_text(text)

    def tacet(self, *words, output=None, codes=(0,)):
        done = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            raise SystemExit(f"tacet {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
        if done.returncode == 0:
            formats.expect_printed(words, done.stdout)
        if output:
            (self.folder / output).write_text(done.stdout)

    def report(self, name, *words):
        self.tacet("report", *words, "--output", f"{name}.html", "--numbers", f"{name}.numbers", "--quiet")
        return self.folder / f"{name}.html"


def curves(maker):
    """A census with curves, two kinds of noisy figures, and the account that paid."""
    maker.tacet("ledger", "init", "census.ledger", "--data-set", "adult", "--data", "census.csv", "--epsilon", "3",
                "--delta", "1e-4", "--quiet")
    booked = ("--ledger", "census.ledger")
    maker.tacet("train", "census.csv", "--schema", "census.toml", "--epsilon", "1", "--delta", "1e-5", *booked,
                "--purpose", "Who earns more?", "--date", "2024-05-01", "--output", "census.json", "--quiet")
    maker.tacet("evaluate", "census.json", "census.csv", "--epsilon", "0.5", "--delta", "1e-5", *booked, "--json",
                output="census.metrics.json")
    maker.tacet("describe", "census.csv", "--schema", "census.toml", "--epsilon", "0.5", "--delta", "1e-5", *booked,
                "--json", output="census.summary.json")
    began = time.monotonic()
    page = maker.report("curves", "census.json", "census.metrics.json", "census.summary.json", *booked)
    print(f"browser: the report on the census took {time.monotonic() - began:.2f} s")
    if page.stat().st_size > 400_000:
        raise SystemExit(f"the report on the census has {page.stat().st_size} bytes, more than 400,000")
    return page


def berkeley(maker):
    """The applicants of the tutorial, with everything that it shows."""
    maker.tacet("ledger", "init", "applicants.ledger", "--data-set", "berkeley1973", "--data", "applicants.csv",
                "--epsilon", "3", "--delta", "1e-4", "--quiet")
    booked = ("--ledger", "applicants.ledger")
    maker.tacet("train", "applicants.csv", "--schema", "applicants.toml", "--epsilon", "1", "--delta", "1e-5", *booked,
                "--output", "model.json", "--quiet")
    maker.tacet("evaluate", "model.json", "applicants.csv", "--epsilon", "0.5", "--delta", "1e-5", *booked, "--json",
                output="metrics.json")
    return maker.report("berkeley", "model.json", "metrics.json", *booked)


def classes(maker):
    maker.tacet("train", "patients.csv", "--schema", "outcomes.toml", "--epsilon", "2", "--delta", "1e-5", "--output",
                "outcomes.json", "--quiet")
    maker.tacet("evaluate", "outcomes.json", "patients.csv", "--epsilon", "1", "--delta", "1e-5", "--json",
                output="outcomes.metrics.json")
    return maker.report("classes", "outcomes.json", "outcomes.metrics.json")


def regression(maker):
    maker.tacet("train", "patients.csv", "--schema", "stays.toml", "--method", "inference", "--epsilon", "2", "--delta",
                "1e-5", "--output", "table.json", "--quiet")
    maker.tacet("train", "patients.csv", "--schema", "stays.toml", "--epsilon", "2", "--delta", "1e-5", "--output",
                "stays.json", "--quiet")
    maker.tacet("evaluate", "stays.json", "patients.csv", "--epsilon", "1", "--delta", "1e-5", "--adjacency",
                "add_remove", "--json", output="stays.metrics.json")
    return maker.report("regression", "table.json", "stays.json", "stays.metrics.json")


def published(maker):
    maker.tacet("train", "applicants.csv", "--schema", "applicants.toml", "--method", "objective", "--adjacency",
                "replace_one", "--epsilon", "1", "--calibration", "paper", "--output", "published.json", "--quiet")
    return maker.report("published", "published.json")


def account(maker):
    """300 runs, two of them past the cap, which is raised after the first of them."""
    maker.tacet("ledger", "init", "ward.ledger", "--data-set", "ward", "--data", "patients.csv", "--epsilon", "4",
                "--delta", "1e-5", "--quiet")
    for run in range(300):
        past = run in (200, 299)
        if run == 201:
            maker.tacet("ledger", "cap", "ward.ledger", "--data-set", "ward", "--epsilon", "7", "--delta", "1e-5",
                        "--override", "--reason", "the board agreed on 3 more", "--quiet")
        booking = ("--without-ledger", f"asked for by the ward, {run}") if past else ("--ledger", "ward.ledger")
        maker.tacet("quantile", "patients.csv", "--schema", "stays.toml", "--column", "age", "--q", "0.5", "--epsilon",
                    "3" if past else "0.01", "--adjacency", "add_remove", *booking, "--quiet")
    return maker.report("account", "--ledger", "ward.ledger")


def unprotected(maker):
    maker.tacet("train", "applicants.csv", "--schema", "applicants.toml", "--epsilon", "1", "--seed", "7", "--output",
                "seeded.json", "--quiet")
    return maker.report("unprotected", "seeded.json")


def local(maker):
    maker.tacet("local", "simulate", "applicants.csv", "--schema", "applicants.toml", "--epsilon", "4", "--output",
                "local.json", "--quiet")
    return maker.report("local", "local.json")


def planned(maker):
    maker.report("planned", "--plan", "--schema", "readmissions.toml", "--epsilon", "0.1,0.5,1,2,4", "--rehearse",
                 "patients.csv", "--public")
    return maker.folder / "planned.html"


# Records with an account are known again, and unbooked runs on them refused: accounts come last.
KINDS = (published, unprotected, local, classes, regression, planned, berkeley, curves, account)
