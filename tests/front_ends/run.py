"""One request, one model: the command line, C, C++ and Python, byte by byte.

    run.py PROGRAM LIBRARY FRONT_ENDS SCRATCH

Every setting of settings.py is trained by `tacet train` (or `tune`) with one seed, by the shared
library through ctypes, by FRONT_ENDS (front_ends.cc), and by the Python package where this
interpreter has it. The model files must be equal.
"""

import ctypes
import pathlib
import shutil
import subprocess
import sys

import settings
from settings import SEED, SETTINGS

try:
    import through_python
except ImportError:
    through_python = None


def by_program(program, folder, setting, output):
    command, words = setting.command(folder)
    done = subprocess.run([program, command, *words, "--output", output], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{setting.name()}\n{done.stdout}")


def by_c_plus_plus(program, folder, outputs):
    lines = []
    for setting, output in outputs:
        lines += [f"schema {folder / setting.schema}.toml", f"data {folder / 'table.csv'}",
                  f"seed {SEED}"]
        lines += [f"set {name} {value}" for name, value in setting.values.items()]
        if setting.adjacency:
            lines.append(f"adjacency {setting.adjacency}")
        if setting.tuned:
            lines.append(f"grid {folder / 'grid.toml'}")
        lines.append(f"output {output}")
    jobs = folder / "jobs"
    jobs.write_text("\n".join(lines) + "\n", encoding="utf-8")
    subprocess.run([program, jobs], check=True)


class Library:
    """The shared library, as ctypes calls it."""

    def __init__(self, path, folder):
        self.library = ctypes.CDLL(str(path))
        self.library.tacet_last_error.restype = ctypes.c_char_p
        self.folder = folder
        lines = (folder / "table.csv").read_text(encoding="utf-8").splitlines()
        names = lines[0].split(",")
        self.table = self.made("table_new", ctypes.c_size_t(len(lines) - 1))
        for name, column in zip(names, zip(*(line.split(",") for line in lines[1:]))):
            texts = (ctypes.c_char_p * len(column))(*(text.encode() for text in column))
            self.call("table_texts", self.table, name.encode(), texts, ctypes.c_size_t(len(column)))

    def call(self, name, *arguments):
        if getattr(self.library, f"tacet_{name}")(*arguments) != 0:
            sys.exit(f"tacet_{name}: {self.library.tacet_last_error().decode()}")

    def made(self, name, *arguments):
        place = ctypes.c_uint64()
        self.call(name, *arguments, ctypes.byref(place))
        return place

    def train(self, setting, output):
        schema = self.made("schema_load", str(self.folder / f"{setting.schema}.toml").encode())
        options = self.made("options_new")
        values = dict(setting.values)
        if setting.adjacency:
            values["adjacency"] = setting.adjacency
        for name, value in values.items():
            self.call("options_set", options, name.encode(), str(value).encode())
        self.call("options_seed", options, ctypes.c_uint64(SEED))
        model = self.made("train_table", schema, options, ctypes.c_uint64(0), self.table)
        self.call("model_save", model, str(output).encode(), 0)


def main(program, library, front_ends, scratch):
    scratch = pathlib.Path(scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    settings.write(scratch)
    outputs = [(setting, scratch / f"{number}.cc.json") for number, setting in enumerate(SETTINGS)]
    by_c_plus_plus(front_ends, scratch, outputs)
    in_c = Library(library, scratch)
    faults = []
    for setting, output in outputs:
        expected = output.with_suffix(".program")
        by_program(program, scratch, setting, expected)
        found = {"C++": output}
        if not setting.tuned:  # the library for C has no tuning
            found["C"] = output.with_suffix(".c")
            in_c.train(setting, found["C"])
        if through_python is not None:
            found["Python"] = output.with_suffix(".python")
            through_python.train(scratch, setting, found["Python"])
        for name, path in found.items():
            if not settings.same_model(expected, path):
                faults.append(f"{name} trains another model: {setting.name()}")
    if faults:
        sys.exit("\n".join(faults))
    others = "C, C++ and Python" if through_python is not None else "C and C++; Python is not here"
    print(f"{len(SETTINGS)} settings: one model by the command line, {others}")


if __name__ == "__main__":
    main(*sys.argv[1:])
