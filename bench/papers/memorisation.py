#!/usr/bin/env python3
"""What trainings of word vectors give away of inserted phrases: claim, proof and measurement.

    TACET_DATA=FOLDER bench/papers/memorisation.py [--program FILE] [--setting NAME,..] [--insertions N,..]
        [--canaries N] [--phrases N]

After Zhang, Mironov and Hejazinia (2021), section 6.5, their Figure 2 and Table 2: the texts are
Brown's sentences over its 1,000 most frequent words (bench/common/words.py's rules), a line a sentence,
which is the unit that is protected. Into them 1,000 random phrases are inserted 3, 9 and 15 times,
and each is ranked among 10,000 phrases (`tacet audit memorisation`); as many that were not inserted
are the control. The measured bound is that of `tacet audit one-run` under the same settings, 1,000
canaries, 100 guesses fixed beforehand. Ranks bound nothing; the bound holds with 95 % confidence
for each line by itself.

Every run is a training of its own with its own seed, on one thread. Settings of one run that are in
build/results/papers/memorisation.json already are not run again; the table
bench/papers/tables/memorisation.md is written anew from all of them. No word of Brown is in the results.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import origin, tables, words  # noqa: E402


ROOT = pathlib.Path(__file__).resolve().parents[2]
DELTA = "1e-5"
SHAPE = ["--dim", "50", "--window", "4", "--negatives", "8", "--epochs", "20", "--delta", DELTA,
         "--threads", "1"]
CELLS = ["--granularity", "coordinate"]
# Name: what it is, its options. `paper` is the noise of their Theorem 3 at the epsilon they claim.
SETTINGS = {
    "unprotected": ("without privacy", ["--epsilon", "inf"]),
    "all-22": ("DP-SGD, epsilon of the paper's noise 0.32",
               ["--selection", "all", "--epsilon", "22.35"]),
    "exponential-paper": ("sparse exponential, the paper's noise",
                          ["--selection", "exponential", *CELLS, "--calibration", "paper",
                           "--epsilon", "30"]),
    "all": ("DP-SGD", ["--selection", "all", "--epsilon", "3.53"]),
    "exponential": ("sparse exponential",
                    ["--selection", "exponential", *CELLS, "--epsilon", "3.53"]),
    "sparse_vector": ("sparse vector", ["--selection", "sparse_vector", "--selected", "20",
                                        "--epsilon", "3.53"]),
    "uniform": ("sparse uniform", ["--selection", "uniform", *CELLS, "--epsilon", "3.53"]),
    "adafest": ("AdaFEST", ["--selection", "adafest", "--epsilon", "3.53"]),
    "adafest_plus": ("AdaFEST+", ["--selection", "adafest_plus", "--epsilon", "3.53"]),
    "fest": ("FEST", ["--selection", "fest", "--epsilon", "3.53"]),
}


def split(text):
    return text.split(",")


def prepare(data, folder):
    """texts.txt and words.txt; returns how many texts there are."""
    sentences = [found for _, found in words.brown_sentences(data)]
    counts = collections.Counter(word for found in sentences for word in found)
    kept = sorted((word for word in counts if word not in words.STOP_WORDS),
                  key=lambda word: (-counts[word], word))[:1000]
    known = set(kept)
    texts = [" ".join(word for word in found if word in known) for found in sentences]
    texts = [text for text in texts if " " in text]
    (folder / "texts.txt").write_text("\n".join(texts) + "\n", "utf-8")
    (folder / "words.txt").write_text("\n".join(f"{word} {counts[word]}" for word in kept) + "\n",
                                      "utf-8")
    return len(texts)


def audit(given, folder, count, kind, name, *more):
    words_of = [str(given.program), "audit", kind, "texts.txt", "--vocabulary", "words.txt",
                "--public-row-count", str(count), *SHAPE, *SETTINGS[name][1], *map(str, more),
                "--json", "--quiet"]
    run = subprocess.run(words_of, cwd=folder, check=False, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(words_of)}: {run.stderr}")
    return json.loads(run.stdout)


def measure(given, folder):
    path = tables.raw("papers/memorisation")
    found = json.loads(path.read_text("utf-8"))["runs"] if path.exists() else {}
    count = prepare(pathlib.Path(os.environ["TACET_DATA"]), folder)
    wanted = []
    for name in given.setting:
        wanted += [(name, "one-run", 0)]
        wanted += [(name, "memorisation", int(number)) for number in given.insertions]
    for name, kind, number in wanted:
        key = f"{name}, {kind}" + (f", {number}" if number else "")
        if key in found:
            continue
        more = (("--canaries", 1000, "--guesses", 100) if kind == "one-run" else
                ("--insertions", number, "--canaries", given.canaries, "--phrases", given.phrases))
        found[key] = audit(given, folder, count, kind, name, *more)
        path.write_text(json.dumps({"origin": origin.origin(), "texts": count, "runs": found},
                                   indent=1) + "\n", "utf-8")
        print(key, flush=True)
    return found


def number(value, digits=3):
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def table(given, found):
    lines = ["# What word vectors remember of inserted phrases", "",
             "Written by `bench/papers/memorisation.py`. Epsilon is at delta 1e-5 for add_remove of one",
             "line; claimed is what the paper says of its noise, proved what the receipt says,",
             "measured the one-run bound (95 %). p is chi-square's that ranks of phrases are",
             "uniform; of those not inserted it is the control.", "",
             "| setting | claimed | proved | measured | insertions | distance | p "
             "| mean exposure (bits) "
             "| p of the control |", "|---|---|---|---|---|---|---|---|---|"]
    for name, (said, options) in SETTINGS.items():
        one = found.get(f"{name}, one-run")
        for times in given.insertions:
            run = found.get(f"{name}, memorisation, {times}")
            if run is None or one is None:
                continue
            claim = options[options.index("--epsilon") + 1] if "paper" in name else ""
            lines.append(f"| {said} | {claim} | {number(run['claimed_epsilon'])} "
                         f"| {number(one['epsilon_at_least'])} | {times} "
                         f"| {number(run['inserted']['distance'])} "
                         f"| {number(run['inserted']['p_value'])} "
                         f"| {number(run['inserted']['mean_exposure'])} "
                         f"| {number(run['control']['p_value'])} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tacet")
    parser.add_argument("--setting", type=split, default=tuple(SETTINGS))
    parser.add_argument("--insertions", type=split, default=("3", "9", "15"))
    parser.add_argument("--canaries", type=int, default=1000)
    parser.add_argument("--phrases", type=int, default=10000)
    given = parser.parse_args()
    if "TACET_DATA" not in os.environ:
        sys.exit("TACET_DATA must name the folder of public data sets")
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given, pathlib.Path(folder))
    tables.keep_page("papers/memorisation", table(given, found), "bench/papers/memorisation.py")


if __name__ == "__main__":
    main()
