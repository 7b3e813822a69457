"""diffprivlib's models of means and squares: each is made of one released sum."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from sklearn import decomposition, naive_bayes, preprocessing

from .... import _arguments
from ...._blocks import Travels, belonging, mark_of
from ...._boundary import boundary
from ...._told import Refused
from ....errors import UsageError
from .._release import (
    Sums,
    checked_epsilon,
    is_unprotected,
    matrix_of,
    moments,
    norm_of,
    pair_of,
    places,
    squares,
)
from ..accountant import BudgetAccountant, Payment
from ._labels import classes_and_codes, refuse_weights

_NO_PARTS = Refused(
    "there is no partial_fit: each part would be a release of its own, which costs as much as the "
    "whole; fit is given all records")


def _is_exact(model: Any, epsilon: float) -> bool:
    """Whether this fit has no privacy; the receipt of an earlier fit goes."""
    model.__dict__.pop("receipt_", None)
    return is_unprotected(epsilon, model.accountant, mark_of(model))


class StandardScaler(Travels, preprocessing.StandardScaler):  # type: ignore[misc]
    """Scales by released means and variances of the columns; ``bounds`` are required.

    >>> X = np.tile([[0.25, 3], [0.75, 5]], (500, 1))
    >>> scaler = StandardScaler(epsilon=4, bounds=([0, 0], [1, 10])).fit(X)
    >>> scaler.transform(X[:2]).shape
    (2, 2)
    """

    partial_fit = _NO_PARTS

    def __init__(
        self, *, epsilon: float = 1.0, bounds: Any = None, copy: bool = True,
        with_mean: bool = True, with_std: bool = True, random_state: Any = None,
        accountant: Optional[BudgetAccountant] = None,
    ) -> None:
        super().__init__(copy=copy, with_mean=with_mean, with_std=with_std)
        self.epsilon = epsilon
        self.bounds = bounds
        self.random_state = random_state
        self.accountant = accountant

    @belonging
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Releases the sums of the columns and of their squares."""
        refuse_weights(sample_weight)
        epsilon = checked_epsilon(self.epsilon)
        rows = matrix_of(self, X)
        count, columns = rows.shape
        if _is_exact(self, epsilon):
            mean, variance = np.nanmean(rows, axis=0), np.nanvar(rows, axis=0)
        elif not self.with_mean and not self.with_std:
            mean = variance = None
        else:
            lower, upper = pair_of(self.bounds, "bounds", columns)
            payment = Payment(self.accountant, self.random_state, mark_of(self))

            def both(part: slice) -> Any:
                first = places(rows[part], lower, upper)
                return np.hstack([first, squares(first)])

            sums, _, self.receipt_ = Sums(2 * columns, float(columns)).add(count, both).release(
                epsilon, payment, self.random_state)
            mean, variance = moments(sums[:columns], sums[columns:], count)
            mean = lower + (mean + 0.5) * (upper - lower)
            variance = variance * (upper - lower) ** 2
        self.n_samples_seen_ = count
        self.mean_ = mean if self.with_mean or self.with_std else None
        self.var_ = variance if self.with_std else None
        self.scale_ = np.where(variance > 0, np.sqrt(variance), 1.0) if self.with_std else None
        return self

    @boundary
    def transform(self, X: Any, copy: Optional[bool] = None) -> Any:
        """As scikit-learn's."""
        return super().transform(X, copy)


