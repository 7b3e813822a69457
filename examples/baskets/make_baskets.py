#!/usr/bin/env python3
"""Writes invented baskets, for docs/basket-tutorial.md: nobody bought them.

    make_baskets.py FILE [COUNT [SEED]]

A line a customer: what is in the basket (ids 0 to 59), the shop, what was paid, and whether the
customer came back. The ids are of three departments, ten kinds each. Who buys from one department
comes back mostly, who mixes does not, whatever the articles are: no article tells anything by itself.
"""

import random
import sys

ARTICLES = 60
DEPARTMENTS = 3


def basket(source):
    mixes = source.random() < 0.5
    own = source.randrange(DEPARTMENTS)
    size = source.randrange(3, 8)
    articles = set()
    while len(articles) < size:
        department = source.randrange(DEPARTMENTS) if mixes else own
        articles.add(source.randrange(ARTICLES // DEPARTMENTS) * DEPARTMENTS + department)
    back = source.random() < (0.15 if mixes else 0.85)
    paid = sum(2 + article % 7 for article in articles) * source.uniform(0.8, 1.2)
    listed = ";".join(map(str, sorted(articles, key=lambda _: source.random())))
    return f"{listed},{source.choice('nsew')},{paid:.2f},{'yes' if back else 'no'}"


def main(file, count="20000", seed="1"):
    source = random.Random(int(seed))
    with open(file, "w", encoding="utf-8") as out:
        out.write("basket,shop,paid,back\n")
        for _ in range(int(count)):
            out.write(basket(source) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
