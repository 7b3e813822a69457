"""The parts of a schema: a function for each kind of column and of target.

Their arguments are the keys that a schema file knows; what they mean says data/schemas/README.md of
the sources. Arguments that are left out are not in the schema. The engine checks everything.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .errors import UsageError

Part = Dict[str, Any]
Texts = Union[str, Sequence[str], None]


def listed(what: str, values: Any) -> List[Any]:
    """A list that was given; a text would be one of its letters."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise UsageError(f"{what} is a list, even where it has one entry")
    if isinstance(values, (set, frozenset)):
        raise UsageError(f"{what} is a list, whose order counts; a set has none")
    return list(values)


def part_of(**keys: Any) -> Part:
    return {key: value for key, value in keys.items() if value is not None}


def numeric(
    name: str,
    lower: float,
    upper: float,
    *,
    log1p: Optional[bool] = None,
    fill: Union[float, str, None] = None,
    missing_indicator: Optional[bool] = None,
    typical: Optional[float] = None,
    step: Optional[float] = None,
    centre: Optional[bool] = None,
    knots: Optional[int] = None,
    bins: Optional[int] = None,
    edges: Optional[Sequence[float]] = None,
    bins_only: Optional[bool] = None,
    period: Optional[float] = None,
    mean: Optional[float] = None,
    standard_deviation: Optional[float] = None,
    decimal: Optional[str] = None,
    thousands: Optional[str] = None,
    symbols: Texts = None,
    missing: Texts = None,
) -> Part:
    """A number, clipped to public bounds.

    Parameters
    ----------
    lower, upper : float
        Bounds from public knowledge. A value outside counts as the nearest bound.
    log1p : bool, optional
        Takes log(1 + x), for long tails.
    fill : float or str, optional
        What stands for a missing value: a number, "lower", "middle" or "upper". By default
        ``typical``.
    missing_indicator : bool, optional
        Adds a feature that is 1 if the value is missing.
    typical : float, optional
        The value whose feature is 0. By default the middle of the bounds.
    step : float, optional
        The step of which ``effects_`` tells the effect, such as 10 years.
    centre : bool, optional
        Whether the feature is counted from the middle. By default it is, except for bounds of
        exactly 0 and 1.
    knots : int, optional
        Number of hat functions, 2 to 64, which make a curve of the weight. 0 keeps a line. By
        default training decides.
    bins, edges : int or list of float, optional
        Adds one feature per bin: so many of equal width, or between these edges.
    bins_only : bool, optional
        The bins take the place of the number.
    period : float, optional
        Takes sine and cosine of this period, such as 12 for months.
    mean, standard_deviation : float, optional
        What ``standardise`` has released. Training writes them.
    decimal, thousands, symbols, missing : str or list of str, optional
        How a file spells the values, if that differs from the rest of the file.

    Examples
    --------
    >>> numeric("age", 17, 90)
    {'name': 'age', 'kind': 'numeric', 'lower': 17, 'upper': 90}
    """
    return part_of(
        name=name, kind="numeric", lower=lower, upper=upper, log1p=log1p, fill=fill,
        missing_indicator=missing_indicator, typical=typical, step=step, centre=centre,
        knots=knots, bins=bins, edges=None if edges is None else listed("edges", edges), bins_only=bins_only,
        period=period, mean=mean, standard_deviation=standard_deviation, decimal=decimal,
        thousands=thousands, symbols=_texts(symbols), missing=_texts(missing))


def date(
    name: str,
    lower: str,
    upper: str,
    *,
    log1p: Optional[bool] = None,
    fill: Optional[str] = None,
    missing_indicator: Optional[bool] = None,
    typical: Optional[str] = None,
    step: Optional[float] = None,
    centre: Optional[bool] = None,
    knots: Optional[int] = None,
    bins: Optional[int] = None,
    edges: Optional[Sequence[str]] = None,
    bins_only: Optional[bool] = None,
    period: Optional[float] = None,
    mean: Optional[float] = None,
    standard_deviation: Optional[float] = None,
    date_format: Optional[str] = None,
    missing: Texts = None,
) -> Part:
    """A date between two public ones, written YYYY-MM-DD.

    ``date_format`` says how a file writes them: "%d.%m.%Y".

    >>> date("seen", "2020-01-01", "2025-12-31")["kind"]
    'date'
    """
    return part_of(
        name=name, kind="date", lower=lower, upper=upper, log1p=log1p, fill=fill,
        missing_indicator=missing_indicator, typical=typical, step=step, centre=centre,
        knots=knots, bins=bins, edges=None if edges is None else listed("edges", edges), bins_only=bins_only,
        period=period, mean=mean, standard_deviation=standard_deviation, date_format=date_format,
        missing=_texts(missing))


