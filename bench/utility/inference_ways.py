"""Other ways to private coefficients with intervals, for comparisons: written after the papers, in
floating point. None is its authors' program.
"""

import math

import numpy as np

from inference_laws import expit

NORMAL = 1.959964
RESAMPLES = 100


def bounded_rows(table):
    """Rows with the constant, their weights, and the largest squared norm of a weighted one."""
    x = np.column_stack([np.ones(len(table.y)), table.x])
    bound = 1 + 0.3 * (x.shape[1] - 1)
    return x, np.minimum(1, bound / (x ** 2).sum(axis=1)), bound


def symmetric_noise(random, columns, stddev):
    noise = np.triu(stddev / math.sqrt(2) * random.standard_normal((columns, columns)), 1)
    return noise + noise.T + np.diag(stddev * random.standard_normal(columns))


class Adassp:
    """Released sums of squares and products, and the ridge that the noise asks for. What the errors
    add to them is known without noise, which is a favour."""

    def __init__(self, table, mu, seed):
        self.random = np.random.default_rng([17, seed])
        x, weights, bound = bounded_rows(table)
        self.rows, self.columns = x.shape
        self.gram_noise, self.product_noise = bound / math.sqrt(0.6) / mu, math.sqrt(bound / 0.35) / mu
        self.gram = (x * weights[:, None]).T @ x + self.noise_of_gram()
        products = x.T @ (weights * table.y)
        products = products + self.product_noise * self.random.standard_normal(self.columns)
        self.inverse = self.regularised(self.gram)
        self.theta = self.inverse @ products
        self.variance = np.mean((table.y - x @ self.theta) ** 2)

    def noise_of_gram(self):
        return symmetric_noise(self.random, self.columns, self.gram_noise)

    def regularised(self, gram):
        least = max(np.linalg.eigvalsh(gram)[0], 0)
        ridge = max(0, self.gram_noise * math.sqrt(2 * self.columns) - least)
        return np.linalg.inv(gram + ridge * np.eye(self.columns))

    def errors(self):
        """The sandwich of sampling, and the noise of both sums to first order."""
        one, theta = np.eye(self.columns), self.theta
        middle = (self.variance * self.gram + self.product_noise ** 2 * one
                  + self.gram_noise ** 2 / 2 * (theta @ theta * one + np.outer(theta, theta)))
        return np.sqrt(np.diag(self.inverse @ middle @ self.inverse))

    def closed_form(self):
        half = NORMAL * self.errors()
        return self.theta - half, self.theta + half

    def bootstrap(self):
        """Percentiles of what the same steps make of records that the release suggests."""
        values, vectors = np.linalg.eigh(self.gram)
        values = np.maximum(values, 1e-3 * self.rows)
        gram = vectors * values @ vectors.T
        roots = vectors * np.sqrt(self.variance * values)
        drawn = []
        for _ in range(RESAMPLES):
            products = (gram @ self.theta + roots @ self.random.standard_normal(self.columns)
                        + self.product_noise * self.random.standard_normal(self.columns))
            drawn.append(self.regularised(gram + self.noise_of_gram()) @ products)
        return np.percentile(drawn, [2.5, 97.5], axis=0)


def noisy_newton(table, mu, seed, steps=5):
    random = np.random.default_rng([19, seed])
    x, weights, bound = bounded_rows(table)
    columns = x.shape[1]
    each = mu / math.sqrt(2 * steps)
    score_noise, curve_noise = math.sqrt(bound) / each, 0.25 * bound / each
    theta = np.zeros(columns)
    for _ in range(steps):
        mean = expit(x @ theta)
        score = x.T @ (weights * (table.y - mean)) + score_noise * random.standard_normal(columns)
        hessian = (x * (weights * mean * (1 - mean))[:, None]).T @ x
        values, vectors = np.linalg.eigh(hessian + symmetric_noise(random, columns, curve_noise))
        inverse = vectors / np.maximum(values, 0.005 * len(x)) @ vectors.T
        move = inverse @ score
        theta = theta + move * min(1, 4 / np.linalg.norm(move))
    half = NORMAL * np.sqrt(np.diag(inverse + score_noise ** 2 * inverse @ inverse))
    return theta - half, theta + half
