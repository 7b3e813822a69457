#!/usr/bin/env python3
"""Wide models for tables, measured on public sets that are split as they are published.

    TACET_DATA=FOLDER bench/utility/wide_tables.py [--program FILE] [--part PART,..] [--seeds N] [--opacus FILE]
       

PART is one of
  adult      --model wide --hidden 16 at epsilon 1, 4 and without privacy: accuracy on the test file
  text       SMS spam and banking77 as bags of words in 2^15 buckets of 16, at epsilon 4 and 8, beside
             the product's own choice among linear models at the same epsilon
  groceries  a basket a line, the basket as unit: vectors of the 169 items by `tacet embed`; how often an
             item left out of a test basket is among the ten that its other items speak for, beside the
             list of the ten noisily most popular items, at epsilon 1, 4 and inf
  speed      CPU seconds of an epoch of the Adult model, one thread, samples of 3,256 and of 256: private
             beside without privacy, and beside Opacus where --opacus names an interpreter that has it;
             a step of two towers over 10^6 items of 32 beside one over 10^3

Medians of seeds 1 to N (5), settings by the program's rule, nothing tuned. Results of the parts that
ran replace theirs in bench/utility/tables/wide_tables.md. A bar that is missed ends the program with code 1.
"""

import argparse
import csv
import gzip
import json
import math
import os
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402


ABOUT = "Wide models of tables: accuracy, text, baskets, speed"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("adult", "text", "groceries", "speed")
ADULT_BARS = {"1": 0.845, "4": 0.847}
DELTA = "1e-5"


