#!/usr/bin/env python3
"""Private word vectors, measured on texts that are split by a public seed.

    TACET_DATA=FOLDER bench/utility/wide.py [--program FILE] [--part PART,..] [--seeds N]

PART is one of
  words   1,000 words of Brown, pairs as units: loss of 200,000 test pairs with 8 negatives each
  rows    Brown's whole vocabulary but its 100 most frequent words, listed by public frequency:
          noise on all rows, and on those of words that noisily enough units touch
  speed   20 epochs of samples of 20 of 200,000 pairs, 102,000 numbers, one thread: CPU seconds
          without privacy and with every choice of rows; of FEST also how many words it kept
  dense   4 such epochs with noise on all rows, for every optimizer: CPU seconds beside those of
          their noise alone (noise_words_bench)
  units   Brown's 1,000 words by skip-gram, 400 documents to learn from, pairs of the other 100 to
          test: pairs, sentences and documents as units at epsilon 1, 4 and 8; documents also with
          256 pairs a step
  vocabulary  24,026 lines of Shakespeare's plays, a line a unit, 8 words each: how many of the
          1,000 most frequent words --select-vocabulary 1000 finds at epsilon 1/4, 1 and 4, and the
          same choice by exact counts
  skipgram  texts of 50,000 words by Zipf's law, one epoch of skip-gram on one thread: words a CPU
          second, with a choice of rows and without privacy, beside fastText's Debian package

Medians of seeds 1 to 5, settings by the program's rule, nothing tuned. Results of the parts that
ran replace theirs in bench/utility/tables/wide.md; those of `units` and `speed` that are there are
not run again. A bar that is missed ends the program with code 1.
What words the vocabulary of `rows` has is not the same as where its bars were set, so that the
losses of the public order alone and of exact frequencies stand beside the results.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables, words as texts_of_sets  # noqa: E402


ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("words", "rows", "speed", "dense", "units", "vocabulary", "skipgram")
WORDS_BARS = {3.53: 2.975, 1: 2.995}
ROWS_BARS = {"all": 2.005, "adafest": 2.018}


def softplus(score):
    return numpy.logaddexp(0, score)


class Texts:
    """A set as bench/common/words.py writes it."""

    def __init__(self, folder, name):
        self.folder = folder / name
        subprocess.run([sys.executable, str(ROOT / "bench/common/words.py"), name, str(self.folder)],
                       check=True, stdout=subprocess.DEVNULL)
        lines = [line.split() for line in
                 (self.folder / "vocabulary.txt").read_text("utf-8").splitlines()]
        self.words = [word for word, _ in lines]
        self.numbers = {word: k for k, word in enumerate(self.words)}
        self.test = self.pairs("test.txt")

    def pairs(self, name):
        with open(self.folder / name, encoding="utf-8") as file:
            return numpy.array([[self.numbers[word] for word in line.split()] for line in file])

    def training_pairs(self):
        """Target and context alone: negatives are drawn afresh each time."""
        path = self.folder / "pairs.txt"
        if not path.exists():
            with open(self.folder / "train.txt", encoding="utf-8") as source, \
                    open(path, "w", encoding="utf-8") as file:
                file.writelines(" ".join(line.split()[:2]) + "\n" for line in source)
        return path

    def loss_of(self, scores):
        """Mean over the test pairs; scores(targets, words) for words one a pair or several."""
        total = 0
        for first in range(0, len(self.test), 20000):
            rows = self.test[first:first + 20000]
            total += softplus(-scores(rows[:, 0], rows[:, 1:2])).sum()
            total += softplus(scores(rows[:, 0], rows[:, 2:])).sum()
        return float(total / len(self.test))

    def loss_of_vectors(self, vectors, contexts):
        targets, outputs = numpy.load(vectors), numpy.load(contexts)
        bias, outputs = outputs[:, -1], outputs[:, :-1]
        return self.loss_of(
            lambda t, w: numpy.einsum("ij,ikj->ik", targets[t], outputs[w]) + bias[w])

    def loss_of_biases(self, bias):
        return self.loss_of(lambda targets, words: bias[words])


def embed(program, texts, words, folder):
    """Runs `tacet embed`; its plan, seconds, and the loss of test pairs."""
    vectors, contexts = folder / "v.npy", folder / "c.npy"
    start = time.monotonic()
    run = subprocess.run(
        [str(program), "embed", str(texts.training_pairs()), "--model", "pairs", "--negatives", "8",
         "--vocabulary", str(texts.folder / "vocabulary.txt"), *map(str, words),
         "--threads", "1", "--json", "--quiet", "--force", "--format", "npy",
         "--output", str(vectors), "--contexts", str(contexts)],
        check=False, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"wide: {' '.join(map(str, words))} failed:\n{run.stderr}")
    seconds = time.monotonic() - start
    return json.loads(run.stdout), seconds, texts.loss_of_vectors(vectors, contexts)


def medians(bench, texts, words):
    found = [embed(bench.program, texts, [*words, "--seed", seed], bench.folder)
             for seed in range(1, bench.seeds + 1)]
    plan = found[0][0]["plan"]
    return {"losses": [round(loss, 5) for _, _, loss in found],
            "median": round(statistics.median(loss for _, _, loss in found), 5),
            "seconds": round(statistics.median(seconds for _, seconds, _ in found), 2),
            "epsilon": plan["epsilon"], "noise_multiplier": plan["noise_multiplier"],
            "batch_size": plan["batch_size"], "steps": plan["steps"]}


def frequencies(texts, negatives=8):
    """Biases of the training pairs' own frequencies: what no vector is needed for."""
    contexts = texts.pairs("pairs.txt")[:, 1]
    share = (numpy.bincount(contexts, minlength=len(texts.words)) + .5)
    share /= share.sum()
    return numpy.log(share * len(texts.words) / negatives)