class PCA(Travels, decomposition.PCA):  # type: ignore[misc]
    """The main directions of one released Gram matrix.

    ``bounds`` are required or, where ``centered`` says that the columns' means are 0,
    ``data_norm``: the largest norm of a row.

    >>> X = np.tile([[-1, -0.9], [1, 1.1]], (500, 1))
    >>> found = PCA(1, epsilon=4, bounds=(-2, 2)).fit(X)
    >>> found.components_.shape, found.transform(X[:3]).shape
    ((1, 2), (3, 1))
    """

    def __init__(
        self, n_components: Any = None, *, epsilon: float = 1.0, data_norm: Optional[float] = None,
        centered: bool = False, bounds: Any = None, copy: bool = True, whiten: bool = False,
        random_state: Any = None, accountant: Optional[BudgetAccountant] = None,
    ) -> None:
        super().__init__(n_components=n_components, copy=copy, whiten=whiten, svd_solver="full")
        self.epsilon = epsilon
        self.data_norm = data_norm
        self.centered = centered
        self.bounds = bounds
        self.random_state = random_state
        self.accountant = accountant

    @belonging
    def fit(self, X: Any, y: Any = None) -> Any:
        """Releases the Gram matrix, with the sums of the columns unless these are centred."""
        epsilon = checked_epsilon(self.epsilon)
        rows = matrix_of(self, X)
        if _is_exact(self, epsilon):
            mean = np.zeros(rows.shape[1]) if self.centered else np.nanmean(rows, axis=0)
            rows = np.nan_to_num(rows - mean)
            covariance = rows.T @ rows / len(rows)
        else:
            mean, covariance = self._released(rows, epsilon)
        self._take(mean, covariance * len(rows) / max(len(rows) - 1, 1), len(rows))
        return self

    def _released(self, rows: Any, epsilon: float) -> Tuple[Any, Any]:
        count, columns = rows.shape
        centre, norm, absolute = self._reach(columns)
        payment = Payment(self.accountant, self.random_state, mark_of(self))
        above = np.triu_indices(columns)
        # Entries of x x' on and above the diagonal add up to (|x|_2^2 + |x|_1^2) / 2 at most, of
        # rows with a norm of 1. Sums of columns get half as much of the bound.
        gram = (1 + absolute**2) / 2
        weight = 0.0 if self.centered else gram / (2 * absolute)

        def vectors(part: slice) -> Any:
            unit = self._unit(rows[part], centre, norm)
            outer = unit[:, above[0]] * unit[:, above[1]]
            return outer if self.centered else np.hstack([weight * unit, outer])

        lead = 0 if self.centered else columns
        held = Sums(lead + len(above[0]), gram if self.centered else 1.5 * gram)
        sums, _, self.receipt_ = held.add(count, vectors).release(
            epsilon, payment, self.random_state)
        second = np.zeros((columns, columns))
        second[above] = sums[lead:] / count
        second = second + np.triu(second, 1).T
        mean = np.zeros(columns) if self.centered else sums[:lead] / (weight * count)
        covariance = (second - np.outer(mean, mean)) * norm**2
        return centre + mean * norm, covariance

    def _reach(self, columns: int) -> Tuple[Any, float, float]:
        """The public centre, the largest norm around it, and the sum of magnitudes over that."""
        if self.centered:
            norm = norm_of(self.data_norm, "a centred row")
            return np.zeros(columns), norm, float(np.sqrt(columns))
        lower, upper = pair_of(self.bounds, "bounds", columns)
        half = (upper - lower) / 2
        norm = float(np.linalg.norm(half))
        return lower + half, norm, float(half.sum() / norm)

    def _unit(self, rows: Any, centre: Any, norm: float) -> Any:
        """Rows around the centre, of norm 1 at most, a little less for roundings."""
        if not self.centered:
            lower, upper = pair_of(self.bounds, "bounds", rows.shape[1])
            rows = np.clip(rows, lower, upper)
        unit = np.nan_to_num((rows - centre) / norm, nan=0.0)
        lengths = np.linalg.norm(unit, axis=1, keepdims=True)
        return unit / np.maximum(lengths, 1) * (1 - 2.0**-40)

    def _take(self, mean: Any, covariance: Any, count: int) -> None:
        """Directions by the symmetric matrix: computed from what was released."""
        values, vectors = np.linalg.eigh(covariance)
        values, vectors = np.clip(values[::-1], 0, None), vectors[:, ::-1].T
        signs = np.sign(vectors[np.arange(len(vectors)), np.abs(vectors).argmax(axis=1)])
        vectors = vectors * np.where(signs == 0, 1, signs)[:, None]
        shares = values / values.sum() if values.sum() > 0 else np.zeros_like(values)
        kept = self._kept(shares, min(count, len(values)))
        self.mean_ = mean
        self.components_ = vectors[:kept]
        self.explained_variance_ = values[:kept]
        self.explained_variance_ratio_ = shares[:kept]
        self.singular_values_ = np.sqrt(values[:kept] * max(count - 1, 1))
        self.noise_variance_ = float(values[kept:].mean()) if kept < len(values) else 0.0
        self.n_components_, self.n_samples_ = kept, count

    def _kept(self, shares: Any, most: int) -> int:
        wanted = self.n_components
        if wanted is None:
            return most
        if isinstance(wanted, (int, np.integer)) and 0 < wanted <= most:
            return int(wanted)
        if isinstance(wanted, float) and 0 < wanted < 1:
            return min(int(np.searchsorted(np.cumsum(shares), wanted)) + 1, most)
        raise UsageError(f"n_components must be from 1 to {most}, a share below 1 or None, got "
                         f"{wanted!r}")

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Both."""
        return self.fit(X).transform(X)

    @boundary
    def transform(self, X: Any) -> Any:
        """As scikit-learn's."""
        return super().transform(X)


