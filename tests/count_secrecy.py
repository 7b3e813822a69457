#!/usr/bin/env python3
"""How many records there are shows nowhere where it is private, and is exact where it is public.

    count_secrecy.py PROGRAM

Runs every method of training and every release on data of the declared number of records, of one
less, of half of them and of none. Under add_remove exit code, what is printed and the receipts must
be the same for all: only released values may differ, and those are left out of the comparison.
Under zero_out and replace_one everything but the declared number is refused, before any noise.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DECLARED = 200
COUNTS = (DECLARED, DECLARED - 1, DECLARED // 2, 0)
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
HEAD = f"public_row_count = {DECLARED}\n"
TRAINING = ["gradient", "gradient --batch-size 20 --steps 20", "gradient --standardise private",
            "gradient --batch-size 20 --sampling fixed_size --steps 20", "gradient --boost 0.3",
            "gradient --radius auto", "objective", "objective --delta 0", "regularized-output",
            "regularized-output --delta 0", "adassp", "wide --steps 20",
            "sparse-groups --group-column b --groups 3 --steps 20", "output", "phased",
            "inverse-sensitivity --delta 0", "ladder", "localized", "growth", "phased-erm", "auto"]
# Names of what is released, or computed from that, in the JSON of a result: numbers, and what a
# private choice among runs chose.
RELEASED = {"coefficients", "noise_stddevs", "model", "columns", "records", "value", "candidate",
            "radius", "accuracy", "mean_capped_loss", "sensitivity", "specificity", "precision",
            "f1", "confusion", "majority_share", "auc", "brier_score", "calibration"}


def write_inputs(folder):
    state, lines = 7, []
    for _ in range(DECLARED):
        state = (state * 1103515245 + 12345) % 2**31
        a = state / 2**31
        state = (state * 1103515245 + 12345) % 2**31
        b = state / 2**31
        lines.append(f"{a:.3f},{'uvw'[int(3 * b)]},{'np'[a + b > 1]},{3 * a + 2 * b:.3f}")
    for count in COUNTS:
        text = "\n".join(["a,b,two,y", *lines[:count]]) + "\n"
        (folder / str(count)).mkdir()
        (folder / str(count) / "data.csv").write_text(text, encoding="utf-8")
    ignored = '[[column]]\nnames = ["{}"]\nkind = "ignored"\n'
    (folder / "two.toml").write_text(
        HEAD + '[target]\ncolumn = "two"\npositive = "p"\nnegative = "n"\n' + ignored.format("y") +
        COLUMNS, encoding="utf-8")
    (folder / "line.toml").write_text(
        HEAD + '[target]\ncolumn = "y"\nlower = 0\nupper = 5\n[[column]]\nnames = ["b", "two"]\n'
        'kind = "ignored"\n' + COLUMNS.split("[[column]]\nname = \"b\"", maxsplit=1)[0],
        encoding="utf-8")


def commands(adjacency):
    """Everything that releases, as (words, the file that it writes)."""
    for method in TRAINING:
        schema = "line" if method.startswith("inverse") else "two"
        budget = "--epsilon 4" if "--delta" in method else "--epsilon 4 --delta 1e-5"
        yield (f"train data.csv --schema ../{schema}.toml --method {method} --adjacency {adjacency} "
               f"{budget} --seed 3 --output model.json", "model.json")
    both = f"--adjacency {adjacency} --epsilon 1 --seed 3"
    yield f"describe data.csv --schema ../two.toml {both} --json", None
    yield f"quantile data.csv --schema ../two.toml --column a --q 0.5 {both} --json", None
    yield (f"evaluate ../model.json data.csv {both} --delta 1e-5 --public-row-count {DECLARED} "
           "--json", None)


def without_values(found):
    """The receipt and everything else that is no released value."""
    if isinstance(found, dict):
        return {key: without_values(value) for key, value in found.items() if key not in RELEASED}
    if isinstance(found, list):
        return [without_values(value) for value in found]
    return found


def outcome(program, folder, words, written):
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    done = subprocess.run([program, *words.split()], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    shown = done.stdout
    if "--json" in words and done.returncode == 0:
        shown = without_values(json.loads(shown))
    else:
        # Times, the tables of coefficients that were released, whose order they decide, and the
        # verdict about them.
        shown = re.sub(r"^Coefficients\n.*?^Model written", "Model written", shown,
                       flags=re.MULTILINE | re.DOTALL)
        shown = re.sub(r"^signal .*\n(?: {10}.*\n)*", "", shown, flags=re.MULTILINE)
        shown = re.sub(r"\d+(\.\d+)? (ms|s)\b", "TIME", shown)
        shown = re.sub(r"[+-]?\d+\.\d+(e[+-]?\d+)?", "VALUE", shown) if written else shown
        shown = re.sub(r" +", " ", shown)
    receipt = None
    if written and (folder / written).exists():
        text = (folder / written).read_bytes().decode("utf-8", "replace")  # numbers may follow
        receipt = without_values(json.JSONDecoder().raw_decode(text)[0])
        receipt = receipt.get("receipt", receipt)
        (folder / written).unlink()
    printed = re.sub(r"\d+(\.\d+)? (ms|s)\b", "TIME", done.stderr)
    return {"exit": done.returncode, "stdout": shown, "stderr": printed, "receipt": receipt}


def check(program, folder, adjacency):
    faults = []
    for words, written in commands(adjacency):
        found = {count: outcome(program, folder / str(count), words, written) for count in COUNTS}
        first = found[DECLARED]
        for count in COUNTS[1:]:
            other = found[count]
            if adjacency == "add_remove":
                faults += [f"{words}\n  {key} of {DECLARED} records: {first[key]}\n"
                           f"  of {count}: {other[key]}" for key in first
                           if first[key] != other[key]]
            elif first["exit"] == 0 and (other["exit"] != 3 or other["receipt"] is not None or
                                         "must be exact" not in other["stderr"]):
                faults.append(f"{words}\n  with {count} records for {DECLARED}: exit "
                              f"{other['exit']}, {other['stderr']}")
    return faults


def main(arguments):
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program = str(pathlib.Path(arguments[0]).resolve())
    with tempfile.TemporaryDirectory(prefix="tacet-count-") as name:
        folder = pathlib.Path(name)
        write_inputs(folder)
        made = outcome(program, folder, "train 200/data.csv --schema two.toml --method gradient "
                       "--epsilon 4 --delta 1e-5 --seed 3 --output model.json", None)
        faults = [f"the model to evaluate: {made}"] if made["exit"] != 0 else []
        for adjacency in ("add_remove", "zero_out", "replace_one"):
            faults += check(program, folder, adjacency)
    print("\n".join(faults) if faults else "the number of records shows nowhere it should not")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
