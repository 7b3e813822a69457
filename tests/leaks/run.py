#!/usr/bin/env python3
"""What a command leaves tells nothing of a record beyond the released fields.

    run.py PROGRAM [--long] [--only TEXT]

README.md in this folder says what is compared, why that is sound, and what cannot be seen.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import commands
import devices
import exits
import planted
import released
import worlds
from observe import marks_in, run

INPUTS = ("data.csv", "texts.txt")
FEW_WORDS = b"the vocabulary that was released has"
# Of the neighbours, those that differ most; the long tier has all of them.
QUICK = ("a hostile record", "a hostile record more", "no record")


class Scan:
    """Runs cases on neighbouring data sets and gathers what differs."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.public = folder / "public"
        self.public.mkdir()
        self.first, self.neighbours = worlds.worlds()
        worlds.write_public(self.public)
        self.runs = 0
        self.prepare()

    def prepare(self):
        made = self.fresh(self.first)
        for words in commands.MODELS:
            done = run(self.program, words.split(), made / "here", made / "tmp")
            if done.exit != 0:
                raise RuntimeError(f"{words}: {done.stderr.decode()}")
            name = words.split()[-1]
            shutil.copy(made / "here" / name, self.public / name)
        shutil.rmtree(made)

    def fresh(self, world):
        """A folder with a world's records, and an empty TMPDIR beside it."""
        made = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.public, made / "here")
        (made / "tmp").mkdir()
        worlds.write_records(made / "here", world)
        return made

    def observe(self, case, world, program):
        """[(step, observation)]; of files those that the step made or changed."""
        made = self.fresh(world)
        here, out = made / "here", []
        before = {path.name: path.read_bytes() for path in here.iterdir()}
        for step in case.steps:
            if step.without_records:
                for name in INPUTS:
                    (here / name).unlink(missing_ok=True)
            seen = run(program, step.words.split(), here, made / "tmp")
            changed = {name: content for name, content in seen.files.items()
                       if before.get(name) != content}
            before, seen.files = seen.files, changed
            out.append((step, seen))
            self.runs += 1
        shutil.rmtree(made)
        return out

    def check(self, case, long, program=None):
        """`program` stands for the one that is scanned."""
        program = program or self.program
        first = self.observe(case, self.first, program)
        faults = [fault for step, seen in first for fault in alone(case, "first", step, seen)]
        for world in self.neighbours:
            if not long and world.name not in QUICK or case.needs_records and not world.records:
                continue
            other = self.observe(case, world, program)
            faults += [fault for step, seen in other
                       for fault in alone(case, world.name, step, seen)]
            lost = world.unit_lost and "unit.toml" in case.steps[0].words
            if case.count_is_public and (world.count_differs or lost):
                faults += refused(case, first, other, world)
            else:
                faults += differences(case, first, other, world)
        return faults


def alone(case, world, step, seen):
    """What no comparison is needed for."""
    where = f"{case.name}\n  {step.words}\n  in the world '{world}': "
    except_for = set()
    shows = released.SHOWN[step.shows][0].split() if step.shows else []
    if "stdout" in shows:
        except_for.add("standard output")
    if "stderr" in shows:
        except_for.add("standard error")
    if "files" in shows:
        except_for |= {f"file {name}" for name in seen.files}
    faults = [f"{where}a marked value stands in {place}" for place in marks_in(seen, except_for)]
    if seen.temporary:
        faults.append(f"{where}files are made in TMPDIR: {seen.temporary}")
    if seen.exit < 0 or seen.exit == 1:
        faults.append(f"{where}exit code {seen.exit}: {seen.stderr.decode('utf-8', 'replace')}")
    return faults


