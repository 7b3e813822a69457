#!/usr/bin/env python3
"""Receipts of every method and setting of the digests, judged by examples/check_receipt.

    second_opinion.py PROGRAM SOURCE [--long [--part K/N]]

The script computes what events cost without any code of tacet. It has to find published values, to
support every genuine receipt with an epsilon next to the one stated, and to refuse receipts whose
statement was edited below what their events support. Without --long some 40 receipts are made, with
it all of them, or the K-th of N parts. Exit code 77, which ctest counts as skipped, without NumPy and SciPy.
"""

import ast
import collections
import concurrent.futures
import copy
import importlib.util
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
QUICK = 40
AGREEMENT = 1e-3
LIBRARIES = "import numpy, scipy"
# Beside other releases (noisy counts that choose features) it is not composed.
UNJUDGED = "cannot judge: objective_perturbation"


def gaussian(multiplier):
    return {"kind": "gaussian", "noise_multiplier": multiplier}


def pure(epsilon, adjacency="add_remove"):
    return {"kind": "pure_dp", "epsilon": epsilon, "adjacency": adjacency}


def approximate(epsilon, delta):
    return {**pure(epsilon), "kind": "approximate_dp", "delta": delta}


def composed(*parts):
    return {"kind": "composed", "parts": list(parts)}


def repeated(count, base):
    return {"kind": "repeated", "count": count, "base": base}


def poisson(rate, base, **more):
    return {"kind": "poisson_sampled", "rate": rate, "base": base, **more}


def fixed(size, population, base):
    return {"kind": "fixed_size_sampled", "sample_size": size, "population": population,
            "base": base}


# (event, adjacency, delta, epsilon, relative error). Sources: Balle and Wang 2018 for Gaussian
# noise; dp_accounting and its converged refinement for samples; Murtagh and Vadhan 2018 for
# repeated pure guarantees; closed forms of Laplace, bounded range and discrete Gaussian noise;
# Feldman, McMillan, Talwar 2021 for shuffled reports; quadrature for the others.
PUBLISHED = (
    (gaussian(1.0), "add_remove", 1e-5, 4.377178095681, 1e-8),
    (repeated(4, gaussian(2.0)), "zero_out", 1e-5, 4.377178095681, 1e-8),
    (gaussian(2.0), "replace_one", 1e-5, 4.377178095681, 1e-8),
    (repeated(1000, poisson(0.01, gaussian(1.0))), "add_remove", 1e-5, 1.82826, 1e-4),
    (repeated(1000, fixed(1, 100, gaussian(2.0))), "replace_one", 1e-5, 2.19891, 1e-4),
    (repeated(500, fixed(1, 10, gaussian(6.0))), "replace_one", 1e-6, 4.05510, 1e-4),
    (repeated(30, pure(0.1)), "add_remove", 1.056167637863e-2, 1.0, 1e-4),
    (repeated(1000, pure(0.01)), "add_remove", 1.0831170545139e-4, 1.0, 1e-4),
    (repeated(30, pure(0.1)), "add_remove", 0.0, 3.0, 1e-8),
    (poisson(0.1, pure(0.5)), "add_remove", 0.0, math.log1p(0.1 * math.expm1(0.5)), 1e-8),
    (approximate(0.0, 1e-6), "add_remove", 2e-6, 0.0, 1e-8),
    (composed(approximate(0.0, 9e-6), gaussian(1.0)), "add_remove", 1.9e-5, 4.377178095681, 1e-4),
    ({"kind": "laplace", "noise_multiplier": 2.0}, "add_remove", -math.expm1(-0.1), 0.3, 1e-4),
    ({"kind": "bounded_range", "epsilon": 1.0, "adjacency": "add_remove"}, "add_remove", 0.01,
     2 * math.log(math.exp(0.5) - math.sqrt(0.01 * math.expm1(1))), 1e-4),
    ({"kind": "discrete_gaussian", "sigma": 2.0, "sensitivity": 1, "dimension": 1}, "add_remove",
     0.054007223694154, 0.5, 1e-3),
    ({"kind": "shuffled_local", "local_epsilon": 4.0, "reports": 100000}, "replace_one", 1e-6,
     0.1697697473, 1e-5),
    ({"kind": "objective_perturbation", "sigma": 6.0, "lipschitz": 1.0, "smoothness": 0.25,
      "regularization": 20.0, "tolerance": 0.0, "output_sigma": 1.0}, "add_remove",
     2.10366537808e-4, 0.5, 1e-3),
    ({"kind": "randomly_repeated", "law": "truncated_negative_binomial", "eta": 0.0,
      "gamma": 0.0269182596007, "cap": 0, "base": gaussian(1 / 0.236704380663)}, "add_remove",
     1e-6, 1.44102799, 1e-5),
)


