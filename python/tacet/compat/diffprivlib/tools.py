"""diffprivlib's statistics of arrays: each is one release of a certified sum, or a quantile.

Neighbours replace one record, a place along the reduced axes, so that the number of records is
public. What several outputs cost together is ``epsilon``. NaN counts as the middle of the bounds.
"""

from __future__ import annotations

import builtins
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from ... import _engine
from ..._boundary import boundary
from ...errors import GuaranteeError, UsageError
from ...schemas import Schema, numeric
from ...summaries import quantile as _quantile
from ._release import (
    MAX_EPSILON,
    Sums,
    array_of,
    checked_epsilon,
    is_unprotected,
    moments,
    pair_of,
    places,
    released,
    squares,
)
from .accountant import REPLACED, BudgetAccountant, Payment, _share

__all__ = ["count_nonzero", "histogram", "histogram2d", "histogramdd", "mean", "median",
           "percentile", "quantile", "std", "sum", "var"]

_Accountant = Optional[BudgetAccountant]
_MEMORY = 1 << 24  # bins


class _Table:
    """An array as a row per record and a column per output."""

    def __init__(self, array: Any, axis: Any, keepdims: bool) -> None:
        whole = array_of(array)
        if whole.dtype.kind not in "biuf":
            raise UsageError(f"array must hold numbers, and has the type {whole.dtype}")
        axes = tuple(range(whole.ndim)) if axis is None else tuple(
            k % whole.ndim for k in np.atleast_1d(axis))
        kept = [k for k in range(whole.ndim) if k not in axes]
        self._shape = tuple(1 if k in axes else whole.shape[k] for k in range(whole.ndim)) \
            if keepdims else tuple(whole.shape[k] for k in kept)
        self.outputs = int(np.prod([whole.shape[k] for k in kept], dtype=int))
        self.rows = np.moveaxis(whole, kept, range(-len(kept), 0)).reshape(-1, self.outputs)
        if self.rows.size == 0:
            raise UsageError("array is empty")

    def shown(self, values: Any) -> Any:
        """Numbers of the outputs in the array's shape without the reduced axes."""
        found = np.asarray(values).reshape(self._shape)
        return found.item() if found.ndim == 0 else found


@boundary
def count_nonzero(
    array: Any, epsilon: float = 1.0, axis: Any = None, keepdims: bool = False,
    random_state: Any = None, accountant: _Accountant = None,
) -> Any:
    """How many entries are not 0.

    >>> 480 < count_nonzero([0, 1] * 500, epsilon=2) < 520
    True
    """
    table = _Table(array, axis, keepdims)
    epsilon = checked_epsilon(epsilon)
    if is_unprotected(epsilon, accountant, None):
        return np.count_nonzero(np.asarray(array), axis=axis, keepdims=keepdims)
    payment = Payment(accountant, random_state, None)
    held = Sums(table.outputs, 0.5 * table.outputs).add(
        len(table.rows), lambda part: (table.rows[part] != 0) - 0.5)
    sums, _, _ = held.release(epsilon, payment, random_state)
    counts = np.clip(np.rint(sums + len(table.rows) / 2), 0, len(table.rows))
    return table.shown(counts.astype(int))


@boundary
def mean(
    array: Any, epsilon: float = 1.0, bounds: Any = None, axis: Any = None, dtype: Any = None,
    keepdims: bool = False, random_state: Any = None, accountant: _Accountant = None,
) -> Any:
    """The mean of numbers between bounds. ``dtype`` has no effect: results are doubles.

    >>> 0.4 < mean([0.25, 0.75] * 500, bounds=(0, 1)) < 0.6
    True
    """
    return _mean(array, bounds, _Asked(epsilon, axis, keepdims, random_state, accountant), np.mean)


