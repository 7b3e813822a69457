#!/usr/bin/env python3
"""The figures of how-to pages: a noisy AUC of a rare class (rare-class.md), bits for texts (wide-text.md),
bounds of a number (write-a-schema.md).

    TACET_DATA=FOLDER bench/utility/howto.py [--seeds N]

After `make python`, in whose environment it runs. Add_remove, medians over seeds. The rare outcome is
invented: in 2 of 100 people, who differ in five numbers so far that the exact AUC is about .7. So is
creatinine: log-normal, the middle half from 61 to 105, with a log odds ratio of .01 per unit. The table
is bench/utility/tables/howto.md.
"""

import argparse
import gzip
import os
import pathlib
import statistics
import sys
import warnings

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

TRAINED = 20_000
WEIGHTS = (None, {"yes": 5, "no": 1}, {"yes": 50, "no": 1})
MESSAGES = ((4460, 18), (4460, 9), (1000, 12), (300, 18))

PATIENTS = 20_000
BOUNDS = ((0, 300), (0, 2000), (0, 20_000), (60, 110))


def rare_people(count, draw):
    X = draw.uniform(0, 10, (count, 5))
    slopes = np.array([0.2, -0.15, 0.15, 0.1, -0.1])
    ill = draw.random(count) < 1 / (1 + np.exp(4.3 - (X - 5) @ slopes))
    return X, np.where(ill, "yes", "no")


def exact_auc(scores, ill):
    order = np.argsort(np.argsort(scores)) + 1
    positive = ill.sum()
    return float((order[ill].sum() - positive * (positive + 1) / 2) / positive / (len(ill) - positive))


def rare_rows(tacet, seeds):
    for tested in (5000, 20_000):
        for weights in WEIGHTS:
            lows, highs, exact = [], [], []
            for seed in range(seeds):
                draw = np.random.default_rng(seed)
                X, y = rare_people(TRAINED, draw)
                new_X, new_y = rare_people(tested, draw)
                model = tacet.LogisticRegression(
                    epsilon=1, bounds=(0, 10), classes=["no", "yes"], public_row_count=TRAINED,
                    class_weights=weights, random_state=seed).fit(X, y)
                found = model.evaluate(new_X, new_y, epsilon=0.5, delta=1e-6, random_state=seed).auc
                # "Not known" is an interval that says nothing.
                lows.append(found["lower"] if found else 0.0)
                highs.append(found["upper"] if found else 1.0)
                exact.append(exact_auc(model.decision_function(new_X), new_y == "yes"))
            yield {"people in the test": tested,
                   "class weights": "none" if weights is None else f"{weights['yes']} to 1",
                   "noisy AUC at least": statistics.median(lows),
                   "at most": statistics.median(highs), "exact AUC": statistics.median(exact)}


def text_rows(tacet, data, seeds):
    with gzip.open(data / "sms_spam/SMSSpamCollection.tsv.gz", "rt", encoding="utf-8",
                   newline="\n") as file:
        pairs = [line.rstrip("\n").split("\t", 1) for line in file if "\t" in line]
    for count, bits in MESSAGES:
        right = []
        for seed in range(seeds):
            order = np.random.default_rng(seed).permutation(len(pairs))
            told = [pairs[place] for place in order]
            trained, rest = told[:count], told[4460:]
            schema = tacet.Schema([tacet.text("message", bits=bits)], public_row_count=count,
                                  target=tacet.binary("label", positive="spam", negative="ham"))
            model = tacet.LogisticRegression(epsilon=1, schema=schema, random_state=seed)
            model.fit({"message": [text for _, text in trained],
                       "label": [label for label, _ in trained]})
            answers = model.predict({"message": [text for _, text in rest]})
            right.append(float(np.mean(answers == np.array([label for label, _ in rest]))))
        yield {"messages": count, "bits": bits, "accuracy": statistics.median(right),
               "of always the same answer": float(np.mean([label == "ham" for label, _ in rest]))}


def patients(draw):
    creatinine = np.exp(draw.normal(np.log(80), 0.41, PATIENTS)).round()
    age = draw.uniform(18, 95, PATIENTS).round()
    ill = draw.random(PATIENTS) < 1 / (1 + np.exp(1.5 - 0.01 * (creatinine - 80) - 0.01 * (age - 56)))
    return {"creatinine": creatinine, "age": age, "ill": np.where(ill, "yes", "no")}


def bound_rows(tacet, seeds):
    for lower, upper in BOUNDS:
        schema = tacet.Schema([tacet.numeric("creatinine", lower, upper), tacet.numeric("age", 18, 95)],
                              target=tacet.binary("ill", positive="yes", negative="no"),
                              public_row_count=PATIENTS)
        slopes, wider, aucs = [], [], []
        for seed in range(seeds):
            draw = np.random.default_rng(seed)
            told, new = patients(draw), patients(draw)
            table = tacet.inference.Logit("ill ~ creatinine + age", told, schema=schema, epsilon=1,
                                          delta=1e-6, random_state=seed).fit()
            slopes.append(table.params["creatinine"])
            wider.append(table.noise_widened["creatinine"])
            model = tacet.LogisticRegression(epsilon=1, schema=schema, random_state=seed).fit(told)
            scores = model.decision_function({name: new[name] for name in ("creatinine", "age")})
            aucs.append(exact_auc(scores, new["ill"] == "yes"))
        yield {"bounds": f"{lower} to {upper}", "slope": float(statistics.median(slopes)),
               "its interval is wider by": float(statistics.median(wider)), "exact AUC": statistics.median(aucs)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=7)
    options = parser.parse_args()
    import tacet
    warnings.simplefilter("ignore")  # each run says that a seed protects nobody
    about = f"Figures of how-to pages\n\nMedians of {options.seeds} seeds."
    for title, found in (("A rare class", rare_rows(tacet, options.seeds)),
                         ("Bounds of a number", bound_rows(tacet, options.seeds)),
                         ("Bits for texts", text_rows(tacet, pathlib.Path(os.environ["TACET_DATA"]),
                                                      options.seeds))):
        rows = list(found)
        print(tables.markdown(rows), flush=True)
        tables.keep("utility/howto", about, "bench/utility/howto.py", {title: tables.markdown(rows)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