class Bench:
    def __init__(self, given, folder):
        self.program, self.seeds, self.opacus = given.program, given.seeds, given.opacus
        self.data, self.folder = pathlib.Path(os.environ["TACET_DATA"]), folder

    def tacet(self, *words):
        run = subprocess.run([self.program, *map(str, words)], cwd=self.folder, check=False,
                             capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{' '.join(map(str, words))}: {run.stderr}")
        return run.stdout

    def unpacked(self, name, to):
        with gzip.open(self.data / name, "rb") as packed:
            (self.folder / to).write_bytes(packed.read())
        return to

    def score(self, files, schema, options, metric="accuracy"):
        """Of each seed."""
        train, test = files
        found = []
        for seed in range(1, self.seeds + 1):
            self.tacet("train", train, "--schema", schema, "--quiet", "--force", "--seed", seed,
                       "--output", "m.out", "--threads", 1, *options)
            told = self.tacet("evaluate", "m.out", test, "--public", "--json", "--quiet")
            found.append(json.loads(told)[metric])
        return found


def summary(found):
    return {"median": round(statistics.median(found), 5), "seeds": [round(x, 5) for x in found]}


def adult(bench, missed):
    files = (bench.unpacked("adult/adult.train.csv.gz", "adult.csv"),
             bench.unpacked("adult/adult.test.csv.gz", "adult_test.csv"))
    schema = ROOT / "data/schemas/adult.toml"
    out = {}
    for epsilon in ("1", "4", "inf"):
        delta = [] if epsilon == "inf" else ["--delta", DELTA]
        found = bench.score(files, schema, ["--model", "wide", "--hidden", "16", "--epsilon", epsilon,
                                            *delta])
        out[epsilon] = summary(found) | ({"bar": ADULT_BARS[epsilon]} if epsilon in ADULT_BARS else {})
        print("adult", epsilon, out[epsilon], flush=True)
        if epsilon in ADULT_BARS and out[epsilon]["median"] < ADULT_BARS[epsilon]:
            missed.append(f"adult at epsilon {epsilon}")
    return out


def sms(bench):
    with gzip.open(bench.data / "sms_spam/SMSSpamCollection.tsv.gz", "rb") as packed:
        lines = packed.read().split(b"\n")
    lines = [line for line in lines if line]
    random.Random(0).shuffle(lines)
    cut = len(lines) * 4 // 5
    for name, part in (("sms.tsv", lines[:cut]), ("sms_test.tsv", lines[cut:])):
        (bench.folder / name).write_bytes(b"\n".join(part) + b"\n")
    text = (ROOT / "data/schemas/sms_spam.toml").read_text("utf-8")
    text = re.sub(r"public_row_count = \d+", f"public_row_count = {cut}", text)
    (bench.folder / "sms.toml").write_text(text)
    (bench.folder / "sms_wide.toml").write_text(text.replace("bits = 18", "bits = 15"))
    return ("sms.tsv", "sms_test.tsv"), "sms"


def banking(bench):
    files = (bench.unpacked("banking77/banking77.train.csv.gz", "banking.csv"),
             bench.unpacked("banking77/banking77.test.csv.gz", "banking_test.csv"))
    with open(bench.folder / files[0], encoding="utf-8", newline="") as table:
        rows = list(csv.reader(table))[1:]
    classes = sorted({row[1] for row in rows})
    for name, bits in (("banking.toml", 18), ("banking_wide.toml", 15)):
        (bench.folder / name).write_text(
            f"public_row_count = {len(rows)}\nmissing = []\n[target]\ncolumn = \"category\"\n"
            f"classes = {json.dumps(classes)}\n[[column]]\nname = \"text\"\nkind = \"text\"\n"
            f"bits = {bits}\n", "utf-8")
    return files, "banking"


def text(bench, missed):
    out = {}
    for prepare in (sms, banking):
        files, name = prepare(bench)
        for epsilon in ("4", "8"):
            both = {}
            for kind, options in (("wide", ["--model", "wide", "--dim", "16", "--hidden", "none"]),
                                  ("linear", [])):
                schema = f"{name}_wide.toml" if kind == "wide" else f"{name}.toml"
                both[kind] = summary(bench.score(files, schema, ["--epsilon", epsilon, "--delta", DELTA,
                                                                 *options]))
            out[f"{name}, epsilon {epsilon}"] = both
            print(name, epsilon, both, flush=True)
            if both["wide"]["median"] < both["linear"]["median"]:
                missed.append(f"{name} at epsilon {epsilon}")
    return out


class Baskets:
    """Four fifths of the baskets to learn from, and one item left out of each of the others."""

    def __init__(self, bench):
        with gzip.open(bench.data / "groceries/groceries.csv.gz", "rt", encoding="utf-8") as packed:
            baskets = [[item.replace(" ", "_") for item in row] for row in csv.reader(packed) if row]
        source = random.Random(0)
        source.shuffle(baskets)
        cut = len(baskets) * 4 // 5
        self.train = baskets[:cut]
        self.items = sorted({item for basket in baskets for item in basket})
        self.test = []
        for basket in baskets[cut:]:
            basket = sorted(set(basket))
            if len(basket) < 2:
                continue
            out = basket.pop(source.randrange(len(basket)))
            self.test.append((basket, out))
        (bench.folder / "baskets.txt").write_text("\n".join(map(" ".join, self.train)) + "\n")
        (bench.folder / "items.txt").write_text("\n".join(self.items) + "\n")

    def hits(self, score):
        """score(basket) is a number an item."""
        found = 0
        for basket, out in self.test:
            scores = score(basket)
            best = sorted((item for item in self.items if item not in basket),
                          key=lambda item: -scores[item])[:10]
            found += out in best
        return found / len(self.test)


def read_vectors(file):
    lines = file.read_text("utf-8").splitlines()[1:]
    return {line.split(" ")[0]: [float(x) for x in line.split()[1:]] for line in lines}


def item_vectors(bench, baskets, epsilon, seed):
    delta = [] if epsilon == "inf" else ["--delta", DELTA]
    bench.tacet("embed", "baskets.txt", "--vocabulary", "items.txt", "--epsilon", epsilon, *delta,
                "--public-row-count", len(baskets.train), "--dim", 16, "--window", 100, "--seed", seed,
                "--output", "items.vec", "--contexts", "contexts.vec", "--force", "--quiet",
                "--threads", 1)
    vectors = read_vectors(bench.folder / "items.vec")
    contexts = read_vectors(bench.folder / "contexts.vec")

    def score(basket):
        mean = [sum(column) / len(basket) for column in zip(*(vectors[item] for item in basket))]
        return {item: sum(a * b for a, b in zip(mean, contexts[item])) +
                (contexts[item][-1] if len(contexts[item]) > len(mean) else 0)
                for item in baskets.items}

    return baskets.hits(score)


def popular(bench, baskets, epsilon, seed):
    """A basket counts 1/sqrt(r) in its first r = 8 items: norm 1 at most."""
    noise = 0
    if epsilon != "inf":
        found = json.loads(bench.tacet("account", "--mechanism", "gaussian", "--target-epsilon",
                                       epsilon, "--delta", DELTA, "--adjacency", "add_remove", "--json"))
        noise = found["noise_multiplier"]
    source = random.Random(seed)
    counts = dict.fromkeys(baskets.items, 0.0)
    for basket in baskets.train:
        for item in list(dict.fromkeys(basket))[:8]:
            counts[item] += 1 / math.sqrt(8)
    noisy = {item: count + source.gauss(0, noise) for item, count in counts.items()}
    return baskets.hits(lambda basket: noisy)


def groceries(bench, missed):
    baskets = Baskets(bench)
    out = {"train_baskets": len(baskets.train), "test_baskets": len(baskets.test)}
    for epsilon in ("1", "4", "inf"):
        seeds = range(1, bench.seeds + 1)
        out[epsilon] = {
            "vectors": summary([item_vectors(bench, baskets, epsilon, seed) for seed in seeds]),
            "popular": summary([popular(bench, baskets, epsilon, seed) for seed in seeds])}
        print("groceries", epsilon, out[epsilon], flush=True)
    return out


def cpu_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(list(map(str, command)), cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def step_seconds(bench, options, steps):
    """Of one step: a run of so many, without what a run of one takes."""
    command = [bench.program, "train", *options, "--seed", 1, "--threads", 1, "--quiet", "--force",
               "--output", "s.out", "--steps"]
    return min((cpu_seconds([*command, steps + 1], bench.folder) -
                cpu_seconds([*command, 1], bench.folder)) / steps for _ in range(3))


def tower_options(bench, items):
    """20,000 records that each have one of 100 users and one of so many items."""
    source = random.Random(0)
    name = f"items{items}"
    with open(bench.folder / f"{name}.csv", "w", encoding="utf-8") as table:
        table.write("user,item,liked\n")
        table.writelines(f"{source.randrange(100)},{source.randrange(items)},{source.choice('ny')}\n"
                         for _ in range(20000))
    (bench.folder / f"{name}.toml").write_text(
        'public_row_count = 20000\n[target]\ncolumn = "liked"\npositive = "y"\nnegative = "n"\n'
        '[[column]]\nname = "user"\nkind = "ids"\ncount = 100\nmost = 1\n'
        f'[[column]]\nname = "item"\nkind = "ids"\ncount = {items}\nmost = 1\n', "utf-8")
    return [f"{name}.csv", "--schema", f"{name}.toml", "--model", "wide", "--head", "two-tower", "--left",
            "user", "--right", "item", "--dim", 32, "--selection", "adafest", "--epsilon", 1, "--delta",
            DELTA, "--batch-size", 2000]


def speed(bench, missed):
    bench.unpacked("adult/adult.train.csv.gz", "adult.csv")
    adult_options = ["adult.csv", "--schema", ROOT / "data/schemas/adult.toml", "--model", "wide",
                     "--hidden", 16]
    out = {}
    for batch, steps in ((3256, 200), (256, 2000)):
        epochs = 32561 / batch
        private = epochs * step_seconds(bench, [*adult_options, "--epsilon", 1, "--delta", DELTA,
                                                "--batch-size", batch], steps)
        unprotected = epochs * step_seconds(bench, [*adult_options, "--epsilon", "inf", "--batch-size",
                                                    batch], steps)
        found = {"private": round(private, 4), "unprotected": round(unprotected, 4),
                 "of_unprotected": round(private / unprotected, 2), "bar": 2}
        if private > 2 * unprotected:
            missed.append(f"an epoch in samples of {batch} beside one without privacy")
        if bench.opacus:
            run = subprocess.run([bench.opacus, str(ROOT / "bench/speed/opacus_epoch.py"), str(batch),
                                  str(steps // 10)], check=True, capture_output=True, text=True)
            found["opacus"] = round(float(run.stdout), 3)
            found["opacus_of_private"] = round(found["opacus"] / private, 1)
            found["opacus_bar"] = 20
            if found["opacus"] < 20 * private:
                missed.append(f"an epoch in samples of {batch} beside Opacus")
        out[f"adult, samples of {batch}"] = found
        print(batch, found, flush=True)
    few, many = (step_seconds(bench, tower_options(bench, items), 40) for items in (1000, 1000000))
    out["two towers"] = {"1000 items": round(few, 5), "1000000 items": round(many, 5),
                         "ratio": round(many / few, 2), "bar": 2}
    print("two towers", out["two towers"], flush=True)
    if many > 2 * few:
        missed.append("a step of two towers over 10^6 items")
    return out


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", default=str(ROOT / "build/release/tacet"))
    options.add_argument("--part", default=",".join(PARTS))
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--opacus", help="an interpreter that has torch and opacus")
    given = options.parse_args()
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given, pathlib.Path(folder))
        for part in given.part.split(","):
            found = tables.save(f"utility/wide_{part}", globals()[part](bench, missed))
            rows = [{"what": name, **(value if isinstance(value, dict) else {"value": value})}
                    for name, value in found.items()]
            tables.keep("utility/wide_tables", ABOUT,
                        f"bench/utility/wide_tables.py --part {part}", {part: rows})
    if missed:
        sys.exit("missed: " + ", ".join(missed))


if __name__ == "__main__":
    main()