@boundary
def sum(  # noqa: A001
    array: Any, epsilon: float = 1.0, bounds: Any = None, axis: Any = None, dtype: Any = None,
    keepdims: bool = False, random_state: Any = None, accountant: _Accountant = None,
) -> Any:
    """The sum of numbers between bounds: the mean times their public number.

    ``dtype`` has no effect.

    >>> 450 < sum([0.25, 0.75] * 500, bounds=(0, 1)) < 550
    True
    """
    return _mean(array, bounds, _Asked(epsilon, axis, keepdims, random_state, accountant), np.sum)


@boundary
def var(
    array: Any, epsilon: float = 1.0, bounds: Any = None, axis: Any = None, dtype: Any = None,
    keepdims: bool = False, random_state: Any = None, accountant: _Accountant = None,
) -> Any:
    """The variance of numbers between bounds.

    >>> 0.04 < var([0.25, 0.75] * 500, bounds=(0, 1)) < 0.09
    True
    """
    return _variance(array, bounds, _Asked(epsilon, axis, keepdims, random_state, accountant))


@boundary
def std(
    array: Any, epsilon: float = 1.0, bounds: Any = None, axis: Any = None, dtype: Any = None,
    keepdims: bool = False, random_state: Any = None, accountant: _Accountant = None,
) -> Any:
    """The standard deviation: the root of the variance. ``dtype`` has no effect.

    >>> 0.2 < std([0.25, 0.75] * 500, bounds=(0, 1)) < 0.3
    True
    """
    found = np.sqrt(_variance(array, bounds,
                              _Asked(epsilon, axis, keepdims, random_state, accountant)))
    return found.item() if found.ndim == 0 else found


class _Asked:
    """What most of them are told."""

    def __init__(self, epsilon: Any, axis: Any, keepdims: bool, random_state: Any,
                 accountant: _Accountant) -> None:
        self.epsilon = checked_epsilon(epsilon)
        self.axis = axis
        self.keepdims = keepdims
        self.random_state = random_state
        self.accountant = accountant


def _mean(array: Any, bounds: Any, asked: _Asked, exact: Callable[..., Any]) -> Any:
    if is_unprotected(asked.epsilon, asked.accountant, None):
        return exact(_clipped(array, bounds), axis=asked.axis, keepdims=asked.keepdims)
    table = _Table(array, asked.axis, asked.keepdims)
    lower, upper = _bounds(bounds)
    payment = Payment(asked.accountant, asked.random_state, None)
    count = len(table.rows)
    sums, _, _ = Sums(table.outputs, 0.5 * table.outputs).add(
        count, lambda part: places(table.rows[part], lower, upper)).release(
            asked.epsilon, payment, asked.random_state)
    found = lower + (np.clip(sums / count, -0.5, 0.5) + 0.5) * (upper - lower)
    return table.shown(found * count if exact is np.sum else found)


def _variance(array: Any, bounds: Any, asked: _Asked) -> Any:
    if is_unprotected(asked.epsilon, asked.accountant, None):
        return np.var(_clipped(array, bounds), axis=asked.axis, keepdims=asked.keepdims)
    table = _Table(array, asked.axis, asked.keepdims)
    lower, upper = _bounds(bounds)
    payment = Payment(asked.accountant, asked.random_state, None)

    def both(part: slice) -> Any:
        first = places(table.rows[part], lower, upper)
        return np.hstack([first, squares(first)])

    sums, _, _ = Sums(2 * table.outputs, 1.0 * table.outputs).add(len(table.rows), both).release(
        asked.epsilon, payment, asked.random_state)
    halves = np.split(sums, 2)
    variance = moments(halves[0], halves[1], len(table.rows))[1] * (upper - lower) ** 2
    return table.shown(variance)


def _bounds(bounds: Any) -> Tuple[float, float]:
    lower, upper = pair_of(bounds, "bounds", 1)
    return float(lower[0]), float(upper[0])


def _clipped(array: Any, bounds: Any) -> Any:
    """For what protects nobody; theirs clips too."""
    return array_of(array) if bounds is None else np.clip(array_of(array), *_bounds(bounds))


