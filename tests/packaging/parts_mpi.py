"""The example of an engine over MPI trains the model of one process, byte for byte.

    parts_mpi.py TACET SOURCE SCRATCH COMPILER

Builds examples/parts_mpi with the sources of tacet, divides a table into files and trains on them
with several numbers of ranks. Without Open MPI: exit code 77, skipped.
"""

import csv
import os
import pathlib
import shutil
import subprocess
import sys

OPTIONS = {"gradient": ["--method", "gradient"], "adassp": ["--method", "adassp", "--loss", "squared"]}
ASKED = ["--epsilon", "1", "--delta", "1e-6", "--seed", "7"]


def run(*command, code=0):
    done = subprocess.run([str(word) for word in command], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode} in place of {code}:\n"
                 f"{done.stdout}")
    return done.stdout


def build(source, scratch, compiler):
    folder = scratch / "build"
    run("cmake", "-S", source / "examples/parts_mpi", "-B", folder, "-G", "Ninja",
        f"-DTACET_SOURCE={source}", f"-DCMAKE_CXX_COMPILER={compiler}")
    run("cmake", "--build", folder, "--target", "parts_mpi", "--parallel", "2")
    return folder / "parts_mpi"


def divided(table, count, folder):
    """Files of the records in turn, the last of them empty."""
    with open(table, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    paths = [folder / f"part-{k}.csv" for k in range(count)]
    for k, path in enumerate(paths):
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(
                [names, *(rows[k::count - 1] if k < count - 1 else [])])
    return paths


def main(tacet, source, scratch, compiler):
    if shutil.which("mpirun") is None or shutil.which("mpicxx") is None:
        print("skipped: Open MPI (libopenmpi-dev, openmpi-bin) is not installed")
        sys.exit(77)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    program = build(source, scratch, compiler)
    table = shutil.copy(source / "data/berkeley1973.csv", scratch / "table.csv")
    schema = source / "data/schemas/berkeley1973.toml"
    paths = divided(table, 5, scratch)
    for name, options in OPTIONS.items():
        whole = scratch / f"{name}.json"
        run(tacet, "train", table, "--schema", schema, *ASKED, *options, "--output", whole)
        for ranks in (2, 4):
            model = scratch / f"{name}-{ranks}.json"
            run("mpirun", "--oversubscribe", "-n", ranks, program, "--schema", schema, *ASKED,
                *options, "--output", model, *paths)
            if model.read_bytes() != whole.read_bytes():
                sys.exit(f"{name} with {ranks} ranks is not the model of one process")
    refused = run("mpirun", "--oversubscribe", "-n", 3, program, "--schema", schema, *ASKED,
                  *OPTIONS["gradient"], "--output", scratch / "none.json", scratch / "none.csv",
                  code=1)
    if "part 0" not in refused or (scratch / "none.json").exists():
        sys.exit(f"a part without a file is not what was refused:\n{refused}")
    twice = run("mpirun", "--oversubscribe", "-n", 3, program, "--schema", schema, *ASKED,
                *OPTIONS["gradient"], "--output", scratch / "none.json", paths[0],
                paths[0].parent / "." / paths[0].name, code=1)
    if "named twice" not in twice:
        sys.exit(f"one file for two parts is not what was refused:\n{twice}")
    print("2 and 4 ranks train the model of one process")


if __name__ == "__main__":
    main(sys.argv[1], *map(pathlib.Path, sys.argv[2:4]), sys.argv[4])