def measure_words(bench):
    texts = Texts(bench.folder, "brown")
    texts.training_pairs()
    rows = [{"what": "constant", "median": texts.loss_of_biases(
                 numpy.full(len(texts.words), -numpy.log(8)))},
            {"what": "exact frequencies", "median": texts.loss_of_biases(frequencies(texts))}]
    for epsilon, bar in WORDS_BARS.items():
        row = medians(bench, texts, ["--epsilon", epsilon, "--delta", "1e-5",
                                     "--public-row-count", 200000])
        rows.append({"what": f"epsilon {epsilon}", "bar": bar, **row})
        print(rows[-1], flush=True)
    return rows


def measure_rows(bench):
    texts = Texts(bench.folder, "brown-rows")
    texts.training_pairs()
    odds = 1 / (numpy.arange(len(texts.words)) + 100)
    order = numpy.log(odds / odds.mean() / 8)
    rows = [{"what": "order alone", "words": len(texts.words),
             "median": texts.loss_of_biases(order)},
            {"what": "exact frequencies", "median": texts.loss_of_biases(frequencies(texts))}]
    program = bench.program.parent / "bench/word_rows_bench"
    for selection, bar in ROWS_BARS.items():
        found = [json.loads(subprocess.run([str(program), str(texts.folder), selection, str(seed)],
                                           check=True, capture_output=True, text=True).stdout)
                 for seed in range(1, bench.seeds + 1)]
        share = max(run["share_of_rows_noised"] for run in found)
        rows.append({"what": selection, "bar": bar, "losses": [run["loss"] for run in found],
                     "median": statistics.median(run["loss"] for run in found),
                     "epsilon": found[0]["epsilon"]})
        if selection == "adafest":
            rows.append({"what": "share of rows that adafest noises in a step", "bar": 0.05,
                         "median": share})
        print(rows[-1], flush=True)
    return rows


SELECTIONS = ("adafest", "adafest_plus", "exponential", "permute_and_flip", "sparse_vector",
              "uniform", "fixed", "fest")


def pairs_command(bench):
    texts = Texts(bench.folder, "brown")
    return [bench.program, "embed", texts.training_pairs(), "--model", "pairs", "--negatives", 8,
            "--vocabulary", texts.folder / "vocabulary.txt", "--delta", "1e-5",
            "--public-row-count", 200000, "--batch-size", 20, "--seed", 1, "--dim", 50,
            "--threads", 1, "--quiet", "--force", "--format", "npy",
            "--output", bench.folder / "s.npy"]


def measure_speed(bench):
    command = pairs_command(bench)
    # Vectors that no step has moved.
    cpu_seconds([*command, "--epsilon", 3.53, "--selection", "uniform", "--selected", 1,
                 "--steps", 1, "--step-size", "1e-9"])
    start = numpy.load(bench.folder / "s.npy")
    runs = {"unprotected": ["--epsilon", "inf"]}
    for selection in SELECTIONS:
        runs[selection] = ["--epsilon", 3.53, "--selection", selection]
    runs["fixed"] += ["--selected", 100]
    runs["fest, 100 words"] = [*runs["fest"], "--selected", 100]
    done = {row["what"]: row for row in bench.done}
    rows = []
    for what, words in runs.items():
        row = done.get(what)
        if not row:
            seconds = cpu_seconds([*command, "--epochs", 20, *words])
            row = {"what": what, "bar": 30, "median": round(seconds, 1)}
            if "fest" in words:
                moved = numpy.abs(numpy.load(bench.folder / "s.npy") - start).max(axis=1) > 1e-6
                row["words_kept"] = int(moved.sum())
        rows.append(row)
        print(row, flush=True)
        bench.save("speed", rows)
    return rows


