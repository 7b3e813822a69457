"""How long a program that trains takes to compile, by two revisions in turns.

    bench/speed/compile_time.py OLD [NEW] [--rounds N] [--generated DIR]

Compiles examples/train_memory/main.cc of each revision (NEW: the working tree) with -O2, N times in
turns, and prints a table of processor seconds. Time on the clock depends on what else the machine
does. DIR has the generated tacet/base/version.h.
"""

import argparse
import pathlib
import resource
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tree_of(revision, folder):
    """The sources of a revision below the folder; without one the working tree."""
    if revision is None:
        return ROOT
    tree = folder / "tree"
    tree.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", ROOT, "archive", revision, "tacet", "examples"],
                             check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", tree], input=archive, check=True)
    return tree


def seconds(tree, generated, output):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["c++", "-std=c++20", "-O2", "-c", tree / "examples/train_memory/main.cc", "-I",
                    tree, "-I", generated, "-o", output], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def headers(tree, generated):
    """How many headers of tacet the program reads."""
    listed = subprocess.run(["c++", "-std=c++20", "-MM", tree / "examples/train_memory/main.cc",
                             "-I", tree, "-I", generated], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    return sum("/tacet/" in word and word.endswith(".h") for word in listed.split())


def main():
    words = argparse.ArgumentParser()
    words.add_argument("old")
    words.add_argument("new", nargs="?")
    words.add_argument("--rounds", type=int, default=9)
    words.add_argument("--generated", type=pathlib.Path,
                       default=ROOT / "build/release/generated")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        trees = [tree_of(given.old, folder / "old"), tree_of(given.new, folder / "new")]
        found = [[], []]
        for _ in range(given.rounds):
            for times, tree in zip(found, trees):
                times.append(seconds(tree, given.generated, folder / "main.o"))
        print("| | headers of tacet read | seconds of processor, median | least | most |")
        print("|---|---|---|---|---|")
        for name, times, tree in zip(("before", "after"), found, trees):
            print(f"| {name} | {headers(tree, given.generated)} | {statistics.median(times):.2f} | "
                  f"{min(times):.2f} | {max(times):.2f} |")
        print(f"\nafter / before: "
              f"{statistics.median(found[1]) / statistics.median(found[0]):.2f}")


if __name__ == "__main__":
    main()