class GaussianNB(Travels, naive_bayes.GaussianNB):  # type: ignore[misc]
    """Naive Bayes by released counts, means and variances of each class; ``bounds`` are required.

    >>> import warnings
    >>> X, y = np.array([[0.1], [0.9]] * 500), np.array(["a", "b"] * 500)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # the set of labels is taken from y, as there
    ...     model = GaussianNB(epsilon=4, bounds=(0, 1)).fit(X, y)
    >>> model.predict([[0.05], [0.95]]).tolist()
    ['a', 'b']
    """

    partial_fit = _NO_PARTS

    def __init__(
        self, *, epsilon: float = 1.0, bounds: Any = None, priors: Any = None,
        var_smoothing: float = 1e-9, random_state: Any = None,
        accountant: Optional[BudgetAccountant] = None,
    ) -> None:
        super().__init__(priors=priors, var_smoothing=var_smoothing)
        self.epsilon = epsilon
        self.bounds = bounds
        self.random_state = random_state
        self.accountant = accountant

    @belonging
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Releases a count, the sums of the columns and those of their squares, of all classes."""
        refuse_weights(sample_weight)
        epsilon = checked_epsilon(self.epsilon)
        self.classes_, codes = classes_and_codes(X, y)
        rows = matrix_of(self, X)
        if _is_exact(self, epsilon):
            found = [(codes == k) for k in range(len(self.classes_))]
            self.class_count_ = np.array([float(own.sum()) for own in found])
            self.theta_ = np.array([np.nanmean(rows[own], axis=0) for own in found])
            self.var_ = np.array([np.nanvar(rows[own], axis=0) for own in found])
        else:
            self._take(rows, codes, epsilon)
        self.class_prior_ = self._priors()
        self.epsilon_ = self.var_smoothing * float(self.var_.max())
        self.var_ = self.var_ + self.epsilon_
        return self

    def _take(self, rows: Any, codes: Any, epsilon: float) -> None:
        """A record has numbers in the block of its class alone: a count as much as half of its
        columns weigh, their places, and the squares of these."""
        columns, classes = rows.shape[1], len(self.classes_)
        lower, upper = pair_of(self.bounds, "bounds", columns)
        payment = Payment(self.accountant, self.random_state, mark_of(self))
        weight = columns / 2
        width = 1 + 2 * columns

        def vectors(part: slice) -> Any:
            first = places(rows[part], lower, upper)
            own = np.hstack([np.full((len(first), 1), weight), first, squares(first)])
            code = codes[part]
            return np.hstack([np.where((code == k)[:, None], own, 0) for k in range(classes)])

        held = Sums(classes * width, weight + columns)
        sums, noise, self.receipt_ = held.add(len(rows), vectors).release(
            epsilon, payment, self.random_state)
        blocks = sums.reshape(classes, width)
        self.class_count_ = np.clip(blocks[:, 0] / weight, 1, len(rows))
        counts = self.class_count_[:, None]
        mean, variance = moments(blocks[:, 1:1 + columns], blocks[:, 1 + columns:], counts)
        self.theta_ = lower + (mean + 0.5) * (upper - lower)
        # A variance below its own noise is not known: that noise stands for it.
        least = np.clip(noise / 4 / counts, 1e-9, 0.25)
        self.var_ = np.maximum(variance, least) * (upper - lower) ** 2

    def _priors(self) -> Any:
        if self.priors is None:
            return self.class_count_ / self.class_count_.sum()
        priors = np.asarray(self.priors, dtype=float)
        if priors.shape != self.class_count_.shape or (priors < 0).any() \
                or not np.isclose(priors.sum(), 1):
            raise UsageError("priors has a share for each class, which add up to 1")
        return priors

    @boundary
    def predict(self, X: Any) -> Any:
        """The class of each record."""
        return super().predict(X)

    @boundary
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class."""
        return super().predict_proba(X)

    @boundary
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """scikit-learn's score: exact, so that it tells about the records; nothing is booked."""
        _arguments.warn_of_score()
        return float(super().score(X, y, sample_weight))