def measure_dense(bench):
    command = [*pairs_command(bench), "--epochs", 4, "--epsilon", 3.53, "--selection", "all"]
    noise = cpu_seconds([bench.program.parent / "bench/noise_words_bench", 102000, 40000])
    rows = [{"what": "noise alone", "median": round(noise, 2)}]
    print(rows[-1], flush=True)
    for optimizer in ("sgd", "momentum", "adagrad", "adam", "adam_dense_zero"):
        seconds = cpu_seconds([*command, "--optimizer", optimizer])
        rows.append({"what": f"{optimizer}, of its noise alone", "bar": 1.6,
                     "seconds": round(seconds, 2), "median": round(seconds / noise, 2)})
        print(rows[-1], flush=True)
    return rows


class Units(Texts):
    """Brown's sentences over its 1,000 words, in two parts by document."""

    def __init__(self, folder):
        super().__init__(folder, "brown-paper")  # for the words
        sentences = list(texts_of_sets.brown_sentences(pathlib.Path(os.environ["TACET_DATA"])))
        documents = sorted({document for document, _ in sentences})
        source = random.Random(0)
        source.shuffle(documents)
        learnt = set(documents[:400])
        pairs, held = [], []
        self.count = {"documents": len(learnt), "sentences": 0}
        with open(self.folder / "sentences.csv", "w", encoding="utf-8") as table:
            table.write("document,text\n")
            for document, text in sentences:
                kept = [word for word in text if word in self.numbers]
                here = pairs if document in learnt else held
                here.extend(texts_of_sets.pairs_of(kept, self.numbers, 4))
                if document in learnt and len(kept) > 1:
                    table.write(f"{document},{' '.join(kept)}\n")
                    self.count["sentences"] += 1
        with open(self.folder / "pairs.txt", "w", encoding="utf-8") as file:
            file.writelines(f"{self.words[a]} {self.words[b]}\n" for a, b in pairs)
        self.count["pairs"] = len(pairs)
        source.shuffle(held)
        negatives = numpy.random.default_rng(0).integers(len(self.words), size=(len(held), 8))
        self.test = numpy.column_stack([numpy.array(held), negatives])[:100000]

    def options(self, unit):
        """The texts and what a unit of them is."""
        if unit == "pairs":
            return [self.folder / "pairs.txt", "--model", "pairs"]
        table = [self.folder / "sentences.csv", "--text-column", "text", "--window", 4]
        if unit == "sentences":
            return table
        table += ["--unit", "document"]
        return table if unit == "documents" else [*table, "--max-pairs-per-unit", 256]


def measure_units(bench):
    texts = Units(bench.folder)
    done = {row["what"]: row for row in bench.done}
    rows = [{"what": "constant", "median": texts.loss_of_biases(
                 numpy.full(len(texts.words), -numpy.log(8)))},
            {"what": "exact frequencies", "median": texts.loss_of_biases(frequencies(texts))}]
    vectors, contexts = bench.folder / "v.npy", bench.folder / "c.npy"
    for unit in ("pairs", "sentences", "documents", "documents, 256 pairs"):
        for epsilon in (1, 4, 8):
            what = f"{unit}, epsilon {epsilon}"
            losses = []
            for seed in range(1, bench.seeds + 1):
                if what in done:
                    break
                subprocess.run(
                    [str(bench.program), "embed", *map(str, texts.options(unit)),
                     "--negatives", "8", "--vocabulary", str(texts.folder / "vocabulary.txt"),
                     "--dim", "50",
                     "--public-row-count", str(texts.count[unit.partition(",")[0]]),
                     "--epsilon", str(epsilon), "--delta", "1e-5", "--seed", str(seed),
                     "--threads", "1", "--quiet", "--force", "--format", "npy",
                     "--output", str(vectors), "--contexts", str(contexts)],
                    check=True, capture_output=True)
                losses.append(round(texts.loss_of_vectors(vectors, contexts), 5))
            rows.append(done.get(what) or {
                "what": what, "units": texts.count[unit.partition(",")[0]], "losses": losses,
                "median": statistics.median(losses)})
            print(rows[-1], flush=True)
            bench.save("units", rows)
    return rows


