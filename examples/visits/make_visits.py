#!/usr/bin/env python3
"""Writes invented hospital visits as CSV: 4,000 patients with one to five visits each.

    python3 make_visits.py [SEED] > visits.csv

Nobody of them exists. Age, pulse and the number of medicines are numbers, ward is a code, pulse and
smoker are missing here and there, and the note is free text. Readmission within 30 days follows from
age, medicines, ward and smoking by a logistic law, so that there is something to learn.
"""

import math
import random
import sys

WARDS = {1: -0.4, 2: 0.0, 3: 0.3, 4: 0.9, 5: -0.8}
WORDS = ("stable", "tired", "pain", "cough", "fever", "walks", "sleeps", "well", "dizzy", "fall")


def visit(generator, patient):
    ward = generator.choice(list(WARDS))
    pulse = round(generator.gauss(74 + patient["age"] / 12, 11))
    medicines = min(20, int(generator.expovariate(0.25)))
    note = " ".join(generator.sample(WORDS, generator.randint(2, 5)))
    odds = (-2.2 + 0.035 * (patient["age"] - 50) + 0.14 * medicines + WARDS[ward]
            + (0.7 if patient["smoker"] else 0) + (0.8 if "fall" in note else 0))
    again = generator.random() < 1 / (1 + math.exp(-odds))
    return [patient["name"], patient["age"], patient["sex"], ward,
            "" if generator.random() < 0.06 else pulse, medicines,
            "?" if generator.random() < 0.04 else ("yes" if patient["smoker"] else "no"),
            note, "yes" if again else "no"]


def main(seed):
    generator = random.Random(seed)
    print("patient,age,sex,ward,pulse,medicines,smoker,note,readmitted")
    visits = []
    for number in range(4000):
        patient = {"name": f"p{number:04}", "age": generator.randint(18, 95),
                   "sex": generator.choice("fm"), "smoker": generator.random() < 0.24}
        visits += [visit(generator, patient) for _ in range(generator.randint(1, 5))]
    generator.shuffle(visits)
    for row in visits:
        print(",".join(map(str, row)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