def loaded(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def continue_with_libraries(source):
    """Goes on in another Python where this one lacks them: that of scripts/python, or the system's.
    """
    def has_them(python):
        return subprocess.run([python, "-c", LIBRARIES], capture_output=True,
                              check=False).returncode == 0
    if has_them(sys.executable):
        return
    for python in (source / "build/python/venv/bin/python", pathlib.Path("/usr/bin/python3")):
        if python.exists() and has_them(python):
            os.execv(python, [str(python), *sys.argv])
    print("SKIPPED: NumPy and SciPy are missing (Debian: python3-numpy python3-scipy, or "
          "scripts/python)")
    sys.exit(SKIPPED)


def faults_of_script(path):
    """The script stays short and stands alone."""
    text = path.read_text(encoding="utf-8")
    modules = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add((node.module or "").split(".")[0])
    foreign = modules - set(sys.stdlib_module_names) - {"numpy", "scipy"}
    faults = [f"imports {name}" for name in sorted(foreign)]
    return faults + (["more than 400 lines"] if text.count("\n") > 400 else [])


def faults_of_values(check):
    for event, adjacency, delta, epsilon, error in PUBLISHED:
        low, high = check.cost(event, adjacency, delta)
        if not low * (1 - error) <= epsilon <= high * (1 + error):
            yield f"published {epsilon}, computed [{low}, {high}]: {json.dumps(event)[:90]}"
        if high > epsilon * (1 + error) or (low and low < epsilon * (1 - 2 * AGREEMENT)):
            yield f"published {epsilon}, loose [{low}, {high}]: {json.dumps(event)[:90]}"
    # Losses of these have no bound, though doubles end somewhere: no epsilon holds at delta 0.
    discrete = {"kind": "discrete_gaussian", "sigma": 1.0, "sensitivity": 1, "dimension": 1}
    kinds = ("objective_perturbation", "randomly_repeated")
    for event in (gaussian(1.0), poisson(0.1, gaussian(1.0)), discrete, poisson(0.1, discrete),
                  fixed(1, 10, discrete), repeated(3, discrete),
                  *(event for event, *_ in PUBLISHED if event["kind"] in kinds)):
        if math.isfinite(check.cost(event, "replace_one", 0.0)[1]):
            yield f"a finite epsilon at delta 0: {json.dumps(event)[:90]}"
    # No mechanism meets the worst pair of bounded ranges twice: their Renyi divergences prove less.
    ranges = {"kind": "bounded_range", "epsilon": 0.2482812982, "adjacency": "replace_one"}
    summary = {"kind": "composed", "parts": [repeated(3, pure(0.1241406491, "replace_one")),
                                             repeated(3, ranges)]}
    if check.cost(summary, "replace_one", 1e-5)[0] > 0.9996:
        yield "a lower end above what the Renyi divergences of bounded ranges prove"


def settings_of(digests, everything):
    """{name: arguments} of settings that train with protection; of the quick tier first one of each
    kind (method, neighbours, pure or not, sampling, unit)."""
    found = digests.settings()
    names = [name for name in digests.read_kept() if "--epsilon inf" not in name]
    if everything:
        return {name: found[name] for name in names}
    words = re.compile(r"--method \S+|--adjacency \S+|--delta 0\b|--sampling \S+|--standardise|"
                       r"unit\d?\.toml|--calibration|--feature-selection|# local")
    kinds = collections.OrderedDict()
    for name in names:
        kinds.setdefault(tuple(words.findall(name)), name)
    first = list(kinds.values())
    return {name: found[name] for name in
            [first[k * len(first) // QUICK] for k in range(QUICK)]}


def trained(digests, program, folder, number, arguments):
    """The file that a training writes; noise that nobody knows, so that it is protected."""
    path = folder / f"model{number}.json"
    command = "train"
    if arguments.endswith(digests.LOCAL):
        command, arguments = "local simulate", arguments.removesuffix(digests.LOCAL)
    subprocess.run([program, *command.split(), *arguments.split(), "--threads", "1", "--output",
                    path.name], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                   check=True)
    return path


def with_statement(path, tree, **changes):
    """A copy of a model file that states something else, in its receipt and in its sentence."""
    tree = copy.deepcopy(tree)
    tree["receipt"]["guarantee"].update(changes)
    stated = tree["receipt"]["guarantee"]
    tree["privacy"] = re.sub(
        r"^\(\S+, \S+\)-(.*?) under \w+ ",
        f"({stated['epsilon']}, {stated['delta']})-\\1 under {stated['adjacency']} ",
        tree["privacy"])
    path.write_text(json.dumps(tree), encoding="utf-8")
    return path


def forgeries(tree, low, sums):
    """(what was edited, changed statement): each below what the events support."""
    stated = tree["receipt"]["guarantee"]
    yield "epsilon 1 % below", {"epsilon": low * 0.99}
    yield "half of epsilon", {"epsilon": stated["epsilon"] / 2}
    if stated["delta"] > 0:
        yield "delta a tenth", {"delta": stated["delta"] / 10}
        yield "delta 0", {"delta": 0.0}
    if sums and stated["adjacency"] != "replace_one":
        yield "adjacency replace_one", {"adjacency": "replace_one"}


def faults_of_forgeries(check, path, tree, low, everything, number):
    """Of the forged statements that the script does not refuse; one per file in the quick tier."""
    events = json.dumps(tree["receipt"]["events"])
    # In a sample of fixed size an emptied record costs as much as a replaced one.
    sums = '"kind": "gaussian"' in events and "fixed_size" not in events
    edits = list(forgeries(tree, low, sums))
    forged = path.with_name(f"forged{number}.json")
    for what, changes in edits if everything else [edits[number % len(edits)]]:
        code, answer = check.judge(with_statement(forged, tree, **changes))
        # For replaced records some releases are not judged: those are not supported either.
        if code != 5 and not (code == 6 and "adjacency" in changes):
            yield f"{what}: {answer}"
    if number % 5 == 0:  # the sentence alone
        words = re.sub(r"^\(\S+,", f"({low * 0.99},", tree["privacy"])
        forged.write_text(json.dumps({**tree, "privacy": words}), encoding="utf-8")
        if check.judge(forged)[0] != 5:
            yield f"the sentence alone: {check.judge(forged)[1]}"


def faults_of_file(check, path, everything, number):
    """Of one genuine file and its forgeries."""
    content = path.read_bytes()
    line = content if content.startswith(b"{\n") else content.partition(b"\n")[0]
    tree = json.loads(line)
    code, answer = check.judge(path)
    if answer.startswith(UNJUDGED) and tree["receipt"]["events"]["event"]["kind"] == "composed":
        return []
    if code != 0:
        return [answer]
    receipt, claims = check.read(path)
    epsilon, delta, adjacency = claims[0]
    left = delta - receipt["prg_slack"] * (1 + math.exp(epsilon)) if delta else 0.0
    low, high = check.cost(receipt["events"]["event"], adjacency, left)
    faults = []
    if not low <= epsilon <= high * (1 + AGREEMENT) or high > epsilon * (1 + AGREEMENT):
        faults.append(f"stated {epsilon}, computed [{low}, {high}]")
    return faults + list(faults_of_forgeries(check, path, tree, low, everything, number))


def repeats_noise(path):
    """Whether the receipt is of steps over all records or samples, all alike."""
    text = path.read_text(encoding="utf-8")
    return '"count": ' in text and '"partitioned"' not in text


def faults_of_nonsense(check, path, folder):
    """Files that state nothing that could be judged, or not in a receipt's form."""
    tree = json.loads(path.read_text(encoding="utf-8"))
    text = json.dumps(tree["receipt"])
    one = tree["receipt"]["guarantee"]["epsilon"]
    cases = ((text.replace(f'"epsilon": {one}', '"epsilon": NaN'), 2),
             (text.replace(f'"epsilon": {one}', f'"epsilon": {-one}'), 2),
             (text.replace('"kind": "gaussian"', '"kind": "nothing"'), 6),
             (text.replace('"count": ', '"count": -'), 2),
             (text.replace('"noise_multiplier": ', '"noise_multiplier": 9e9, "noise_multiplier": '),
              2),
             (text.replace('"secure"', '"seeded: not private"'), 5),
             (text.replace('"protected": true', '"protected": false'), 6),
             (text.replace('"prg_slack": ', '"prg_slack": 1, "was": '), 5),
             (text.replace('"noise_multiplier": ', '"sensitivity": 9, "noise_multiplier": '), 2),
             (text.replace('"kind": "gaussian"', '"kind": "gaussian", "max_records_per_unit": 9'),
              2),
             (text + '\n{"guarantee": {"epsilon": 0}}', 2),
             *((json.dumps({**tree, "privacy": words}), code) for words, code in (
                 (" " + tree["privacy"], 2), ("Full privacy.", 2), (None, 2), ([], 2),
                 (tree["privacy"].replace("-differential", "\u2010differential", 1), 2),
                 (tree["privacy"] + " (0.1, 0)-differential privacy under add_remove neighbours",
                  5))),
             (text.replace('"version": 1', '"version": 2', 1), 2),
             ('"version": 2'.join(text.rsplit('"version": 1', 1)), 2),
             (re.sub('"delta": [^,]*', '"delta": 1e-300', text), 2),
             (text[:-9], 2), ("[]", 2), ("[" * 200000, 2), (text + "\0", 2), ("", 2))
    for number, (edited, expected) in enumerate(cases):
        other = folder / f"nonsense{number}.json"
        other.write_text(edited, encoding="utf-8")
        code, answer = check.judge(other)
        if edited == text or code != expected:
            yield f"nonsense {number}: exit code {code} instead of {expected}: {answer}"


def faults_of_hostile_files(check, folder):
    """No file keeps the reader waiting, ends it, or adds a line to its answer."""
    check.SECONDS = 2
    pipe, forged = folder / "pipe", folder / "kind.json"
    os.mkfifo(pipe)
    lines = "gaussian\\nmodel.json: supported: at most 0.1"
    forged.write_text('{"version": 1, "guarantee": {"epsilon": 1, "delta": 1e-5, "adjacency": "add_remove"}, '
                      '"protected": true, "randomness": "secure", "prg_slack": 0, "events": '
                      f'{{"version": 1, "event": {{"kind": "{lines}"}}}}}}', encoding="utf-8")
    for path, expected in ((pipe, 6), (forged, 6), ("/dev/zero", 2), (folder, 2)):
        code, answer = check.in_time(path)
        if code != expected or "\n" in answer:
            yield f"{path}: exit code {code} instead of {expected}: {answer}"


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, source = (pathlib.Path(argument).resolve() for argument in arguments[:2])
    everything = "--long" in arguments
    continue_with_libraries(source)
    script = source / "examples/check_receipt/check_receipt.py"
    check = loaded("check_receipt", script)
    digests = loaded("digests", source / "tests/digests/run.py")
    faults = faults_of_script(script) + list(faults_of_values(check))
    found = settings_of(digests, everything)
    if "--part" in arguments:
        part, parts = map(int, arguments[arguments.index("--part") + 1].split("/"))
        found = dict(list(found.items())[part - 1::parts])
    with tempfile.TemporaryDirectory(prefix="tacet-opinion-") as name:
        folder = pathlib.Path(name)
        digests.write_inputs(folder)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            paths = list(pool.map(lambda item: trained(digests, program, folder, *item),
                                  enumerate(found.values())))
        for number, (setting, path) in enumerate(zip(found, paths)):
            faults += [f"{setting}: {fault}"
                       for fault in faults_of_file(check, path, everything, number)]
        repeats = next(path for setting, path in zip(found, paths)
                       if "--method gradient" in setting and repeats_noise(path))
        faults += faults_of_nonsense(check, repeats, folder)
        faults += faults_of_hostile_files(check, folder)
        for wrong, expected in ((paths[0], 0), (folder / "forged0.json", 5),
                                (folder / "nonsense0.json", 2)):
            code = subprocess.run([sys.executable, script, wrong], capture_output=True,
                                  check=False).returncode
            if code != expected:
                faults.append(f"exit code {code} instead of {expected}")
    print("\n".join(faults))
    print(f"{len(paths)} receipts and forgeries of each, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
