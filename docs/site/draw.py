"""Draws every figure of the pages.

    draw.py PROGRAM FOLDER [NAME...]
"""

import pathlib
import sys

from figures import accounting, local, models, tools


def main(program, folder, *names):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    tools_program = tools.Program(program)
    for draw in [*accounting.ALL, *models.ALL, *local.ALL]:
        if not names or draw.__name__ in names:
            draw(tools_program, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
