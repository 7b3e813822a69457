#!/usr/bin/env python3
"""Texts as pairs of words, for experiments with private word vectors.

    TACET_DATA=FOLDER bench/common/words.py SET OUTPUT [--seed N] [--negatives N]

SET is one of

    brown        the pairs of brown_cbow_v1000.npz: 1,000 words, split by document
    brown-paper  Brown's sentences, prepared as by Zhang, Mironov and Hejazinia (2021)
    shakespeare  speeches and lines of plays, prepared likewise
    brown-rows   Brown's whole vocabulary, 45,892 words; the 100 most frequent have rows and no
                 pairs; window 2; 800,000 pairs to learn from, 100,000 to test

OUTPUT, a folder that must not lie in this tree (Brown's text may not be handed on), gets
vocabulary.txt (a word and its count a line, most frequent first; treated as public, as the paper
does) and train.txt, valid.txt, test.txt: target, context and fixed negatives a line, which
`--model pairs` reads as records. Fixed negatives are uniform on the vocabulary.

The paper leaves open what a word, its stop words and its negatives are. Here: lower-case runs of
letters with single hyphens inside; STOP_WORDS; the most frequent 1,000, ties by alphabet; all
ordered pairs at most 4 places apart after other words were dropped, within a sentence; shuffled by
a public seed, the first 200,000 to learn from, then 100,000 and 200,000.
"""

import argparse
import array
import collections
import gzip
import itertools
import os
import pathlib
import random
import re
import sys
import zipfile

WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
TYPE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# Words that join others, by English grammar: articles, pronouns, prepositions, conjunctions,
# auxiliary verbs and adverbs of place, time and degree.
STOP_WORDS = frozenset("""
    a about above after again against all also am among an and any are as at be because been before
    being below between both but by can cannot could did do does doing down during each few for
    from further had has have having he her here hers herself him himself his how i if in into is
    it its itself just may me might more most must my myself no nor not now of off on once only or
    other our ours ourselves out over own same shall she should so some such than that the their
    theirs them themselves then there these they this those through to too under until up upon us
    very was we were what when where which while who whom whose why will with would you your yours
    yourself yourselves one
""".split())
WINDOW = 4
SIZES = (200_000, 100_000, 200_000)  # to learn from, to choose by, to test


def lines(folder, name):
    with gzip.open(folder / name, "rt", encoding="utf-8") as file:
        yield from (line.rstrip("\n").split("\t") for line in file)


def brown_sentences(folder):
    """(document, words) of each sentence."""
    for document, _, sentence in lines(folder, "brown/brown.sentences.tsv.gz"):
        yield document, [word for word in sentence.lower().split() if WORD.fullmatch(word)]


def shakespeare_sentences(folder):
    """The speeches of one collection, and the lines of the plays that it does not have."""
    with gzip.open(folder / "shakespeare/tinyshakespeare.txt.gz", "rt", encoding="utf-8") as file:
        for speech in file.read().split("\n\n"):
            yield "speeches", WORD.findall(speech.partition("\n")[2].lower())
    for play, line in lines(folder, "shakespeare/shakespeare8plays.lines.tsv.gz"):
        if play != "r_and_j":
            yield play, WORD.findall(line.lower())


def most_frequent(sentences, left_out, first=0, size=None):
    """Words and counts, most frequent first, ties by alphabet."""
    counts = collections.Counter(itertools.chain.from_iterable(words for _, words in sentences))
    ranked = sorted((-count, word) for word, count in counts.items() if word not in left_out)
    return [(word, -count) for count, word in ranked][first:None if size is None else first + size]


def pairs_of(words, numbers, window):
    kept = [numbers[word] for word in words if word in numbers]
    for at, target in enumerate(kept):
        for other in range(max(0, at - window), min(len(kept), at + window + 1)):
            if other != at:
                yield target, kept[other]


def cut(pairs, sizes):
    """Consecutive parts of these sizes."""
    if len(pairs) < sum(sizes):
        sys.exit(f"{len(pairs)} pairs are too few for {sum(sizes)}")
    ends = list(itertools.accumulate(sizes, initial=0))
    return [pairs[first:end] for first, end in itertools.pairwise(ends)]


def as_the_paper(sentences, seed):
    words = most_frequent(sentences, STOP_WORDS, size=1000)
    numbers = {word: k for k, (word, _) in enumerate(words)}
    pairs = [pair for _, text in sentences for pair in pairs_of(text, numbers, WINDOW)]
    random.Random(seed).shuffle(pairs)
    return words, cut(pairs, SIZES)


def brown_of_the_archive(folder):
    def numbers(archive, name, kind):
        data = archive.read(name + ".npy")
        out = array.array(kind)
        out.frombytes(data[10 + data[8] + 256 * data[9]:])
        return out

    with zipfile.ZipFile(folder / "brown/brown_cbow_v1000.npz") as archive:
        text = numbers(archive, "vocabulary", "I")  # UTF-32
        width = len(text) // 1000
        names = ["".join(map(chr, text[k:k + width])).rstrip("\0")
                 for k in range(0, len(text), width)]
        words = list(zip(names, numbers(archive, "counts", "q")))
        parts = []
        for part in ("train", "valid", "test"):
            rows = numbers(archive, part, "i")  # target, context, sentence, document
            parts.append(list(zip(rows[0::4], rows[1::4])))
    return words, parts


def brown_with_many_rows(folder, seed):
    sentences = [(document, [word for word in sentence.lower().split() if TYPE.fullmatch(word)])
                 for document, _, sentence in lines(folder, "brown/brown.sentences.tsv.gz")]
    words = most_frequent(sentences, ())
    numbers = {word: k for k, (word, _) in enumerate(words) if k >= 100}
    pairs = [pair for _, text in sentences for pair in pairs_of(text, numbers, 2)]
    random.Random(seed).shuffle(pairs)
    return words, cut(pairs, (800_000, 0, 100_000))


def write(output, words, parts, negatives, seed):
    output.mkdir(parents=True, exist_ok=True)
    (output / "vocabulary.txt").write_text(
        "".join(f"{word} {count}\n" for word, count in words), encoding="utf-8")
    draw = random.Random(seed + 1).randrange
    names = [word for word, _ in words]
    for part, pairs in zip(("train", "valid", "test"), parts):
        with open(output / f"{part}.txt", "w", encoding="utf-8") as file:
            for pair in pairs:
                drawn = (draw(len(names)) for _ in range(negatives))
                file.write(" ".join(names[k] for k in (*pair, *drawn)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", choices=("brown", "brown-paper", "brown-rows", "shakespeare"))
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--negatives", type=int, default=8)
    given = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA names no folder of data sets")
    tree = pathlib.Path(__file__).resolve().parents[2]
    if tree in (given.output.resolve(), *given.output.resolve().parents):
        sys.exit("OUTPUT lies in the source tree; Brown's text may not be handed on")
    folder = pathlib.Path(os.environ["TACET_DATA"])
    if given.set == "brown":
        words, parts = brown_of_the_archive(folder)
    elif given.set == "brown-rows":
        words, parts = brown_with_many_rows(folder, given.seed)
    elif given.set == "brown-paper":
        words, parts = as_the_paper(list(brown_sentences(folder)), given.seed)
    else:
        words, parts = as_the_paper(list(shakespeare_sentences(folder)), given.seed)
    write(given.output, words, parts, given.negatives, given.seed)
    print(f"{len(words)} words; {', '.join(str(len(part)) for part in parts)} pairs")


if __name__ == "__main__":
    main()
