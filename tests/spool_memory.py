#!/usr/bin/env python3
"""More encoded records than private memory: the same bits, under a limit that the system holds.

    spool_memory.py PROGRAM MEGABYTES [--only RUN...] [--compare RUN...]

Records come through a pipe and are encoded into a spool of so many megabytes, while the process may
have 128 MB of private memory (RLIMIT_DATA). Trained are `gradient` with and without released means,
and `adassp`, whose model is evaluated. Where the machine's memory is twice as large, these runs, or those
to compare, are made without a spool and without a limit too, and have to give the same bytes.
"""

import argparse
import json
import os
import pathlib
import resource
import string
import subprocess
import sys
import tempfile
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position

# A category of one letter is encoded as 52 columns, so that little text becomes many bytes.
NUMBERS, CATEGORIES, LETTERS = 4, 6, string.ascii_letters
BLOCK = 20_000
LIMIT = 128 << 20
TRAININGS = {
    "gradient": ["--method", "gradient", "--steps", "2", "--standardise", "none"],
    "means": ["--method", "gradient", "--steps", "2", "--standardise", "means"],
    "adassp": ["--method", "adassp"],
}
RUNS = [*TRAININGS, "evaluate"]


def names(letter, count):
    return [f"{letter}{k}" for k in range(count)]


def schema():
    quoted = {letter: ", ".join(f'"{name}"' for name in names(letter, count))
              for letter, count in (("x", NUMBERS), ("c", CATEGORIES))}
    letters = ", ".join(f'"{letter}"' for letter in LETTERS)
    return ('storage = "dense"\n[target]\ncolumn = "y"\npositive = "1"\nnegative = "0"\n'
            f'[[column]]\nnames = [{quoted["x"]}]\nkind = "numeric"\nlower = 0\nupper = 9\n'
            f'[[column]]\nnames = [{quoted["c"]}]\nkind = "categorical"\ncategories = [{letters}]\n')


def line(k):
    """The k-th record of a block."""
    numbers = [str(k * (j + 3) % 10) for j in range(NUMBERS)]
    letters = [LETTERS[(k * (j + 7) + k // 10) % len(LETTERS)] for j in range(CATEGORIES)]
    return ",".join([*numbers, *letters, str(k % 2)]) + "\n"


def records(rows):
    """The lines of a table, in blocks of bytes."""
    yield (",".join([*names("x", NUMBERS), *names("c", CATEGORIES), "y"]) + "\n").encode()
    lines = [line(k).encode() for k in range(BLOCK)]
    block = b"".join(lines)
    whole, rest = divmod(rows, BLOCK)
    for _ in range(whole):
        yield block
    yield b"".join(lines[:rest])


class Runs:
    def __init__(self, program, folder, megabytes, compared):
        self.program, self.folder, self.megabytes = program, folder, megabytes
        self.compared = compared
        self.spool = folder / "spool"
        self.spool.mkdir()
        (folder / "s.toml").write_text(schema())

    def rows_for(self, options):
        """Records that this training encodes as so many megabytes, with labels and norms."""
        words = ["plan", "--schema", "s.toml", "--public-row-count", "1000000", "--epsilon", "1", "--delta",
                 "1e-8", "--json", *options]
        plan = subprocess.run([self.program, *words], cwd=self.folder, check=True, capture_output=True).stdout
        formats.expect_printed(words, plan)
        return int(self.megabytes * 2**20 / (2 * json.loads(plan)["columns"] + 16)) + 1

    def run(self, words, rows, spooled):
        """The output of a run on so many records."""
        more = ["--spool", "spool"] if spooled else []
        limit = (lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))) if spooled \
            else None
        process = subprocess.Popen([self.program, *words, "--quiet", "--seed", "1", *more],
                                   cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, preexec_fn=limit)
        writer = threading.Thread(target=self.write, args=(process.stdin, rows))
        writer.start()
        out = process.stdout.read()
        code = process.wait()
        writer.join()
        assert code == 0, f"exit code {code}: {' '.join(words)}"
        formats.expect_printed(words, out)
        assert not list(self.spool.iterdir()), "the folder of the spool is not empty"
        return out

    @staticmethod
    def write(pipe, rows):
        try:
            for block in records(rows):
                pipe.write(block)
            pipe.close()
        except BrokenPipeError:
            pass

    def both(self, name, words, rows):
        found = self.run(words, rows, True)
        if name in self.compared:
            assert self.run(words, rows, False) == found, f"{name}: other bytes in a spool"
        print(f"{name}: {rows} records passed under the limit"
              + (", the same bytes" if name in self.compared else ""), flush=True)
        return found

    def train(self, name):
        """The file of the model, and the number of its records."""
        rows = self.rows_for(TRAININGS[name])
        words = ["train", "-", "--schema", "s.toml", "--public-row-count", str(rows), "--epsilon",
                 "1", "--delta", "1e-8", "-o", "-", *TRAININGS[name]]
        model = self.folder / f"{name}.json"
        model.write_bytes(self.both(name, words, rows))
        return model, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("--only", nargs="+", choices=TRAININGS, default=TRAININGS)
    parser.add_argument("--compare", nargs="+", choices=RUNS, default=RUNS)
    asked = parser.parse_args()
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    compared = asked.compare if 2 * asked.megabytes * 2**20 < memory else []
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        runs = Runs(str(asked.program.resolve()), pathlib.Path(folder), asked.megabytes, compared)
        for name in asked.only:
            model, rows = runs.train(name)
            if name == "adassp":
                runs.both("evaluate", ["evaluate", model, "-", "--epsilon", "1", "--delta", "1e-8",
                                       "--json"], rows)


if __name__ == "__main__":
    main()
