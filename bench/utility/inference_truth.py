"""What intervals of method inference are held against: fits of a whole table without privacy."""

import math

import numpy as np

from inference_laws import expit


class Population:
    """A table of which runs draw, and its fits without privacy."""

    def __init__(self, table):
        self.table = table
        lower = np.array([low for low, _ in table.bounds])
        width = np.array([high - low for low, high in table.bounds])
        middle = lower + width / 2
        self.x = np.column_stack([np.ones(len(table.y)), 2 * (table.x - middle) / width])
        self.logistic = table.kind == "logistic"
        self.scale = 1 if self.logistic else table.upper - table.lower
        self.y = table.y if self.logistic else (table.y - table.lower) / self.scale
        self.back = np.eye(self.x.shape[1])
        self.back[1:, 1:] = np.diag(2 / width)
        self.back[0, 1:] = -2 * middle / width
        self.exact = {}
        start = np.zeros(self.x.shape[1])
        self.start, hessian, scores = self.fit(np.ones(len(self.x)), math.inf, start, 25)
        inverse = np.linalg.inv(hessian)
        covariance = self.back @ inverse @ (scores.T @ scores) @ inverse @ self.back.T
        self.plain = self.original(self.start)
        self.errors = self.scale * np.sqrt(np.diag(covariance) * len(self.x))  # of one record

    def fit(self, weights, cut, theta, steps):
        """Newton's method; coefficients, curvature and the rows' scores."""
        for left in range(steps, -1, -1):
            mean = expit(self.x @ theta) if self.logistic else self.x @ theta
            residual = self.y - mean if self.logistic else np.clip(self.y - mean, -cut, cut)
            curve = mean * (1 - mean) if self.logistic else np.ones(len(self.x))
            hessian = (self.x * (weights * curve)[:, None]).T @ self.x
            hessian += 1e-9 * len(self.x) * np.eye(len(theta))
            scores = self.x * (weights * residual)[:, None]
            if left:
                theta = theta + np.linalg.solve(hessian, scores.sum(axis=0))
        return theta, hessian, scores

    def original(self, theta):
        found = self.scale * self.back @ theta
        found[0] += 0 if self.logistic else self.table.lower
        return found

    def weighted(self, squares, found):
        weights = np.minimum(1, found["reach"] * self.x.shape[1] / squares)
        cut = found.get("residual_cut", math.inf) / self.scale
        return self.original(self.fit(weights, cut, self.start, 5)[0])

    def truth(self, found):
        """Of the rows' weights and the cut of this run."""
        rows = np.column_stack([np.ones(len(self.x)), self.table.x])
        squares = ((rows @ np.array(found["row_shape"])) * rows).sum(axis=1)
        return self.weighted(squares, found)

    def exact_truth(self, found):
        """Of the weights that the table's own matrix gives."""
        key = (found["reach"], float(f"{found.get('residual_cut', 0):.3g}"))
        if key not in self.exact:
            squares = (self.x ** 2).sum(axis=1)
            first = np.minimum(1, (1 + 0.3 * (self.x.shape[1] - 1)) / squares)
            gram = (self.x * first[:, None]).T @ self.x / len(self.x)
            squares = ((self.x @ np.linalg.inv(gram)) * self.x).sum(axis=1)
            self.exact[key] = self.weighted(squares, found)
        return self.exact[key]
