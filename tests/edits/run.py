#!/usr/bin/env python3
"""Edits genuine files as an attacker would and asks `tacet verify`.

    run.py PROGRAM [--long] [--only WORDS] [--list FILE]

Over one file of every method and release (genuine.py) all single edits of the receipt and the
coordinated ones (changes.py), each with the sentence and the checksum that belong to it
(documents.py). `verify` must say "follows" neither to what training refuses nor to noise that is too
small for its statement; what it does not check it must name. --long tries every edit on every file;
without it each file gets the forgeries of a whole guarantee and a part of the others. --only takes
the files whose names have these words. --list writes what passed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

import changes
import documents
import genuine


# The program's spelling of a new number is not always the shortest one, which Python writes: then
# its checksum is another. Rare: no more than one edit in a hundred.
UNJUDGED = "the checksum of the edited file was not foreseen"


def verdict_of(maker, document, name):
    path = maker.folder / name
    documents.write(document, path)
    done = maker.run(f"verify {name} --json")
    path.unlink()
    try:
        return json.loads(done.stdout), done
    except ValueError:
        return {"verdict": "no verdict"}, done


def listed(parameter, answer):
    names = set()
    for text in answer["not_checked"]:
        if text.startswith("the parameters "):
            names |= set(text.removeprefix("the parameters ").split(", "))
    return parameter in names


def fault_of(change, answer, done):
    """In words what is wrong with the verdict, or nothing."""
    if "checksum does not fit" in done.stderr:
        return UNJUDGED
    if done.returncode not in (0, 3, 5):
        return f"exit code {done.returncode}: {done.stderr.strip()[:200]}"
    follows = answer["verdict"] == "follows"
    if follows != (done.returncode == 0) and answer["verdict"] != "unprotected":
        return f"verdict {answer['verdict']} with exit code {done.returncode}"
    if not follows or change.expected == changes.FREE:
        return ""
    if change.expected == changes.LISTED:
        return "" if listed(change.parameter, answer) else "follows, and is not named as unchecked"
    return "follows"


def finished(document):
    documents.whole(document)
    if hasattr(document, "words"):
        document.tree["privacy"] = document.words + document.tree["privacy"]
        if "checksum" in document.tree:
            document.tree["checksum"] = documents.checksum(document)
    return document


def judge(maker, setting, number):
    """(faults, number of edits) of one genuine file; None where the program refuses it. Without
    its number the file gets all edits."""
    document, _ = maker.make(setting)
    if document is None:
        return None
    stem = setting.name.replace(" ", "_")
    tree = document.copy().tree
    if documents.whole(document).tree != tree:
        return [(setting.name, "-", "sentence or checksum are not those of documents.py")], 0
    answer, done = verdict_of(maker, document, f"{stem}_0.json")
    if answer["verdict"] != "follows":
        return [(setting.name, "as it was written", done.stderr.strip()[:200])], 0
    found = changes.Changes(setting, document).all()
    faults = []
    asked = found if number is None else thinned(found, number)
    for k, change in enumerate(asked):
        answer, done = verdict_of(maker, finished(change.document), f"{stem}_{k}.json")
        fault = fault_of(change, answer, done)
        if fault:
            faults.append((setting.name, change.name, fault))
    return faults, len(asked)


ALWAYS = re.compile(r"adjacency \w+$|adjacency \w+ (with its|of version)|half the |unit \w+$|"
                    r"unit without|unit person in|records per unit without|algorithm nonsense$")
STRIDE = 20  # of the other edits, so many files share them


def thinned(found, number):
    """The edits by which whole guarantees were forged in every file, and of the others some, which
    differ from file to file: together the files have each kind of edit many times."""
    return [change for k, change in enumerate(found)
            if ALWAYS.match(change.name) or (k + number) % STRIDE == 0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--list")
    options = parser.parse_args()
    faults, edits, files = [], 0, 0
    refused = set()
    with tempfile.TemporaryDirectory(prefix="tacet-edits-") as folder:
        maker = genuine.Maker(str(pathlib.Path(options.program).resolve()), folder)
        maker.prepare()
        settings = [one for one in genuine.settings() if options.only in one.name]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            numbers = [None] * len(settings) if options.long else range(len(settings))
            done = pool.map(lambda *one: judge(maker, *one), settings, numbers)
            for setting, result in zip(settings, done):
                if result is None:
                    refused.add(setting.name)
                    continue
                faults += result[0]
                edits += result[1]
                files += 1
    unjudged = sum(fault == UNJUDGED for _, _, fault in faults)
    if unjudged <= edits / 100:
        faults = [one for one in faults if one[2] != UNJUDGED]
    lines = [f"{name} | {change}: {fault}" for name, change, fault in faults]
    if options.list:
        pathlib.Path(options.list).write_text("".join(line + "\n" for line in lines))
    for line in lines[:200]:
        print(f"FAILED {line}")
    print(f"{files} files, {edits} edits, {len(faults)} wrong verdicts, "
          f"{unjudged} not judged, {len(refused)} refused")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
