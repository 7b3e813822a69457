#!/usr/bin/env python3
"""Writes data/berkeley1973.csv: the published table of counts as one line a person.

Usage: scripts/make_berkeley.py > data/berkeley1973.csv

Source of the counts: data/README.md. The order of the lines is that of the table and says nothing.
"""

# Department: (admitted men, rejected men, admitted women, rejected women)
TABLE = {
    "A": (512, 313, 89, 19),
    "B": (353, 207, 17, 8),
    "C": (120, 205, 202, 391),
    "D": (138, 279, 131, 244),
    "E": (53, 138, 94, 299),
    "F": (22, 351, 24, 317),
}


def main():
    print("department,sex,admitted")
    for department, counts in TABLE.items():
        cells = [(sex, admitted) for sex in ("male", "female") for admitted in ("yes", "no")]
        for (sex, admitted), count in zip(cells, counts):
            for _ in range(count):
                print(f"{department},{sex},{admitted}")


if __name__ == "__main__":
    main()