def categorical(
    name: str,
    categories: Sequence[str],
    *,
    other: Optional[str] = None,
    coding: Optional[str] = None,
    scales: Optional[Sequence[float]] = None,
    embedding: Optional[int] = None,
    reference: Optional[str] = None,
    missing: Texts = None,
) -> Part:
    """A value of a public list.

    Parameters
    ----------
    categories : list of str
        The list, from public knowledge. One feature per category.
    other : str, optional
        "column" gives every other value a feature of its own. By default ("zero") it has none.
    coding : str, optional
        "sign" codes two categories as one feature, -1 and +1.
    scales : list of float, optional
        What the feature of each category holds in place of 1. Training writes them.
    embedding : int, optional
        Of wide models: numbers in the vector of each category.
    reference : str, optional
        The category that regressions with intervals compare the others to.
    missing : str or list of str, optional
        Further texts for a missing value.

    Examples
    --------
    >>> categorical("sex", ["Female", "Male"])["categories"]
    ['Female', 'Male']
    """
    return part_of(name=name, kind="categorical", categories=listed("categories", categories),
                 other=other, coding=coding, scales=None if scales is None else list(scales),
                 embedding=embedding, reference=reference, missing=_texts(missing))


def hashed(name: str, *, bits: Optional[int] = None, embedding: Optional[int] = None,
           missing: Texts = None) -> Part:
    """A value with too many possible ones to list.

    Parameters
    ----------
    bits : int, optional
        Each value falls into one of ``2**bits`` features by a public hash; 16 by default.
    embedding : int, optional
        Of wide models: numbers in the vector of each value.
    missing : str or list of str, optional
        Further texts for a missing value.

    Examples
    --------
    >>> hashed("zip", bits=12)
    {'name': 'zip', 'kind': 'hashed', 'bits': 12}
    """
    return part_of(name=name, kind="hashed", bits=bits, embedding=embedding, missing=_texts(missing))


def text(name: str, *, bits: Optional[int] = None, embedding: Optional[int] = None,
         missing: Texts = None) -> Part:
    """Free text: the set of its words, in lower case.

    Parameters
    ----------
    bits : int, optional
        Each word falls into one of ``2**bits`` features by a public hash; 18 by default. From 12
        on, method ``auto`` may train on the frequent ones alone.
    embedding : int, optional
        Of wide models: numbers in the vector of each word.
    missing : str or list of str, optional
        Further texts for a missing value.

    Examples
    --------
    >>> text("note", bits=18)
    {'name': 'note', 'kind': 'text', 'bits': 18}
    """
    return part_of(name=name, kind="text", bits=bits, embedding=embedding, missing=_texts(missing))


def ids(
    name: str,
    *,
    separator: Optional[str] = None,
    max_ids: Optional[int] = None,
    bits: Optional[int] = None,
    count: Optional[int] = None,
    embedding: Optional[int] = None,
    missing: Texts = None,
) -> Part:
    """Several ids in a field, or a list of them.

    Parameters
    ----------
    separator : str, optional
        What stands between ids; a blank by default.
    max_ids : int, optional
        How many different ids of a record count, 1 to 1024; 64 by default. The others are dropped.
    bits : int, optional
        Each id falls into one of ``2**bits`` features by a public hash; 16 by default.
    count : int, optional
        In place of ``bits``: ids are whole numbers from 0 to below it.
    embedding : int, optional
        Of wide models: numbers in the vector of each id.
    missing : str or list of str, optional
        Further texts for a missing value.

    Examples
    --------
    >>> ids("basket", separator=";", max_ids=20, count=500)["max_ids"]
    20
    """
    return part_of(name=name, kind="ids", separator=separator, max_ids=max_ids, bits=bits, count=count,
                 embedding=embedding, missing=_texts(missing))


def crossed(names: Sequence[str], *, name: Optional[str] = None, bits: Optional[int] = None,
            embedding: Optional[int] = None) -> Part:
    """What several columns hold together.

    Parameters
    ----------
    names : list of str
        The columns: categorical, hashed or ignored ones.
    name : str, optional
        What the cross is called; by default the names of the columns.
    bits : int, optional
        Each combination falls into one of ``2**bits`` features by a public hash; 16 by default.
    embedding : int, optional
        Of wide models: numbers in the vector of each combination.

    Examples
    --------
    >>> crossed(["shop", "weekday"], bits=10)
    {'kind': 'crossed', 'names': ['shop', 'weekday'], 'bits': 10}
    """
    return part_of(name=name, kind="crossed", names=listed("names", names), bits=bits,
                 embedding=embedding)


def ignored(name: str) -> Part:
    """A column that is not read.

    >>> ignored("id")
    {'name': 'id', 'kind': 'ignored'}
    """
    return part_of(name=name, kind="ignored")


