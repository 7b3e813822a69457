"""Completions of the program for bash, zsh and fish.

    completions.py TABLE FOLDER

TABLE is what `tacet help --all --json` prints. Writes tacet.bash, _tacet and tacet.fish.
"""

import json
import pathlib
import sys

import bash
import fish
import zsh


def main(table, folder):
    table = json.loads(pathlib.Path(table).read_text(encoding="utf-8"))
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, shell in (("tacet.bash", bash), ("_tacet", zsh), ("tacet.fish", fish)):
        (folder / name).write_text(shell.text(table), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
