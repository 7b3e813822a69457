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

    ``decimal``, ``thousands``, ``symbols`` and ``missing`` say how a file spells its values, where
    that differs from the rest of the file.

    >>> numeric("age", 17, 90)
    {'name': 'age', 'kind': 'numeric', 'lower': 17, 'upper': 90}
    """
    return part_of(
        name=name, kind="numeric", lower=lower, upper=upper, log1p=log1p, fill=fill,
        missing_indicator=missing_indicator, typical=typical, step=step, centre=centre,
        knots=knots, bins=bins, edges=None if edges is None else list(edges), bins_only=bins_only,
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
        knots=knots, bins=bins, edges=None if edges is None else list(edges), bins_only=bins_only,
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
    """A value of a public list. ``embedding`` is for wide models: numbers of each one's vector;
    ``reference`` is the category that regressions with intervals compare the others to.

    >>> categorical("sex", ["Female", "Male"])["categories"]
    ['Female', 'Male']
    """
    return part_of(name=name, kind="categorical", categories=listed("categories", categories),
                 other=other, coding=coding, scales=None if scales is None else list(scales),
                 embedding=embedding, reference=reference, missing=_texts(missing))


def hashed(name: str, *, bits: Optional[int] = None, embedding: Optional[int] = None,
           missing: Texts = None) -> Part:
    """A value with too many possible ones to list.

    >>> hashed("zip", bits=12)
    {'name': 'zip', 'kind': 'hashed', 'bits': 12}
    """
    return part_of(name=name, kind="hashed", bits=bits, embedding=embedding, missing=_texts(missing))


def text(name: str, *, bits: Optional[int] = None, embedding: Optional[int] = None,
         missing: Texts = None) -> Part:
    """Free text: the set of its words.

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

    >>> ids("basket", separator=";", max_ids=20, count=500)["max_ids"]
    20
    """
    return part_of(name=name, kind="ids", separator=separator, max_ids=max_ids, bits=bits, count=count,
                 embedding=embedding, missing=_texts(missing))


def crossed(names: Sequence[str], *, name: Optional[str] = None, bits: Optional[int] = None,
            embedding: Optional[int] = None) -> Part:
    """What several columns hold together.

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

    Of every target, ``missing`` names further texts for a missing one, and ``missing_target`` says
    what such a record does: "drop" (the default) lets it teach nothing, "bounds" counts it as the
    middle of a number's bounds or as the class ``unknown``.

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


def _texts(value: Texts) -> Union[str, List[str], None]:
    return value if value is None or isinstance(value, str) else list(value)
