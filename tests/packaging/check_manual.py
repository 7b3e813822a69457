"""Manual pages name every command and option of the program, and man prints them without a warning.

    check_manual.py FOLDER       FOLDER has options.json and the pages made from it
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys


def plain(text):
    """A page without its macros' escapes."""
    text = re.sub(r"\\f[BIR]", "", text)
    return text.replace("\\-", "-").replace("\\&", "").replace("\\(aq", "'").replace("\\e", "\\")


def missing_options(table, pages):
    found = []
    for command in table["commands"]:
        if command["name"] in ("help", "version"):
            continue
        path = pages / f"tacet-{command['name'].replace(' ', '-')}.1"
        if not path.exists():
            found.append(f"{path.name} is missing")
            continue
        text = plain(path.read_text(encoding="ascii"))
        for option in command["options"]:
            entry = ".TP\n" + ", ".join(
                name + (f" {option['kind']}" if "kind" in option else "")
                for name in option["names"])
            if entry + "\n" not in text:
                found.append(f"{path.name} lacks {option['names'][0]}")
    return found


def warnings(path):
    """What man says of a page beside printing it."""
    done = subprocess.run(["man", "--warnings", "--local-file", "--troff-device=utf8", "--ditroff",
                           str(path)], check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80"))
    said = done.stderr.strip()
    return [f"{path.name}: exit code {done.returncode}, {said}"] if said or done.returncode else []


def main(folder):
    folder = pathlib.Path(folder)
    table = json.loads((folder / "options.json").read_text(encoding="utf-8"))
    pages = folder / "pages"
    faults = missing_options(table, pages)
    for name in ("tacet.1", "tacet-schema.5", "tacet-ledger.5"):
        if not (pages / name).exists():
            faults.append(f"{name} is missing")
    if shutil.which("man") is None or shutil.which("groff") is None:
        print("man or groff is not installed: pages are not printed")
    else:
        for path in sorted(pages.iterdir()):
            faults += warnings(path)
    print("\n".join(faults) or f"{len(list(pages.iterdir()))} pages")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