def compared(step, seen):
    """{what: text} of everything that has to be equal."""
    kind = step.kind
    out = {"exit code": seen.exit,
           "standard error": released.compared_talk(seen.stderr.decode("utf-8", "replace"), kind),
           "names of files": sorted(seen.files), "files made": sorted(seen.made)}
    if kind.endswith("after") or step.shows:
        shows = released.SHOWN.get(step.shows, [""])[0].split()
        return {what: value for what, value in out.items()
                if not (what == "standard error" and "stderr" in shows) and
                not (what == "exit code" and "exit" in shows)}
    out["standard output"] = released.compared_output(seen.stdout, kind)
    for name, content in seen.files.items():
        chosen = "--select-vocabulary" in step.words
        out[f"file {name}"] = released.compared_file(name, content,
                                                     "chosen words" if chosen else kind)
    return out


def differences(case, first, other, world):
    faults = []
    for (step, one), (_, two) in zip(first, other):
        if FEW_WORDS in one.stderr or FEW_WORDS in two.stderr:
            continue  # which follows from the words that were released
        left, right = compared(step, one), compared(step, two)
        for what in {**left, **right}:
            if left.get(what) != right.get(what):
                faults.append(f"{case.name}\n  {step.words}\n  {what} tells the first world from "
                              f"'{world.name}':\n{contrast(left.get(what), right.get(what))}")
    return faults


def contrast(one, two):
    """The first lines that differ."""
    ones, twos = str(one).splitlines(), str(two).splitlines()
    for place in range(max(len(ones), len(twos))):
        pair = [lines[place] if place < len(lines) else "(nothing)" for lines in (ones, twos)]
        if pair[0] != pair[1]:
            return f"    {pair[0]}\n    {pair[1]}"
    return "    (line ends)"


def refused(case, first, other, world):
    """Where the number of records is public, another one than the declared is an error."""
    faults = []
    for (step, one), (_, two) in zip(first, other):
        if one.exit == 0 and not step.without_records and (
                two.exit != 3 or two.files or b"must be exact" not in two.stderr):
            faults.append(f"{case.name}\n  {step.words}\n  in the world '{world.name}': exit code "
                          f"{two.exit}, though the number of records is public: "
                          f"{two.stderr.decode('utf-8', 'replace')}")
    return faults


def leaves(program, path=()):
    """All commands that have none below them; `help` opens no file."""
    made = subprocess.run([program, *path, "--help"], capture_output=True, text=True,
                          check=True).stdout
    match = re.search(r"^Subcommands:\n((?: .*\n)+)", made, re.MULTILINE)
    if not match:
        return [" ".join(path)]
    names = re.findall(r"^  (\S+)", match.group(1), re.MULTILINE)
    return [leaf for name in names if name != "help" for leaf in leaves(program, (*path, name))]


def uncovered(program, cases):
    """Commands that no case runs."""
    lines = [step.words for case in cases for step in case.steps] + list(devices.COMMANDS)
    return [f"no case runs `tacet {leaf}`" for leaf in leaves(program)
            if not any(line.split()[:len(leaf.split())] == leaf.split() for line in lines)]


def scan(program, folder, long, only):
    """Faults of everything, and how many commands of cases were run."""
    scanner = Scan(program, folder)
    every = commands.cases()
    chosen = [case for case in every if (long or case.quick) and only in case.name]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = [pool.submit(scanner.check, case, long) for case in chosen]
        faults = [fault for done in found for fault in done.result()]
        if only:
            return faults, scanner.runs
        planted_in = next(case for case in every if case.name == planted.CASE)
        faults += uncovered(program, every)
        faults += exits.check(program, folder, scanner.public, pool, long)
        faults += devices.check(program, folder)
        faults += planted.check(scanner, planted_in, pool)
    return faults, scanner.runs


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program = str(pathlib.Path(arguments[0]).resolve())
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else ""
    with tempfile.TemporaryDirectory(prefix="tacet-leaks-") as name:
        faults, runs = scan(program, pathlib.Path(name), "--long" in arguments, only)
    print("\n\n".join(faults) if faults else f"{runs} commands tell nothing that is not released")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
