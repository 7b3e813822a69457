"""Files are changed at random: what the reader takes, its schema takes too.

    mutations.py TACET COUNT        so many changes of each format; exit code 77 without jsonschema

The formats are those that the program reads: event, receipt, schema, model, task. A schema describes
shape alone, so that the reader may refuse more. It must refuse a good part of what the reader
refuses, else it would say nothing.
"""

import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import formats

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LEAST_SHARE = 0.5  # of what readers refuse, that schemas refuse


class Tacet:
    def __init__(self, program, folder):
        self.program, self.folder = str(pathlib.Path(program).resolve()), folder

    def run(self, *words):
        """(exit code, standard error)"""
        done = subprocess.run([self.program, *words], cwd=self.folder, check=False, timeout=300,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
        return done.returncode, done.stderr.decode("utf-8", "replace")

    def make(self, *words):
        code, errors = self.run(*words)
        if code != 0:
            sys.exit(f"tacet {' '.join(words)}: exit code {code}: {errors}")

    def value(self, name):
        text = (self.folder / name).read_bytes().partition(b"\n\0")[0]
        try:
            return json.loads(text)
        except ValueError:  # behind the first line of a wide model stand numbers
            return json.loads(text.partition(b"\n")[0])


# ---- changes

STRANGE = (0, -1, 1.5, 1e300, 2 ** 40, "", "x", "inf", True, [], {}, ["x"], [1], {"x": 1}, None)


def strange(draw):
    """One of them, of which no other place has a part."""
    return copy.deepcopy(draw.choice(STRANGE))


def places(value, path=()):
    """Every place in the value, by keys and numbers."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) \
        if isinstance(value, list) else ()
    for key, one in items:
        yield from places(one, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(value, draw):
    """The value with one to two changes, and what they were."""
    value = copy.deepcopy(value)
    said = []
    for _ in range(draw.choice((1, 1, 2))):
        path = draw.choice([one for one in places(value) if one] or [()])
        if not path:
            return value, ["nothing is left to change"]
        parent, key = at(value, path[:-1]), path[-1]
        kind = draw.choice(("remove", "replace", "replace", "add", "swap", "double"))
        other = at(value, draw.choice(list(places(value))))
        if kind == "remove":
            del parent[key]
        elif kind == "add" and isinstance(parent[key], dict):
            parent[key][draw.choice(("stray", "version", "name", "kind"))] = strange(draw)
        elif kind == "double" and isinstance(parent[key], list):
            parent[key] = parent[key] * 2
        elif kind == "swap":
            parent[key] = copy.deepcopy(other)
        else:
            parent[key] = strange(draw)
        said.append(f"{kind} {'.'.join(map(str, path))}")
    return value, said


# ---- readers: each says whether the program takes a value

def toml(value):
    """A value of a schema file."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def holds_null(value):
    return value is None or (isinstance(value, dict) and any(map(holds_null, value.values()))) \
        or (isinstance(value, list) and any(map(holds_null, value)))


UNPROTECTED = {"version": 1, "algorithm": "gradient", "calibration": "tight", "protected": False,
               "unprotected_reason": "a test", "privacy_unit": "record", "sampling": "full_batch",
               "guarantee": {"epsilon": 1, "delta": 0.1, "adjacency": "add_remove"},
               "public_row_count": None, "randomness": "secure", "prg_slack": 0,
               "software_version": "0", "parameters": {}}


def reads_receipt(tacet, value):
    (tacet.folder / "changed.json").write_text(json.dumps(value), encoding="utf-8")
    return tacet.run("verify", "changed.json")[0] != 3


def reads_event(tacet, value):
    # A receipt that protects nobody is read and not accounted.
    return reads_receipt(tacet, {**UNPROTECTED, "events": value})


def reads_schema(tacet, value):
    if holds_null(value) or not isinstance(value, dict):
        return False
    lines = [f"{json.dumps(key)} = {toml(one)}" for key, one in value.items()]
    (tacet.folder / "changed.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tacet.run("plan", "--schema", "changed.toml", "--epsilon", "inf")[0] != 3


def reads_model(tacet, value):
    (tacet.folder / "changed.json").write_text(json.dumps(value), encoding="utf-8")
    code, errors = tacet.run("show", "changed.json", "--json")
    if code == 0 or "the checksum does not fit" not in errors:
        return code == 0
    # The checksum is looked at last, so that all else was taken; one of another form is refused by it.
    return re.fullmatch("sha256:[0-9a-f]{64}", str(value["checksum"])) is not None


def reads_task(tacet, value):
    (tacet.folder / "changed.json").write_text(json.dumps(value, indent=1), encoding="utf-8")
    (tacet.folder / "changed.state").unlink(missing_ok=True)
    return tacet.run("local", "enrol", "changed.json", "--state", "changed.state")[0] == 0


READERS = {"event": reads_event, "receipt": reads_receipt, "schema": reads_schema,
           "model": reads_model, "task": reads_task}

EVENT = {"version": 1, "event": {"kind": "composed", "parts": [
    {"kind": "poisson_sampled", "rate": 0.01, "base": {"kind": "gaussian", "noise_multiplier": 2.0}},
    {"kind": "repeated", "count": 3, "base": {"kind": "pure_dp", "epsilon": 0.1,
                                              "adjacency": "replace_one"}},
    {"kind": "partitioned", "assignment": "by_record",
     "parts": [{"kind": "laplace", "noise_multiplier": 3.0}]},
    {"kind": "profile", "points": [[0.1, 0.2], [1.0, 0.1]], "adjacency": "add_remove"},
    {"kind": "randomly_repeated", "law": "poisson", "mean": 2.0, "cap": 0,
     "base": {"kind": "zcdp", "rho": 0.1, "adjacency": "zero_out"}}]}}

SCHEMA = """name = "people"
public_row_count = 100
missing = ["", "NA"]
interactions = [["town", "code"]]
[format]
separator = ";"
[target]
column = "ill"
positive = "yes"
negative = ["no"]
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 99
knots = 5
[[column]]
name = "born"
kind = "date"
lower = "1900-01-01"
upper = "2020-12-31"
[[column]]
name = "town"
kind = "categorical"
categories = ["a", "b"]
other = "column"
[[column]]
name = "code"
kind = "categorical"
categories = ["1", "2"]
[[column]]
name = "tags"
kind = "ids"
count = 5
embedding = 2
[[column]]
name = "words"
kind = "text"
bits = 3
"""


def corpus(tacet):
    """{format: [values as the program writes them]}"""
    folder = tacet.folder
    (folder / "s.toml").write_text(SCHEMA, encoding="utf-8")
    rows = [f"{k % 90};19{10 + k % 80}-01-02;{'ab'[k % 2]};{1 + k % 2};{k % 5} {k % 3};some words;"
            f"{'yes' if k % 3 else 'no'}" for k in range(100)]
    (folder / "d.csv").write_text("\n".join(["age;born;town;code;tags;words;ill", *rows]) + "\n",
                                  encoding="utf-8")
    common = ("train", "d.csv", "--schema", "s.toml", "--quiet", "--output")
    tacet.make(*common, "m.json", "--epsilon", "1", "--delta", "1e-3", "--seed", "1")
    tacet.make(*common, "n.json", "--epsilon", "inf")
    tacet.make(*common, "w.json", "--epsilon", "inf", "--model", "wide", "--hidden", "4",
               "--steps", "2", "--batch-size", "10")
    tacet.make("local", "task", "--schema", "s.toml", "--epsilon", "4", "--public-row-count",
               "100000", "--output", "t.json")
    models = [tacet.value(name) for name in ("m.json", "n.json", "w.json")]
    return {"event": [EVENT], "receipt": [{**UNPROTECTED, "events": EVENT}, models[0]["receipt"]],
            "schema": [models[0]["schema"]], "model": models[:2], "task": [tacet.value("t.json")],
            "wide": models[2:]}


def main(program, count):
    if formats.validators() is None:
        print("the Python package jsonschema is not installed: left out")
        return 77
    faults = []
    with tempfile.TemporaryDirectory(prefix="tacet-mutations-") as name:
        tacet = Tacet(program, pathlib.Path(name))
        values = corpus(tacet)
        for one in values.pop("wide"):
            formats.check("model", one)
        for name, originals in values.items():
            draw = random.Random(f"{name} 1")
            refused = seen = 0
            for original in originals:
                formats.check(name, original)
                if not READERS[name](tacet, original):
                    sys.exit(f"the program does not read its own {name}")
            for _ in range(int(count)):
                value, said = changed(draw.choice(originals), draw)
                taken = READERS[name](tacet, value)
                valid = formats.validators()[name].is_valid(value)
                if taken and not valid:
                    try:
                        formats.check(name, value)
                    except formats.Fault as fault:
                        faults.append(f"{name}, {', '.join(said)}: the reader takes it, but {fault}")
                refused += not taken
                seen += not taken and not valid
            print(f"{name}: {count} changes, {refused} refused, {seen} of them by the schema")
            if seen < LEAST_SHARE * refused:
                faults.append(f"{name}: the schema sees {seen} of {refused} that readers refuse")
    print("\n".join(faults[:20]))
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