def measure_vocabulary(bench):
    texts = []
    folder = pathlib.Path(os.environ["TACET_DATA"])
    for _, line in texts_of_sets.lines(folder, "shakespeare/shakespeare8plays.lines.tsv.gz"):
        texts.append(texts_of_sets.WORD.findall(line.lower()))
    (bench.folder / "plays.txt").write_text("\n".join(map(" ".join, texts)) + "\n", "utf-8")
    counts = collections.Counter(word for text in texts for word in text)
    most = {word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:1000]}
    source = random.Random(0)
    weights = collections.Counter()
    for text in texts:
        kept = sorted(set(text))
        source.shuffle(kept)
        for word in kept[:8]:
            weights[word] += 1 / min(len(kept), 8) ** .5
    exact = {word for word, _ in weights.most_common(1000)}
    rows = [{"what": "by exact counts", "lines": len(texts), "found": 1000,
             "median": len(exact & most)}]
    for epsilon in (.25, 1, 4):
        found = []
        for seed in range(1, bench.seeds + 1):
            subprocess.run(
                [str(bench.program), "embed", str(bench.folder / "plays.txt"),
                 "--select-vocabulary", "1000", "--vocabulary-epsilon", str(epsilon),
                 "--epsilon", str(2 * epsilon),
                 "--delta", "1e-6", "--public-row-count", str(len(texts)), "--steps", "1",
                 "--dim", "1", "--seed", str(seed), "--threads", "1", "--quiet", "--force",
                 "--output", str(bench.folder / "s.vec")], check=True, capture_output=True)
            lines = (bench.folder / "s.vec").read_text("utf-8").splitlines()[1:]
            found.append({line.split(" ")[0] for line in lines})
        rows.append({"what": f"epsilon {epsilon}",
                     "found": statistics.median(len(some) for some in found),
                     "median": statistics.median(len(some & most) for some in found)})
        print(rows[-1], flush=True)
    return rows


def zipf_texts(folder, words=50_000, lines=20_000, length=20):
    """Lines of words whose r-th has a share of 1/r, and the list of them."""
    share = 1 / numpy.arange(1, words + 1)
    drawn = numpy.random.default_rng(1).choice(words, (lines, length), p=share / share.sum())
    (folder / "zipf.txt").write_text(
        "".join(" ".join(f"w{k}" for k in line) + "\n" for line in drawn), encoding="utf-8")
    (folder / "zipf.words.txt").write_text("".join(f"w{k}\n" for k in range(words)),
                                           encoding="utf-8")
    return lines * length


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_skipgram(bench):
    """Each line gives all of its pairs, some 110; a step takes some 20,000 of them."""
    tokens = zipf_texts(bench.folder)
    texts, lines = bench.folder / "zipf.txt", tokens // 20
    ours = [bench.program, "embed", texts, "--vocabulary", bench.folder / "zipf.words.txt",
            "--dim", 100, "--window", 5, "--negatives", 5, "--epochs", 1, "--max-pairs-per-unit", 128,
            "--batch-size", 180, "--public-row-count", lines, "--seed", 1, "--threads", 1,
            "--quiet", "--force", "--format", "npy", "--output", bench.folder / "z.npy"]
    runs = {"adafest": [*ours, "--epsilon", 4, "--delta", "1e-6", "--selection", "adafest"],
            "unprotected": [*ours, "--epsilon", "inf"]}
    if shutil.which("fasttext"):
        runs["fasttext"] = ["fasttext", "skipgram", "-input", texts, "-output", bench.folder / "ft",
                            "-dim", 100, "-ws", 5, "-neg", 5, "-epoch", 1, "-thread", 1,
                            "-minCount", 1, "-minn", 0, "-maxn", 0, "-t", 1, "-loss", "ns"]
    rates = {what: round(tokens / cpu_seconds(command)) for what, command in runs.items()}
    rows = [{"what": what, "words_per_cpu_second": rate, "median": -rate} for what, rate in
            rates.items()]
    rows[0]["bar"] = -max(rates[what] for what in rates if what != "adafest") / 2
    for row in rows:
        print(row, flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    parser.add_argument("--part", type=lambda text: text.split(","), default=PARTS)
    parser.add_argument("--seeds", type=int, default=5)
    bench = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    path = tables.raw("utility/wide")
    results = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def save(part, rows):
        results[part] = {"seeds": bench.seeds, "rows": rows}
        tables.save("utility/wide", results)
        tables.keep("utility/wide", "Word vectors: loss of test pairs, vocabulary, units, speed",
                    f"bench/utility/wide.py --part {part} --seeds {bench.seeds}", {part: rows})

    bench.save = save
    with tempfile.TemporaryDirectory() as folder:
        bench.folder = pathlib.Path(folder)
        for part in bench.part:
            bench.done = results.get(part, {}).get("rows", [])
            save(part, globals()[f"measure_{part}"](bench))
    missed = [row for part in bench.part for row in results[part]["rows"]
              if "bar" in row and row["median"] > row["bar"]]
    for row in missed:
        print("missed:", row, file=sys.stderr)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
