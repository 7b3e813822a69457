#!/usr/bin/env python3
"""More encoded records than private memory: the same bits, under a limit that the system holds.

    spool_memory.py PROGRAM MEGABYTES

Records come through a pipe and are encoded into a spool of so many megabytes, while the process may
have 128 MB of private memory (RLIMIT_DATA). Trained are `gradient` with and without released means,
and `adassp`; then one of the models is evaluated. Where the machine's memory is twice as large, each
run is made without a spool and without a limit too, and has to give the same bytes.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading

COLUMNS = 100
BYTES_OF_RECORD = 2 * (COLUMNS + 1) + 16  # encoded, with the constant, its label and its norm
BLOCK = 20_000
LIMIT = 128 << 20
TRAININGS = {
    "gradient": ["--method", "gradient", "--steps", "2", "--standardise", "none"],
    "released means": ["--method", "gradient", "--steps", "2", "--standardise", "means"],
    "adassp": ["--method", "adassp"],
}


def records(rows):
    """The lines of a table, in blocks of bytes."""
    yield (",".join(f"x{j}" for j in range(COLUMNS)) + ",y\n").encode()
    block = "".join(",".join(str((k * (j + 3)) % 10) for j in range(COLUMNS)) + f",{k % 2}\n"
                    for k in range(BLOCK)).encode()
    whole, rest = divmod(rows, BLOCK)
    for _ in range(whole):
        yield block
    yield b"".join(block.splitlines(keepends=True)[:rest])


class Runs:
    def __init__(self, program, folder, rows):
        self.program, self.folder, self.rows = program, folder, rows
        self.spool = folder / "spool"
        self.spool.mkdir()
        names = ", ".join(f'"x{j}"' for j in range(COLUMNS))
        (folder / "s.toml").write_text(
            f'public_row_count = {rows}\n[target]\ncolumn = "y"\npositive = "1"\nnegative = "0"\n'
            f'[[column]]\nnames = [{names}]\nkind = "numeric"\nlower = 0\nupper = 9\n')

    def run(self, words, spooled):
        """The output of a run on all records."""
        more = ["--spool", "spool"] if spooled else []
        limit = (lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))) if spooled \
            else None
        process = subprocess.Popen([self.program, *words, "--quiet", "--seed", "1", *more],
                                   cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, preexec_fn=limit)
        writer = threading.Thread(target=self.write, args=(process.stdin,))
        writer.start()
        out = process.stdout.read()
        code = process.wait()
        writer.join()
        assert code == 0, f"exit code {code}: {' '.join(words)}"
        assert not list(self.spool.iterdir()), "the folder of the spool is not empty"
        return out

    def write(self, pipe):
        try:
            for block in records(self.rows):
                pipe.write(block)
            pipe.close()
        except BrokenPipeError:
            pass

    def both(self, name, words, in_memory):
        found = self.run(words, True)
        if in_memory:
            assert self.run(words, False) == found, f"{name}: other bytes in a spool"
        print(f"{name}: passed under the limit" + (", the same bytes" if in_memory else ""),
              flush=True)
        return found


def main(program, megabytes):
    rows = int(megabytes * 2**20 / BYTES_OF_RECORD)
    in_memory = 2 * megabytes * 2**20 < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as name:
        runs = Runs(program, pathlib.Path(name), rows)
        for what, more in TRAININGS.items():
            model = runs.both(what, ["train", "-", "--schema", "s.toml", "--epsilon", "1", "--delta",
                                     "1e-8", "-o", "-", *more], in_memory)
            (runs.folder / "model.json").write_bytes(model)
        runs.both("evaluate", ["evaluate", "model.json", "-", "--epsilon", "1", "--delta", "1e-8",
                               "--json"], in_memory)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), float(sys.argv[2]))