def binary(
    column: Optional[str],
    positive: Union[str, Sequence[str]],
    negative: Union[str, Sequence[str], None] = None,
    *,
    unknown: Optional[str] = None,
    positive_name: Optional[str] = None,
    negative_name: Optional[str] = None,
    class_weights: Optional[Mapping[str, float]] = None,
    missing: Texts = None,
    missing_target: Optional[str] = None,
) -> Part:
    """A target of two classes, spelt exactly as in the data: " Yes" is not "Yes".

    Parameters
    ----------
    column : str or None
        The column of the labels; None beside ``Schema(features=)``, whose columns have no names.
    positive, negative : str or list of str
        The labels of each class.
    unknown : str, optional
        "positive" or "negative": what any other label counts as; "negative" by default.
    positive_name, negative_name : str, optional
        What predictions call the classes; by default the label.
    class_weights : dict, optional
        Public weights of the classes.
    missing : str or list of str, optional
        Further texts for a missing target.
    missing_target : str, optional
        What a record without a target does: "drop" (the default) lets it teach nothing, "bounds"
        counts it as the class ``unknown``; of a number, as the middle of its bounds.

    Examples
    --------
    >>> binary("income", positive=">50K", negative="<=50K")
    {'column': 'income', 'positive': '>50K', 'negative': '<=50K'}
    """
    return part_of(
        column=column, positive=_texts(positive), negative=_texts(negative), unknown=unknown,
        positive_name=positive_name, negative_name=negative_name,
        class_weights=None if class_weights is None else dict(class_weights),
        missing=_texts(missing), missing_target=missing_target)


def multiclass(
    column: Optional[str],
    classes: Sequence[str],
    *,
    unknown: Optional[str] = None,
    class_weights: Optional[Mapping[str, float]] = None,
    missing: Texts = None,
    missing_target: Optional[str] = None,
) -> Part:
    """A target of three classes or more.

    Parameters
    ----------
    column : str or None
        As of ``binary``, and so are the arguments that are not listed here.
    classes : list of str
        All labels, from public knowledge.
    unknown : str, optional
        The class of any other label; by default the first one.

    Examples
    --------
    >>> multiclass("kind", ["oak", "beech", "fir"])["classes"]
    ['oak', 'beech', 'fir']
    """
    return part_of(column=column, classes=listed("classes", classes), unknown=unknown,
                 class_weights=None if class_weights is None else dict(class_weights),
                 missing=_texts(missing), missing_target=missing_target)


def number(column: Optional[str], lower: float, upper: float, *, decimal: Optional[str] = None,
           thousands: Optional[str] = None, symbols: Texts = None, missing: Texts = None,
           missing_target: Optional[str] = None) -> Part:
    """A target that is a number between public bounds.

    >>> number("price", 0, 500000)
    {'column': 'price', 'lower': 0, 'upper': 500000}
    """
    return part_of(column=column, lower=lower, upper=upper, decimal=decimal, thousands=thousands,
                   symbols=_texts(symbols), missing=_texts(missing),
                   missing_target=missing_target)


def probability(column: Optional[str], *, decimal: Optional[str] = None,
                thousands: Optional[str] = None, symbols: Texts = None, missing: Texts = None,
                missing_target: Optional[str] = None) -> Part:
    """A target in [0, 1].

    >>> probability("share")
    {'column': 'share', 'kind': 'probability'}
    """
    return part_of(column=column, kind="probability", decimal=decimal, thousands=thousands,
                   symbols=_texts(symbols), missing=_texts(missing),
                   missing_target=missing_target)


def count(column: Optional[str], upper: float, *, decimal: Optional[str] = None,
          thousands: Optional[str] = None, symbols: Texts = None, missing: Texts = None,
          missing_target: Optional[str] = None) -> Part:
    """A target that counts from 0 to a public bound.

    >>> count("visits", 40)
    {'column': 'visits', 'kind': 'count', 'upper': 40}
    """
    return part_of(column=column, kind="count", upper=upper, decimal=decimal, thousands=thousands,
                   symbols=_texts(symbols), missing=_texts(missing),
                   missing_target=missing_target)


def numbered(
    count: int, lower: float, upper: float, *, max_nonzero: Optional[int] = None  # noqa: A002
) -> Part:
    """Features without names, all between the same bounds.

    >>> numbered(54, -1, 1)
    {'count': 54, 'lower': -1, 'upper': 1}
    """
    return part_of(count=count, lower=lower, upper=upper, max_nonzero=max_nonzero)


def _texts(value: Any) -> Any:
    """A list, a single text, or what the engine refuses."""
    return value if isinstance(value, str) or not hasattr(value, "__iter__") else list(value)
