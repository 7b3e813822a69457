#!/usr/bin/env python3
"""Equal results before and after a change of the code.

    run.py PROGRAM [--bits | --renew | --list]

Trains a seeded model in every setting of digests.txt and compares two SHA-256 sums with those in
that file:

- bits: what a release consists of: coefficients, predictions, events, the stated guarantee.
  They change only with a privacy or a utility decision.
- words: everything that is printed or saved: texts, names of keys and parameters, versions.

--bits compares the first kind alone. --renew writes digests.txt again: if you change one of them on
purpose, renew the file in the same commit and say why. --list prints all settings that --renew tries.
It keeps those that train a model and whose bits differ from those of every setting before.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
KEPT = HERE / "digests.txt"
ADJACENCIES = ("add_remove", "zero_out", "replace_one")
METHODS = ("gradient", "output", "phased", "inverse-sensitivity", "objective",
           "regularized-output", "ladder", "localized", "growth", "phased-erm", "adassp")
SMOOTH = ("objective", "regularized-output", "ladder", "localized", "growth", "phased-erm")
NUMBER_LOSSES = ("squared", "huber", "absolute", "smoothed_absolute", "pinball",
                 "smoothed_pinball", "power_regression", "linearised_power_regression",
                 "epsilon_insensitive", "smoothed_epsilon_insensitive",
                 "squared_epsilon_insensitive", "pseudo_huber", "log_cosh")
CLASS_LOSSES = ("logistic", "hinge", "smoothed_hinge", "power_hinge", "linearised_power_hinge")
LOCAL = "# local"  # ends the settings of `tacet local`
AUTO = "--method auto"
COLUMNS = """
[[column]]
name = "a"
kind = "numeric"
lower = 0
upper = 1

[[column]]
name = "b"
kind = "categorical"
categories = ["u", "v", "w"]
"""
TARGETS = {"numbers": '[target]\ncolumn = "y"\nlower = 0\nupper = 10\n',
           "classes": '[target]\ncolumn = "class"\nclasses = ["x", "y", "z"]\n',
           "count": '[target]\ncolumn = "y"\nkind = "count"\nupper = 10\n',
           "share": '[target]\ncolumn = "y"\nkind = "probability"\n',
           "two": '[target]\ncolumn = "two"\npositive = "p"\nnegative = "n"\n'}
# The same with `column a` around its middle, a value that is missing now and then, and a logarithm.
CENTRED = """
[[column]]
name = "a"
kind = "numeric"
lower = -0.5
upper = 2

[[column]]
name = "m"
kind = "numeric"
lower = 0
upper = 90
log1p = true
typical = 9

