#!/usr/bin/env python3
"""Makes data/speeches.txt.gz and data/plays.words.txt from plays of Shakespeare.

    TACET_DATA=FOLDER scripts/make_speeches.py

One speech a line, without the speaker's name; and the 1,000 most frequent words of seven other
plays with their counts, most frequent first, ties by alphabet. Words are those of `--words`: runs
of letters and digits in lower case. Both sources are in the public domain; data/README.md names
them.
"""

import collections
import gzip
import os
import pathlib
import re

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
ALSO_AMONG_THE_SPEECHES = "r_and_j"


def speeches(source):
    with gzip.open(source / "tinyshakespeare.txt.gz", "rt", encoding="ascii") as file:
        for block in file.read().split("\n\n"):
            text = " ".join(block.partition("\n")[2].split())
            if text:
                yield text


def words_of_plays(source):
    counts = collections.Counter()
    with gzip.open(source / "shakespeare8plays.lines.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            play, text = line.rstrip("\n").split("\t")
            if play != ALSO_AMONG_THE_SPEECHES:
                counts.update(re.findall(r"[a-z0-9]+", text.lower()))
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:1000]


def main():
    source = pathlib.Path(os.environ["TACET_DATA"]) / "shakespeare"
    with open(DATA / "speeches.txt.gz", "wb") as file:
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
            packed.write("".join(text + "\n" for text in speeches(source)).encode("ascii"))
    (DATA / "plays.words.txt").write_text(
        "".join(f"{word} {count}\n" for word, count in words_of_plays(source)), encoding="ascii")


if __name__ == "__main__":
    main()
