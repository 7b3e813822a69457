#!/usr/bin/env python3
"""Private word vectors, measured on texts that are split by a public seed.

    TACET_DATA=FOLDER bench/wide.py [--program FILE] [--part PART,..] [--seeds N] [--output FILE]

PART is one of
  words   1,000 words of Brown, pairs as units: loss of 200,000 test pairs with 8 negatives each
  rows    Brown's whole vocabulary but its 100 most frequent words, listed by public frequency: noise
          on all rows, and on those of words that noisily enough units touch
  speed   20 epochs of samples of 20 pairs, one thread: seconds without privacy, with a choice of
          rows, and with noise on all rows beside the noise alone

Medians of seeds 1 to 5, settings by the program's rule, nothing tuned. Results of the parts that ran
replace theirs in bench/results/wide_words.json. A bar that is missed ends the program with code 1.
What words the vocabulary of `rows` has is not the same as where its bars were set, so that the
losses of the public order alone and of exact frequencies stand beside the results.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

import origin

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("words", "rows", "speed")
WORDS_BARS = {3.53: 2.975, 1: 2.995}
ROWS_BARS = {"all": 2.005, "adafest": 2.018}


def softplus(score):
    return numpy.logaddexp(0, score)


class Texts:
    """A set as bench/words.py writes it."""

    def __init__(self, folder, name):
        self.folder = folder / name
        subprocess.run([sys.executable, str(ROOT / "bench/words.py"), name, str(self.folder)],
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
    targets, outputs = numpy.load(vectors), numpy.load(contexts)
    bias, outputs = outputs[:, -1], outputs[:, :-1]
    loss = texts.loss_of(lambda t, w: numpy.einsum("ij,ikj->ik", targets[t], outputs[w]) + bias[w])
    return json.loads(run.stdout), seconds, loss


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
    for selection, bar in ROWS_BARS.items():
        row = medians(bench, texts, ["--epsilon", 5.33, "--delta", "1e-6", "--public-row-count",
                                     800000, "--vocabulary-order", "frequency",
                                     "--selection", selection])
        rows.append({"what": selection, "bar": bar, **row})
        print(rows[-1], flush=True)
    return rows


def measure_speed(bench):
    texts = Texts(bench.folder, "brown")
    common = ["--delta", "1e-5", "--public-row-count", 200000, "--batch-size", 20, "--epochs", 20,
              "--seed", 1, "--dim", 50]
    rows = []
    for what, words in {"unprotected": ["--epsilon", "inf"],
                        "adafest": ["--epsilon", 3.53, "--selection", "adafest"]}.items():
        _, seconds, loss = embed(bench.program, texts, [*words, *common], bench.folder)
        rows.append({"what": what, "bar": 30, "median": round(seconds, 1), "loss": loss})
        print(rows[-1], flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    parser.add_argument("--part", type=lambda text: text.split(","), default=PARTS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "bench/results/wide_words.json")
    bench = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    results = json.loads(bench.output.read_text("utf-8")) if bench.output.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        bench.folder = pathlib.Path(folder)
        for part in bench.part:
            results[part] = {"origin": origin.origin(), "seeds": bench.seeds,
                             "rows": globals()[f"measure_{part}"](bench)}
            bench.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    missed = [row for part in bench.part for row in results[part]["rows"]
              if "bar" in row and row["median"] > row["bar"]]
    for row in missed:
        print("missed:", row, file=sys.stderr)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