[[column]]
name = "b"
kind = "categorical"
categories = ["u", "v", "w"]
"""
# Hashed values, more than there are records.
WIDE = COLUMNS + """
[[column]]
name = "person"
kind = "hashed"
bits = 10
"""
BERKELEY = (f"{SOURCE}/data/berkeley1973.csv --schema "
            f"{SOURCE}/data/schemas/berkeley1973.toml")


def records(count):
    """Numbers in [0, 1) from a small linear congruence: the same in every Python."""
    state = 12345
    for _ in range(count):
        values = []
        for _ in range(4):
            state = (state * 1103515245 + 12345) % 2**31
            values.append(state / 2**31)
        yield values


def write_inputs(folder):
    lines = ["y,a,b,person,class,two"]
    more = ["m,y,a,b,person,class,two"]
    for v in records(400):
        lines.append(f"{6 * v[0] + 4 * v[1]:.3f},{v[0]:.3f},{'uvw'[int(3 * v[2])]},"
                     f"p{int(80 * v[3])},{'xyz'[int(3 * v[0])]},{'np'[v[0] + v[1] > 1]}")
        more.append(("NA" if v[2] < 0.1 else f"{100 * v[1] ** 2:.2f}") + f",{lines[-1]}")
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    (folder / "more.csv").write_text("\n".join(more) + "\n")
    for name, target in TARGETS.items():
        ignored = [c for c in ("y", "person", "class", "two") if f'"{c}"' not in target]
        others = ", ".join(f'"{c}"' for c in ignored if c != "person")
        (folder / f"{name}wide.toml").write_text(
            f'public_row_count = 400\n\n{target}\n'
            f'[[column]]\nnames = [{others}]\nkind = "ignored"\n{WIDE}')
        for unit in ("", "unit"):
            names = [c for c in ignored if not (unit and c == "person")]
            quoted = ", ".join(f'"{c}"' for c in names)
            head = 'unit = "person"\n' if unit else ""
            for suffix, columns in (("", COLUMNS), ("2", CENTRED)):
                (folder / f"{name}{unit}{suffix}.toml").write_text(
                    f'{head}public_row_count = 400\n\n{target}\n'
                    f'[[column]]\nnames = [{quoted}]\nkind = "ignored"\n{columns}')


def settings():
    """{name: arguments of `tacet train`}."""
    out = {}

    def add(data, *options):
        words = " ".join(options)
        if not any(word in words for word in ("--method", "--epsilon inf", LOCAL, AUTO)):
            options = "--method gradient", *options
        named = data.replace(BERKELEY, "berkeley1973")
        out[" ".join((named, *options))] = " ".join((data, *options))

    for method in METHODS:
        for adjacency in ADJACENCIES:
            for budget in ("--epsilon 1 --delta 1e-6", "--epsilon 4 --delta 0", "--epsilon 0.3"):
                add(BERKELEY, f"--method {method} --adjacency {adjacency} {budget}")
    for adjacency in ADJACENCIES:
        add(BERKELEY, f"{AUTO} --adjacency {adjacency} --epsilon 1")
        add(BERKELEY, f"--method sparse-groups --group-column department --groups 3 --steps 20 "
                      f"--adjacency {adjacency} --epsilon 1")
        wide = f"--method wide --steps 20 --adjacency {adjacency} --epsilon 1"
        add(BERKELEY, wide)
        add("data.csv --schema twowide.toml",
            f"{wide} --dim 3 --selection adafest --hidden 5,3 --batch-size 100")
    for kind, extra in (("classes", "--optimizer sgd --batch-size 100"),
                        ("numbers", "--optimizer adagrad"), ("two", "--epsilon inf"),
                        ("twounit", "--max-records-per-unit 3 --batch-size 100")):
        epsilon = "" if "--epsilon" in extra else "--epsilon 3"
        add(f"data.csv --schema {kind}.toml",
            f"--method wide --steps 20 --delta 1e-5 {epsilon} {extra}")
    for loss in NUMBER_LOSSES:
        for method in ("gradient", "output", "regularized-output", "ladder"):
            add("data.csv --schema numbers.toml",
                f"--method {method} --loss {loss} --epsilon 2 --delta 1e-5")
    for loss in CLASS_LOSSES:
        for method in ("gradient", "output", "objective", "growth"):
            add("data.csv --schema two.toml",
                f"--method {method} --loss {loss} --epsilon 2 --delta 1e-5")
    for method in METHODS:
        add("data.csv --schema classes.toml", f"--method {method} --epsilon 3 --delta 1e-5")
        for kind in ("numbers", "two"):
            add(f"data.csv --schema {kind}unit.toml",
                f"--method {method} --epsilon 3 --delta 1e-5 --max-records-per-unit 4")
    for sampling in ("poisson", "fixed_size", "partition"):
        for adjacency in ADJACENCIES:
            add(BERKELEY, f"--sampling {sampling} --batch-size 300 --steps 15 --epsilon 1 "
                          f"--adjacency {adjacency}")
    for sampling in ("permutation", "fresh_permutation", "with_replacement", "minibatch"):
        batch = " --batch-size 8" if sampling == "minibatch" else ""
        add(BERKELEY, f"--method output --sampling {sampling} --epsilon 1{batch}")
    for method in ("gradient", "output", "objective", "localized", "growth"):
        add(BERKELEY, f"--method {method} --calibration paper --epsilon 1 --adjacency replace_one")
    for adjacency in ADJACENCIES:
        add(BERKELEY, f"--method adassp --calibration wang2018 --epsilon 1 --adjacency {adjacency}")
    for method, extra in (("gradient", "--steps 2000"), ("regularized-output", "")):
        add(BERKELEY, f"--method {method} --calibration arora2022 --radius 5 --epsilon 1 {extra} "
                      "--adjacency replace_one --delta 1e-6")
    for averaging in ("suffix", "uniform", "last", "polynomial"):
        add(BERKELEY, f"--averaging {averaging} --epsilon 1")
        add(BERKELEY, f"--method output --averaging {averaging} --epsilon 1")
    for extra in ("--l2 0.1", "--radius 2", "--momentum 0.5", "--step-size 0.5", "--average 0",
                  "--clipping-norm 0.2", "--steps 7", "--weight-scale 9"):
        add(BERKELEY, f"{extra} --epsilon 1")
    for method in SMOOTH:
        add(BERKELEY, f"--method {method} --l2 0.05 --epsilon 1")
        add(BERKELEY, f"--method {method} --radius 3 --epsilon 1 --delta 1e-6")
    for record_use in ("reuse", "disjoint"):
        add(BERKELEY, f"--method localized --record-use {record_use} --epsilon 1 --phases 3")
    for method in METHODS:
        add(BERKELEY, f"--method {method} --epsilon inf")
    for schema, losses in (("numbers", NUMBER_LOSSES), ("two", CLASS_LOSSES)):
        for loss in losses:
            for adjacency in ("zero_out", "replace_one"):
                add(f"data.csv --schema {schema}.toml",
                    f"--loss {loss} --adjacency {adjacency} --epsilon 0.5 --delta 1e-6")
    for adjacency in ADJACENCIES:
        for kind in ("numbers", "two"):
            add(f"data.csv --schema {kind}unit.toml",
                f"--batch-size 40 --steps 20 --adjacency {adjacency} --epsilon 2 --delta 1e-5 "
                "--max-records-per-unit 3")
    add_centred(add)
    add_devices(add)
    return out


def add_devices(add):
    """Settings of `tacet local simulate`: LOCAL stands for the command."""
    for mechanism in ("privunit", "privunitg", "djw", "l2_laplace", "coordinate_laplace",
                      "gaussian"):
        for kind in ("numbers2", "two2"):
            add(f"more.csv --schema {kind}.toml", f"--mechanism {mechanism} --epsilon 3 {LOCAL}")
    for extra in ("--averaging uniform --weight-power 1", "--passes 2", "--embedding sign",
                  "--batch-size 7", "--certificate known_noise", "--calibration paper",
                  "--learner local-sgd --step-size 0.3 --averaging suffix", "--shuffled"):
        add("more.csv --schema two2.toml", f"{extra} --epsilon 2 {LOCAL}")


def add_centred(add):
    """Settings with numbers around their middle, and of wide tables."""
    for kind in ("numbers2", "two2"):
        data = f"more.csv --schema {kind}.toml"
        for method in METHODS:
            for budget in ("--epsilon 1 --delta 1e-6", "--epsilon 4 --delta 0"):
                add(data, f"--method {method} {budget}")
        for adjacency in ADJACENCIES:
            for epsilon in (0.1, 1, 8):
                add(data, f"--adjacency {adjacency} --epsilon {epsilon} --delta 1e-5")
            for way in ("private", "means"):
                add(data, f"--adjacency {adjacency} --epsilon 1 --delta 1e-5 --standardise {way}")
        add(f"more.csv --schema {kind.replace('2', 'unit2')}.toml",
            "--epsilon 3 --delta 1e-5 --max-records-per-unit 4")
        add(data, "--batch-size 40 --steps 20 --epsilon 1")
        add(data, "--epsilon inf")
    for loss in NUMBER_LOSSES:
        add("more.csv --schema numbers2.toml", f"--loss {loss} --epsilon 2 --delta 1e-5")
    for loss in CLASS_LOSSES:
        add("more.csv --schema two2.toml", f"--loss {loss} --epsilon 2 --delta 1e-5")
    add("more.csv --schema classes2.toml", "--epsilon 3 --delta 1e-5")
    for adjacency in ADJACENCIES:
        add("more.csv --schema classes2.toml",
            f"--loss softmax --adjacency {adjacency} --epsilon 3 --delta 1e-5")
        for kind in ("count2", "share2"):
            data = f"more.csv --schema {kind}.toml"
            add(data, f"--adjacency {adjacency} --epsilon 1 --delta 1e-5")
            add(data, f"--method regularized-output --adjacency {adjacency} --radius 2 --epsilon 1 "
                      "--delta 1e-5")
    for kind in ("count2", "share2"):
        add(f"more.csv --schema {kind}.toml", "--epsilon inf")
    for adjacency in ADJACENCIES:
        budget = f"--adjacency {adjacency} --epsilon 4 --delta 1e-5"
        for kind in ("two", "numbers", "classes"):
            add(f"data.csv --schema {kind}wide.toml", f"--feature-selection 0.3 {budget}")
        for family in ("countsketch", "countsketch4", "srht", "gaussian"):
            add("data.csv --schema twowide.toml",
                f"--projection {family} --projection-width 64 {budget}")
        for method in ("objective", "regularized-output", "adassp"):
            add("data.csv --schema twowide.toml",
                f"--method {method} --projection countsketch --projection-width 64 {budget}")
        add("data.csv --schema classeswide.toml", f"--projection auto {budget}")
        for method in ("output", "phased", "objective", "regularized-output", "adassp",
                       "localized", "phased-erm"):
            add("data.csv --schema twowide.toml", f"--method {method} --feature-selection 0.3 {budget}")
    for method, extra in (("gradient", "--steps 200"), ("regularized-output", "")):
        add("data.csv --schema twowide.toml",
            f"--method {method} --calibration arora2022 --radius 3 --epsilon 1 --delta 1e-6 {extra} "
            "--adjacency replace_one --projection gaussian --projection-width 64")
    for schema in ("classes2", "classes"):
        add(f"{'more' if schema == 'classes2' else 'data'}.csv --schema {schema}.toml",
            "--loss softmax --l2 0.01 --epsilon inf")
    for epsilon in (0.1, 1):
        add(BERKELEY, f"--epsilon {epsilon} --delta 1e-6")


class Recorder:
    """Runs the commands of one setting in a folder and adds up what they print."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.words = hashlib.sha256()

    def run(self, command):
        """Exit code and standard output of `tacet COMMAND`."""
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        done = subprocess.run([self.program, *command.split()], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode == 0:
            formats.expect_printed(command.split(), done.stdout)
        self.words.update(f"{command.split()[0]} {done.returncode}\n".encode())
        text = re.sub(rb"\d+(\.\d+)? (ms|s)\b", b"TIME", done.stdout + done.stderr)
        self.words.update(text.replace(str(SOURCE).encode(), b"SOURCE"))
        return done.returncode, done.stdout


def numbers_and_kinds(event):
    """The values of a tree of JSON in the order of their keys' places, without the keys."""
    if isinstance(event, dict):
        return [numbers_and_kinds(value) for value in event.values()]
    return [numbers_and_kinds(value) for value in event] if isinstance(event, list) else event


def bits_of(model):
    """The released numbers of a model file, what they cost and what is promised, without names."""
    first, _, rest = model.partition(b"\n")
    is_wide = b'"kind":"wide"' in first
    file = json.loads(first if is_wide else model)
    receipt = file["receipt"]
    guarantee = receipt["guarantee"]
    said = [file["model"].get("coefficients"), numbers_and_kinds(receipt["events"]["event"]),
            guarantee["epsilon"], guarantee["delta"], receipt["prg_slack"]]
    return json.dumps(said).encode() + (rest if is_wide else b"")


def digests_of(program, folder, name, arguments):
    """Exit code of the training, and the digests of its bits and its words."""
    model = "m" + hashlib.sha256(name.encode()).hexdigest()[:16] + ".json"
    recorder = Recorder(program, folder)
    train, plan = "train", "plan"
    if arguments.endswith(LOCAL):
        train, plan = "local simulate", "local plan"
        arguments = arguments.removesuffix(LOCAL)
    data, options = arguments.split(" ", 1)
    code, _ = recorder.run(f"{train} {arguments} --seed 7 --threads 2 --output {model}")
    recorder.run(f"{plan} {options} --json")
    if code != 0:
        return code, "", recorder.words.hexdigest()
    written = (folder / model).read_bytes()
    recorder.words.update(written)
    for command in (f"show {model}", f"verify {model} --json",
                    f"account {model} --delta 1e-5 --json", f"evaluate {model} {data} --public"):
        recorder.run(command)
    predicted = recorder.run(f"predict {model} {data}")
    bits = hashlib.sha256(bits_of(written) + predicted[1])
    return code, bits.hexdigest(), recorder.words.hexdigest()


def digests(program, found):
    """{name: (exit code of the training, bits, words)} of these settings."""
    with tempfile.TemporaryDirectory(prefix="tacet-digests-") as name:
        folder = pathlib.Path(name)
        write_inputs(folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            done = pool.map(lambda item: digests_of(program, folder, *item), found.items())
            return dict(zip(found, done))


def read_kept():
    """{name: (bits, words)} of digests.txt."""
    lines = KEPT.read_text(encoding="utf-8").splitlines()
    return {name: (bits, words) for bits, words, name in (line.split("  ", 2) for line in lines)}


def renew(program):
    """Writes digests.txt: the settings that train, and teach something that none before does."""
    kept, seen = {}, set()
    for name, (code, bits, words) in digests(program, settings()).items():
        if code == 0 and bits not in seen:
            seen.add(bits)
            kept[name] = bits, words
    KEPT.write_text("".join(f"{bits}  {words}  {name}\n" for name, (bits, words) in kept.items()),
                    encoding="utf-8")
    print(f"digests of {len(kept)} settings written")
    return 0


def main(arguments):
    if not arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if "--list" in arguments:
        print("\n".join(settings()))
        return 0
    program = str(pathlib.Path(arguments[0]).resolve())
    if "--renew" in arguments:
        return renew(program)
    kept, all_settings = read_kept(), settings()
    unknown = [name for name in kept if name not in all_settings]
    found = digests(program, {name: all_settings[name] for name in kept if name in all_settings})
    count = {"bits": 0, "words": 0}
    for name, (_, *now) in found.items():
        differing = [kind for kind, one, other in zip(count, kept[name], now) if one != other]
        for kind in differing:
            count[kind] += 1
        if "bits" in differing or (differing and "--bits" not in arguments):
            print(f"DIFFERS {' and '.join(differing)}: {name}")
    for name in unknown:
        print(f"UNKNOWN {name}")
    print(f"{len(found)} settings, bits of {count['bits']} differ, words of {count['words']} differ")
    wrong = count["bits"] + len(unknown) + (0 if "--bits" in arguments else count["words"])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