@boundary
def histogram(
    sample: Any, epsilon: float = 1.0, bins: Any = 10, range: Any = None,  # noqa: A002
    weights: Any = None, density: Optional[bool] = None, random_state: Any = None,
    accountant: _Accountant = None,
) -> Tuple[Any, Any]:
    """Counts in bins, and the edges of these.

    >>> counts, edges = histogram([0.2, 0.7] * 500, bins=2, range=(0, 1))
    >>> counts.shape, edges.tolist()
    ((2,), [0.0, 0.5, 1.0])
    """
    found, edges = histogramdd(array_of(sample).reshape(-1, 1), epsilon,
                               bins if np.isscalar(bins) else [bins],
                               None if range is None else [range], weights, density, random_state,
                               accountant)
    return found, edges[0]


@boundary
def histogram2d(
    array_x: Any, array_y: Any, epsilon: float = 1.0, bins: Any = 10,
    range: Any = None,  # noqa: A002
    weights: Any = None, density: Optional[bool] = None, random_state: Any = None,
    accountant: _Accountant = None,
) -> Tuple[Any, Any, Any]:
    """Counts in bins of two arrays, and the edges along each.

    >>> histogram2d([0.2] * 9, [0.7] * 9, bins=2, range=((0, 1), (0, 1)))[0].shape
    (2, 2)
    """
    if not np.isscalar(bins) and len(bins) != 2:
        bins = [bins, bins]
    both = np.stack([array_of(array_x).ravel(), array_of(array_y).ravel()], axis=1)
    found, edges = histogramdd(both, epsilon, bins, range, weights, density, random_state,
                               accountant)
    return found, edges[0], edges[1]


@boundary
def histogramdd(
    sample: Any, epsilon: float = 1.0, bins: Any = 10, range: Any = None,  # noqa: A002
    weights: Any = None, density: Optional[bool] = None, random_state: Any = None,
    accountant: _Accountant = None,
) -> Tuple[Any, List[Any]]:
    """Counts in bins of several columns, and the edges along each.

    >>> histogramdd([[0.2, 0.7]] * 9, bins=(2, 3), range=((0, 1), (0, 1)))[0].shape
    (2, 3)
    """
    if weights is not None:
        raise UsageError("weights are refused: a weight multiplies what one record does to a count")
    epsilon = checked_epsilon(epsilon)
    rows = array_of(sample, float)
    rows = rows.reshape(len(rows), -1)
    if is_unprotected(epsilon, accountant, None):
        exact, exact_edges = np.histogramdd(rows, bins, range, density)
        return exact, [*exact_edges]
    edges = _edges(rows.shape[1], bins, range)
    shape = tuple(len(ends) - 1 for ends in edges)
    total = int(np.prod(shape))
    if total >= _MEMORY:
        raise UsageError(f"a histogram has fewer than {_MEMORY} bins, got {total}")
    payment = Payment(accountant, random_state, None)
    cells = _cells(rows, edges, shape, total)
    # One bin more for what lies outside; it is noisy like the others, and left out.
    noisy, _, _ = released(
        lambda asked, context: _engine.release_histogram(cells, total + 1, asked, context),
        epsilon, payment, random_state)
    counts = np.clip(noisy[:total], 0, None).astype(int).reshape(shape)
    if not density:
        return counts, edges
    volume = np.ones(shape)
    for axis, ends in enumerate(edges):
        volume *= np.diff(ends).reshape([-1 if k == axis else 1 for k in builtins.range(len(shape))])
    return counts / max(counts.sum(), 1) / volume, edges


def _edges(columns: int, bins: Any, ranges: Any) -> List[Any]:
    """As NumPy's, from public facts."""
    each: Sequence[Any] = [bins] * columns if np.isscalar(bins) else list(bins)
    between: Sequence[Any] = [None] * columns if ranges is None else list(ranges)
    if len(each) != columns or len(between) != columns:
        raise UsageError(f"bins and range have an entry for each of {columns} columns")
    edges = []
    for count, ends in zip(each, between):
        if np.isscalar(count) and ends is None:
            raise GuaranteeError(
                "range is missing: (lower, upper), which is public, or the edges as bins; "
                "diffprivlib takes it from the data, and the guarantee is lost")
        edges.append(np.histogram_bin_edges([], count, ends))
    return edges


