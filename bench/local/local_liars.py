#!/usr/bin/env python3
"""What lying devices do to the accuracy, by how a round's reports are put together.

    bench/local/local_liars.py [SEEDS [PEOPLE]]

In real arithmetic, which no guarantee is about: PrivUnit and BANCO after docs/proofs, in NumPy, so
that what is compared is the ways alone. 16,000 PEOPLE with x uniform on the sphere of dimension 10
and P(y = 1) = sigmoid(<w*, x>), |w*| = 12, epsilon 4, domain 100, medians of SEEDS (3) populations;
the accuracy is the expectation over 10,000 test points. A share of the devices lies:

    constant   one direction that has nothing to do with the problem
    flipped    their own report, turned round
    longest    the largest numbers that the wire takes, in every coordinate
    mimicry    an honest report of the record with the other class
    colluding  the report that leads to the opposite of the best model, which they know

Writes bench/local/tables/liars.md. Exit code 1 where a bar is missed: where nobody lies, a way is
at most 0.03 below the mean of as many reports a round; one liar in a hundred costs at most 0.05.
"""

import collections
import math
import pathlib
import statistics
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import tables  # noqa: E402

ABOUT = """Lying devices: accuracy by how a round's reports are put together

What devices send and what the learner does are computed in real arithmetic here, by the same
formulas as in `tacet/mechanism/local` and `tacet/local`."""
DIMENSION, EPSILON, DOMAIN, NORM = 10, 4.0, 100.0, 12.0
# (name, reports a round, groups or 0 for the mean, share left out at each end)
WAYS = [("mean of 4", 4, 0, 0.5),
        ("mean of 64", 64, 0, 0.5),
        ("median of 16 groups of 4", 64, 16, 0.5),
        ("16 groups of 4 without 1/4 at each end", 64, 16, 0.25),
        ("64 reports without 1/10 at each end", 64, 64, 0.1)]
KINDS = ("constant", "flipped", "longest", "mimicry", "colluding")
SHARES = (0.01, 0.05, 0.1)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)


