"""Files of every released version are read, verified and shown by the program of today, to the same
guarantee.

    released.py TACET                   tests what lies in tests/formats/released/VERSION, and files that
                                        TACET makes now, so that the test holds before the first release
    released.py TACET --keep VERSION    makes the files of a version that is released, for ever

A folder has model files (linear, wide, unprotected, with curves), a schema, a plan, an event, a task
and a ledger, and `expected.json`, what the program of that version said of each. Numbers of guarantees
have to be the same, but for the last digits; what is shown may grow by further keys.
"""

import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

import formats
import mutations

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE / "released"
MODELS = ("m.json", "n.json", "w.json")
STATE = "asked.state"  # what a question leaves, and the next must not find
# (name of the answer, words): each prints JSON of what was kept.
QUESTIONS = tuple([(f"verify {name}", ("verify", name)) for name in MODELS]
                  + [(f"show {name}", ("show", name)) for name in MODELS]
                  + [("predict m.json", ("predict", "m.json", "d.csv")),
                     ("plan", ("plan", "--schema", "s.toml", "--epsilon", "1", "--delta", "1e-3")),
                     ("event", ("account", "e.json", "--delta", "1e-6")),
                     ("ledger verify", ("ledger", "verify", "a.ledger")),
                     ("ledger show", ("ledger", "show", "a.ledger")),
                     ("task", ("local", "enrol", "t.json", "--state", STATE))])
# What a later version has to say in the same words and numbers.
LASTING = ("verdict", "protected", "guarantee", "epsilon", "delta", "adjacency", "privacy_unit",
           "algorithm", "sound", "rows", "spent", "cap", "predictions", "classes")
EVENT = {"version": 1, "event": {"kind": "composed", "parts": [
    {"kind": "gaussian", "noise_multiplier": 4.0},
    {"kind": "poisson_sampled", "rate": 0.01, "base": {"kind": "gaussian", "noise_multiplier": 2.0}}]}}


def ask(tacet, folder, words):
    """(exit code, value or None)"""
    done = subprocess.run([tacet, *words, "--json", "--quiet"], cwd=folder, check=False, timeout=300,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    formats.expect_printed([*words, "--json"], done.stdout)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else done.stderr


def answers(tacet, folder):
    found = {name: ask(tacet, folder, words) for name, words in QUESTIONS}
    for left in folder.glob(f"{STATE}*"):
        left.unlink()
    return found


def make(tacet, folder):
    mutations.corpus(mutations.Tacet(tacet, folder))  # s.toml, d.csv, three models, a task
    (folder / "e.json").write_text(json.dumps(EVENT), encoding="utf-8")
    tool = mutations.Tacet(tacet, folder)
    tool.make("ledger", "init", "a.ledger", "--data-set", "people", "--epsilon", "3", "--delta", "1e-3")
    tool.make("train", "d.csv", "--schema", "s.toml", "--quiet", "--epsilon", "1", "--delta", "1e-4",
              "--ledger", "a.ledger", "--data-set", "people", "--output", "booked.json")
    (folder / "booked.json").unlink()
    found = answers(tacet, folder)
    failed = {name: said for name, (code, said) in found.items() if code != 0}
    if failed:
        sys.exit(f"of what was just made is not read: {failed}")
    (folder / "expected.json").write_text(
        json.dumps({name: said for name, (_, said) in found.items()}, indent=1) + "\n",
        encoding="utf-8")


def same(one, other):
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(other, (int, float)) and math.isclose(one, other, rel_tol=1e-9)
    if isinstance(one, dict):
        return isinstance(other, dict) and all(
            key in other and same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    return one == other


def lasting(value):
    """What must not change, of whatever depth: the parts under the keys of LASTING."""
    if isinstance(value, dict):
        return {key: one if key in LASTING else lasting(one) for key, one in value.items()
                if key in LASTING or isinstance(one, (dict, list))}
    if isinstance(value, list):
        return [lasting(one) for one in value if isinstance(one, (dict, list))]
    return value


def check(tacet, kept):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "files"
        shutil.copytree(kept, folder)  # a ledger that is read may be locked beside itself
        expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        for question, (code, said) in answers(tacet, folder).items():
            if code != 0:
                sys.exit(f"{kept.name}: {question} ends with {code}: {said}")
            if question not in expected:
                sys.exit(f"{kept.name}: nothing is kept of '{question}'")
            before, now = lasting(expected[question]), lasting(said)
            if not same(before, now):
                sys.exit(f"{kept.name}: {question} said {before}, and says {now}")
            if question.startswith("verify") and "n.json" not in question and \
                    "follows" not in json.dumps(before):
                if said.get("verdict") != expected[question].get("verdict"):
                    sys.exit(f"{kept.name}: {question} has another verdict")
        damaged = json.loads((folder / "m.json").read_text(encoding="utf-8"))
        damaged["receipt"]["guarantee"]["epsilon"] /= 2
        (folder / "m.json").write_text(json.dumps(damaged), encoding="utf-8")
        if ask(tacet, folder, ("verify", "m.json"))[0] == 0:
            sys.exit(f"{kept.name}: a model with half of its epsilon is verified")


def main(program, *more):
    tacet = str(pathlib.Path(program).resolve())
    if more[:1] == ("--keep",):
        folder = KEPT / more[1]
        if folder.exists():
            sys.exit(f"{folder} exists; files of a release are never changed")
        folder.mkdir(parents=True)
        make(tacet, folder)
        print(f"kept in {folder}: {sorted(path.name for path in folder.iterdir())}")
        return
    with tempfile.TemporaryDirectory() as name:
        now = pathlib.Path(name) / "now"
        now.mkdir()
        make(tacet, now)
        check(tacet, now)
    kept = sorted(path for path in KEPT.glob("*") if path.is_dir())
    for folder in kept:
        check(tacet, folder)
    print(f"files of today and of {len(kept)} released versions are read to the same guarantee")


if __name__ == "__main__":
    main(*sys.argv[1:])