def _cells(rows: Any, edges: List[Any], shape: Tuple[int, ...], outside: int) -> Any:
    """The bin of each record by its number, ``outside`` where it is in none."""
    inside = np.ones(len(rows), dtype=bool)
    found = []
    for k, ends in enumerate(edges):
        column = rows[:, k]
        place = np.searchsorted(ends, column, side="right") - 1
        place = np.where(column == ends[-1], len(ends) - 2, place)
        inside &= (place >= 0) & (place <= len(ends) - 2)
        found.append(np.clip(place, 0, len(ends) - 2))
    cells = np.ravel_multi_index(tuple(found), shape)
    return np.where(inside, cells, outside).astype(np.int64)


@boundary
def quantile(
    array: Any, quant: Any, epsilon: float = 1.0, bounds: Any = None, axis: Any = None,
    keepdims: bool = False, random_state: Any = None, accountant: _Accountant = None,
) -> Any:
    """Quantiles of numbers between bounds; ``epsilon`` is that of all of them.

    >>> 40 < quantile(np.arange(1000) % 100, 0.5, bounds=(0, 100)) < 60
    True
    """
    levels = np.atleast_1d(np.asarray(quant, dtype=float)).ravel()
    epsilon = checked_epsilon(epsilon)
    if is_unprotected(epsilon, accountant, None):
        return np.quantile(_clipped(array, bounds), quant, axis=axis, keepdims=keepdims)
    table = _Table(array, axis, keepdims)
    lower, upper = _bounds(bounds)
    schema = Schema([numeric("value", lower, upper)])
    payment = Payment(accountant, random_state, None)
    epsilon = min(epsilon, MAX_EPSILON)
    each = _share(epsilon, 0.0, len(levels) * table.outputs)
    budget = payment.booked_whole(epsilon)
    found, receipts = [], []
    for level in levels:
        for k in builtins.range(table.outputs):
            column = np.nan_to_num(table.rows[:, k].astype(float), nan=(lower + upper) / 2)
            one = _quantile({"value": column}, "value", schema=schema, epsilon=each, q=float(level),
                            adjacency=REPLACED, budget=budget, random_state=random_state)
            receipts.append(one.receipt)
            found.append(float(one) + 0.0)
    payment.told(receipts)
    parts = [table.shown(part) for part in np.split(np.array(found), len(levels))]
    return parts[0] if np.ndim(quant) == 0 else np.array(parts)


@boundary
def percentile(
    array: Any, percent: Any, epsilon: float = 1.0, bounds: Any = None, axis: Any = None,
    keepdims: bool = False, random_state: Any = None, accountant: _Accountant = None,
) -> Any:
    """Quantiles by percent.

    >>> 40 < percentile(np.arange(1000) % 100, 50, bounds=(0, 100)) < 60
    True
    """
    return quantile(array, np.asarray(percent) / 100, epsilon, bounds, axis, keepdims, random_state,
                    accountant)


@boundary
def median(
    array: Any, epsilon: float = 1.0, bounds: Any = None, axis: Any = None, keepdims: bool = False,
    random_state: Any = None, accountant: _Accountant = None,
) -> Any:
    """The median.

    >>> 40 < median(np.arange(1000) % 100, bounds=(0, 100)) < 60
    True
    """
    return quantile(array, 0.5, epsilon, bounds, axis, keepdims, random_state, accountant)


def __getattr__(name: str) -> Any:
    if name in ("nanmean", "nanvar", "nanstd", "nansum"):
        raise ImportError(
            f"{name} is not here: how many values are missing is private, and would be one more release; "
            f"{name[3:]} counts a missing value as the middle of the bounds")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