class PrivUnit:
    """Directions on the sphere of one dimension more (lift), by the best cap."""

    def __init__(self, dimension, epsilon):
        self.d = dimension + 1
        angles = np.linspace(0, math.pi, 20001)
        density = np.sin(angles) ** (self.d - 2)
        self.cosine = np.cos(angles)
        self.mass = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
        self.mass /= self.mass[-1]
        tail = self.mass
        odds = math.exp(epsilon) * tail / np.maximum(1 - tail, 1e-300)
        inside = odds / (1 + odds)
        along = density * self.cosine
        first = np.concatenate([[0], np.cumsum(along[1:] + along[:-1])])
        first /= 2 * np.sum((density[1:] + density[:-1]) / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = first * (inside / tail - (1 - inside) / (1 - tail))
        at = int(np.nanargmax(np.where((tail > 1e-9) & (tail < 0.6), mean, np.nan)))
        self.tail, self.inside, self.weight = tail[at], inside[at], 1 / mean[at]

    def report(self, gradients, draw):
        """Estimates of gradients of norm at most 1, one a row."""
        n = len(gradients)
        rest = np.sqrt(np.maximum(0, 1 - np.sum(gradients ** 2, axis=1)))
        unit = np.column_stack([gradients, rest])
        unit /= np.linalg.norm(unit, axis=1)[:, None]
        cap = draw.random(n) < self.inside
        u = draw.random(n)
        place = np.where(cap, u * self.tail, self.tail + u * (1 - self.tail))
        tau = np.interp(place, self.mass, self.cosine)
        across = draw.standard_normal((n, self.d))
        across -= np.sum(across * unit, axis=1)[:, None] * unit
        across /= np.linalg.norm(across, axis=1)[:, None]
        return self.weight * (tau[:, None] * unit + np.sqrt(1 - tau ** 2)[:, None] * across)


def log_h(p, q):
    """ln h(P, |Q|) of the magnitude (docs/proofs/banco.md)."""
    if q == 0:
        return -math.inf
    reach = 45.0
    if p > 0 and q < 2 * p:
        middle, width = q / (2 * p), math.sqrt(reach / p)
        low, high = max(0, middle - width), min(1, middle + width)
        r = low + (high - low) * (1 + NODES) / 2
        return q * q / (4 * p) + math.log(np.sum(
            (high - low) / 2 * WEIGHTS * r / 2 * np.exp(-p * (r - middle) ** 2)
            * -np.expm1(-2 * q * r)))
    b = q - 2 * p
    below = b + math.sqrt(b * b + 4 * p * reach)
    end = min(1, 2 * reach / below) if below > 0 else 1
    t = end * (1 + NODES) / 2
    r = 1 - t
    return q - p + math.log(np.sum(end / 2 * WEIGHTS * r / 2 * np.exp(-(b * t + p * t * t))
                                   * -np.expm1(-2 * q * r)))


class Banco:
    """The learner with its bounds, certificate B."""

    def __init__(self, weight, bound, wealth):
        self.a, self.kappa = 0.5 / weight, (-0.5 - math.log(0.5)) / 0.25
        self.bound, self.wealth = bound, wealth
        self.x = self.y = self.squares = self.m = 0.0
        self.rounds = self.refused = self.cut = 0
        self.q = np.zeros(DIMENSION)
        self.mean = np.zeros(DIMENSION)

    def point(self):
        return self.mean + (self.m * self.q - self.mean) / (self.rounds + 1)

    def magnitude(self, x, y):
        size = math.log(self.wealth * self.a) + log_h(self.a ** 2 * y, self.a * abs(x))
        return size, math.copysign(1, x)

    def observe(self, report):
        length = math.sqrt(report @ report)
        if length > self.bound:
            report = report * (self.bound / length)
            self.cut += 1
        s = report @ self.q
        self.mean = self.point()
        self.rounds += 1
        self.y += self.kappa * s * s
        size, sign = self.magnitude(self.x + s, self.y)
        if size <= math.log(DOMAIN):
            self.x += s
        else:
            self.refused += 1
            self.x -= math.copysign(min(abs(s), abs(self.x)), self.x)
            size, sign = self.magnitude(self.x, self.y)
        self.m = sign * math.exp(size) if size > -700 else 0.0
        self.squares += report @ report
        self.q = self.q + report / math.sqrt(self.squares)
        norm = math.sqrt(self.q @ self.q)
        if norm > 1:
            self.q /= norm


def together(estimates, groups, trim, draw):
    """What the learner takes a round's report to be: -g."""
    if groups == 0:
        return -estimates.mean(axis=0)
    order = draw.permutation(len(estimates))  # the server's secret
    means = np.sort(estimates[order].reshape(groups, -1, estimates.shape[1]).mean(axis=1), axis=0)
    out = min(int(trim * groups), (groups - 1) // 2)
    return -means[out:groups - out].mean(axis=0)


class Population:
    def __init__(self, seed, people):
        draw = np.random.default_rng(seed)

        def sphere(count):
            x = draw.standard_normal((count, DIMENSION))
            return x / np.linalg.norm(x, axis=1)[:, None]

        self.truth = NORM * sphere(1)[0]
        self.x = sphere(people)
        chance = 1 / (1 + np.exp(-self.x @ self.truth))
        self.y = np.where(draw.random(people) < chance, 1.0, -1.0)
        self.tests = sphere(10000)
        self.chances = 1 / (1 + np.exp(-self.tests @ self.truth))
        self.constant = sphere(1)[0]

    def accuracy(self, model):
        right = self.tests @ model > 0
        return float(np.mean(np.where(right, self.chances, 1 - self.chances)))


def gradients(x, y, point):
    return (-y / (1 + np.exp(y * (x @ point))))[:, None] * x


def lie(kind, population, x, y, point, device, draw):
    """Estimates that the server takes for those of these devices."""
    count = len(x)
    if kind == "flipped":
        return -device.report(gradients(x, y, point), draw)[:, :DIMENSION]
    if kind == "mimicry":
        return device.report(gradients(x, -y, point), draw)[:, :DIMENSION]
    if kind == "longest":
        return np.full((count, DIMENSION), device.weight / math.sqrt(device.d))
    towards = population.constant if kind == "constant" else population.truth / NORM
    return np.tile(device.weight * towards, (count, 1))


def run(population, way, kind, share, seed):
    _, batch, groups, trim = way
    people = len(population.x)
    device = PrivUnit(DIMENSION, EPSILON)
    draw = np.random.default_rng([seed, 1])
    rounds = people // batch
    bound = device.weight
    if groups == 0:
        bound = min(bound, 1 + device.weight * (1 + math.sqrt(2 * math.log(1e12)))
                    / math.sqrt(batch))
    variance = (device.weight ** 2 - 1) / device.d
    learner = Banco(device.weight, bound, 0.1 * math.sqrt(rounds * (variance / batch + 1)))
    for start in range(0, rounds * batch, batch):
        point = learner.point()
        x, y = population.x[start:start + batch], population.y[start:start + batch]
        estimates = device.report(gradients(x, y, point), draw)[:, :DIMENSION]
        liars = draw.random(batch) < share
        if liars.any():
            estimates[liars] = lie(kind, population, x[liars], y[liars], point, device, draw)
        learner.observe(together(estimates, groups, trim, draw))
    return population.accuracy(learner.mean), learner.cut, learner.refused


def measured(seeds, people):
    """{way: {(kind, share): [(accuracy, cut, refused), ...]}}, and the best rule's accuracy."""
    found = {name: collections.defaultdict(list) for name, *_ in WAYS}
    best = []
    for seed in range(1, seeds + 1):
        population = Population(seed, people)
        best.append(population.accuracy(population.truth))
        for way in WAYS:
            found[way[0]]["none", 0].append(run(population, way, "none", 0, seed))
            for kind in KINDS:
                for share in SHARES:
                    found[way[0]][kind, share].append(run(population, way, kind, share, seed))
    middle = {way: {key: [statistics.median(part) for part in zip(*values)]
                    for key, values in cells.items()} for way, cells in found.items()}
    return middle, statistics.median(best)


def rows(found):
    for way, cells in found.items():
        for kind in KINDS:
            row = {"way": way, "lies": kind, "nobody": cells["none", 0][0]}
            for share in SHARES:
                row[f"{share * 100:.0f} in 100"] = cells[kind, share][0]
            row["rounds refused at 10 in 100"] = cells[kind, SHARES[-1]][2]
            yield row


def possible():
    """Of the mean gradient, in parts of its bound G (docs/proofs/banco.md, section 4)."""
    factor = (math.exp(EPSILON) + 1) / (math.exp(EPSILON) - 1)
    weight = float(PrivUnit(DIMENSION, EPSILON).weight)
    return [{"share of liars": f, "any aggregate errs by G times at least": f / (1 - f) * factor,
             "the mean by at most": f * (weight + 1)} for f in SHARES]


def faults(found):
    for way, cells in found.items():
        honest = cells["none", 0][0]
        plain = found["mean of 4" if way == "mean of 4" else "mean of 64"]["none", 0][0]
        if honest < plain - 0.03:
            yield f"{way}: {honest:.3f} where nobody lies, the mean {plain:.3f}"
        for kind in KINDS:
            if cells[kind, 0.01][0] < honest - 0.05:
                yield f"{way}, {kind}, 1 in 100: {cells[kind, 0.01][0]:.3f} instead of {honest:.3f}"


def main(arguments):
    seeds = int(arguments[0]) if arguments else 3
    people = int(arguments[1]) if len(arguments) > 1 else 16000
    found, best = measured(seeds, people)
    command = " ".join(["bench/local/local_liars.py", *arguments])
    kept = list(rows(found))
    tables.save("local/liars", kept)
    tables.keep("local/liars", ABOUT, command,
                {"accuracy": f"The best rule there is: {best:.4f}.\n\n" + tables.markdown(kept),
                 "what is possible": possible()})
    missed = list(faults(found))
    for fault in missed:
        print(f"MISSED: {fault}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
