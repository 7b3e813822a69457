"""Walks docs/your-own-table.md as somebody with a CSV file would.

    own_table.py PROGRAM SOURCE

The first own model takes at most 7 commands, the page for the board 12, and the reading 2,500 words with all
pages that are linked. The commands run in the order of the page, and the page for the board has the
numbers that the ledger then prints.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = "docs/your-own-table.md"
TO_A_MODEL = 7
TO_THE_BOARD = 12
WORDS = 2500


def commands_of(text):
    """The lines of all shell blocks that a reader types, in order."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("export PATH")]


def entry_of(text, name):
    """What stands under the heading of a glossary to which a link leads."""
    for entry in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        if entry.splitlines()[0].strip().lower().replace(" ", "-") == name:
            return entry
    sys.exit(f"the glossary has no entry '{name}'")


def words_of(source, page):
    """Of the page, of the terms that it looks up in the glossary, and of all other pages and schemas that
    it links."""
    text = (source / page).read_text(encoding="utf-8")
    read = {}
    for link, anchor in re.findall(r"\]\(([^)#\s]+)(?:#([^)\s]+))?", text):
        if re.match(r"[a-z]+:", link):
            continue
        there = ((source / page).parent / link).read_text(encoding="utf-8")
        if link.endswith("glossary.md") and anchor:
            read[link, anchor] = entry_of(there, anchor)
        else:
            read[link] = there
    return len(text.split()) + sum(len(one.split()) for one in read.values())


def run(command, folder, program):
    path = f"{program.parent}:{os.environ['PATH']}"
    done = subprocess.run(command, shell=True, cwd=folder, env={**os.environ, "PATH": path},
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"`{command}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main(program, source):
    program = pathlib.Path(program).resolve()
    source = pathlib.Path(source).resolve()
    text = (source / PAGE).read_text(encoding="utf-8")
    commands = commands_of(text)
    to_a_model = 1 + next(i for i, one in enumerate(commands) if one.startswith("tacet train"))
    found = []
    for name, value, most in (("commands to a model", to_a_model, TO_A_MODEL),
                              ("commands to the board", len(commands), TO_THE_BOARD),
                              ("words", words_of(source, PAGE), WORDS)):
        print(f"{name}: {value} of {most}")
        if value > most:
            found.append(f"{name}: {value}, more than {most}")
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(source / "examples", pathlib.Path(folder) / "examples")
        said = {command: run(command, folder, program) for command in commands}
        balance = run("tacet ledger show budget.ledger", folder, program).splitlines()[0]
    trained = next(said[one] for one in commands if one.startswith("tacet train"))
    for what in ("signal", "accuracy", "budget", "next"):
        if not re.search(rf"^{what} +\S", trained, re.MULTILINE):
            found.append(f"training does not end with '{what}'")
    spent, left, cap = re.fullmatch(r"visits: spent (.*); left (.*), of (.*)", balance).groups()
    board = " ".join(re.sub(r"^> ?", "", text, flags=re.MULTILINE).split())
    for what, amount in (("Spent are", spent), ("left are", left),
                         ("The budget was", cap.replace(", delta", " at delta"))):
        if f"{what} {amount}" not in board:
            found.append(f"the page for the board does not say '{what} {amount}'")
    print("\n".join(found) or "walked")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
