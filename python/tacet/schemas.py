"""Schemas as objects: what is public about records, and how they become bounded numbers.

Each kind of column and of target has a function whose arguments are the keys that a schema file
knows; what they mean says data/schemas/README.md of the sources. Arguments left out are not in the
schema. The engine checks everything.
"""

from __future__ import annotations

import copyreg
import hashlib
import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import _engine
from ._fits import Fits
from .errors import UsageError

Part = Dict[str, Any]
Paths = Union[str, "os.PathLike[str]"]
_NEWEST_ENCODING = 2
_CATALOGUE = os.path.join(os.path.dirname(__file__), "catalogue")


def _listed(what: str, values: Any) -> List[Any]:
    """A list that was given; a text would be one of its letters."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise UsageError(f"{what} is a list, even where it has one entry")
    return list(values)


def _part(**keys: Any) -> Part:
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
    centre: Optional[bool] = None,
    knots: Optional[int] = None,
    bins: Optional[int] = None,
    edges: Optional[Sequence[float]] = None,
    bins_only: Optional[bool] = None,
    period: Optional[float] = None,
    mean: Optional[float] = None,
    standard_deviation: Optional[float] = None,
) -> Part:
    """A number, clipped to public bounds.

    >>> numeric("age", 17, 90)
    {'name': 'age', 'kind': 'numeric', 'lower': 17, 'upper': 90}
    """
    return _part(
        name=name, kind="numeric", lower=lower, upper=upper, log1p=log1p, fill=fill,
        missing_indicator=missing_indicator, typical=typical, centre=centre, knots=knots,
        bins=bins, edges=None if edges is None else list(edges), bins_only=bins_only,
        period=period, mean=mean, standard_deviation=standard_deviation)


def date(
    name: str,
    lower: str,
    upper: str,
    *,
    log1p: Optional[bool] = None,
    fill: Optional[str] = None,
    missing_indicator: Optional[bool] = None,
    typical: Optional[str] = None,
    centre: Optional[bool] = None,
    knots: Optional[int] = None,
    bins: Optional[int] = None,
    edges: Optional[Sequence[str]] = None,
    bins_only: Optional[bool] = None,
    period: Optional[float] = None,
    mean: Optional[float] = None,
    standard_deviation: Optional[float] = None,
) -> Part:
    """A date between two public ones, written YYYY-MM-DD.

    >>> date("seen", "2020-01-01", "2025-12-31")["kind"]
    'date'
    """
    return _part(
        name=name, kind="date", lower=lower, upper=upper, log1p=log1p, fill=fill,
        missing_indicator=missing_indicator, typical=typical, centre=centre, knots=knots,
        bins=bins, edges=None if edges is None else list(edges), bins_only=bins_only,
        period=period, mean=mean, standard_deviation=standard_deviation)


def categorical(
    name: str,
    categories: Sequence[str],
    *,
    other: Optional[str] = None,
    coding: Optional[str] = None,
    scales: Optional[Sequence[float]] = None,
    embedding: Optional[int] = None,
) -> Part:
    """A value of a public list. ``embedding`` is for wide models: numbers of each one's vector.

    >>> categorical("sex", ["Female", "Male"])["categories"]
    ['Female', 'Male']
    """
    return _part(name=name, kind="categorical", categories=_listed("categories", categories),
                 other=other, coding=coding, scales=None if scales is None else list(scales),
                 embedding=embedding)


def hashed(name: str, *, bits: Optional[int] = None, embedding: Optional[int] = None) -> Part:
    """A value with too many possible ones to list.

    >>> hashed("zip", bits=12)
    {'name': 'zip', 'kind': 'hashed', 'bits': 12}
    """
    return _part(name=name, kind="hashed", bits=bits, embedding=embedding)


def text(name: str, *, bits: Optional[int] = None, embedding: Optional[int] = None) -> Part:
    """Free text: the set of its words.

    >>> text("note", bits=18)
    {'name': 'note', 'kind': 'text', 'bits': 18}
    """
    return _part(name=name, kind="text", bits=bits, embedding=embedding)


def ids(
    name: str,
    *,
    separator: Optional[str] = None,
    most: Optional[int] = None,
    bits: Optional[int] = None,
    count: Optional[int] = None,
    embedding: Optional[int] = None,
) -> Part:
    """Several ids in a field, or a list of them.

    >>> ids("basket", separator=";", most=20, count=500)["most"]
    20
    """
    return _part(name=name, kind="ids", separator=separator, most=most, bits=bits, count=count,
                 embedding=embedding)


def crossed(names: Sequence[str], *, name: Optional[str] = None, bits: Optional[int] = None,
            embedding: Optional[int] = None) -> Part:
    """What several columns hold together.

    >>> crossed(["shop", "weekday"], bits=10)
    {'kind': 'crossed', 'names': ['shop', 'weekday'], 'bits': 10}
    """
    return _part(name=name, kind="crossed", names=_listed("names", names), bits=bits,
                 embedding=embedding)


def ignored(name: str) -> Part:
    """A column that is not read.

    >>> ignored("id")
    {'name': 'id', 'kind': 'ignored'}
    """
    return _part(name=name, kind="ignored")


def binary(
    column: Optional[str],
    positive: Union[str, Sequence[str]],
    negative: Union[str, Sequence[str], None] = None,
    *,
    unknown: Optional[str] = None,
    positive_name: Optional[str] = None,
    negative_name: Optional[str] = None,
    class_weights: Optional[Mapping[str, float]] = None,
) -> Part:
    """A target of two classes.

    >>> binary("income", positive=">50K", negative="<=50K")
    {'column': 'income', 'positive': '>50K', 'negative': '<=50K'}
    """
    return _part(
        column=column, positive=_texts(positive), negative=_texts(negative), unknown=unknown,
        positive_name=positive_name, negative_name=negative_name,
        class_weights=None if class_weights is None else dict(class_weights))


def multiclass(
    column: Optional[str],
    classes: Sequence[str],
    *,
    unknown: Optional[str] = None,
    class_weights: Optional[Mapping[str, float]] = None,
) -> Part:
    """A target of three classes or more.

    >>> multiclass("kind", ["oak", "beech", "fir"])["classes"]
    ['oak', 'beech', 'fir']
    """
    return _part(column=column, classes=_listed("classes", classes), unknown=unknown,
                 class_weights=None if class_weights is None else dict(class_weights))


def number(column: Optional[str], lower: float, upper: float) -> Part:
    """A target that is a number between public bounds.

    >>> number("price", 0, 500000)
    {'column': 'price', 'lower': 0, 'upper': 500000}
    """
    return _part(column=column, lower=lower, upper=upper)


def probability(column: Optional[str]) -> Part:
    """A target in [0, 1].

    >>> probability("share")
    {'column': 'share', 'kind': 'probability'}
    """
    return _part(column=column, kind="probability")


def count(column: Optional[str], upper: float) -> Part:
    """A target that counts from 0 to a public bound.

    >>> count("visits", 40)
    {'column': 'visits', 'kind': 'count', 'upper': 40}
    """
    return _part(column=column, kind="count", upper=upper)


def numbered(
    count: int, lower: float, upper: float, *, max_nonzero: Optional[int] = None  # noqa: A002
) -> Part:
    """Features without names, all between the same bounds.

    >>> numbered(54, -1, 1)
    {'count': 54, 'lower': -1, 'upper': 1}
    """
    return _part(count=count, lower=lower, upper=upper, max_nonzero=max_nonzero)


def _texts(value: Union[str, Sequence[str], None]) -> Union[str, List[str], None]:
    return value if value is None or isinstance(value, str) else list(value)


class Schema(Fits):
    """What is public about records.

    >>> schema = Schema([numeric("age", 17, 90), categorical("sex", ["Female", "Male"])],
    ...                 target=binary("income", positive=">50K"), public_row_count=32561)
    >>> schema.encoded_names
    ['age', 'sex=Female', 'sex=Male', '(intercept)']
    """

    def __init__(
        self,
        columns: Sequence[Part] = (),
        *,
        target: Optional[Part] = None,
        features: Optional[Part] = None,
        format: Optional[Part] = None,  # noqa: A002
        version: Optional[int] = None,
        encoding: int = _NEWEST_ENCODING,
        name: Optional[str] = None,
        description: Optional[str] = None,
        intercept: Optional[bool] = None,
        constant: Optional[float] = None,
        row_scaling: Optional[str] = None,
        storage: Optional[str] = None,
        missing: Optional[Sequence[str]] = None,
        public_row_count: Optional[int] = None,
        interactions: Optional[Sequence[Sequence[str]]] = None,
        unit: Optional[str] = None,
    ) -> None:
        if features is not None and format is None:
            format = {"kind": "npy"}  # noqa: A001
        if not all(isinstance(part, Mapping) for part in _listed("columns", columns)):
            raise UsageError("columns is a list of what numeric, categorical and the others make")
        keys = _part(
            column=list(columns) or None, target=target, features=features, format=format,
            version=version, encoding=encoding, name=name, description=description,
            intercept=intercept, constant=constant, row_scaling=row_scaling, storage=storage,
            missing=None if missing is None else _listed("missing", missing),
            public_row_count=public_row_count,
            interactions=None if interactions is None else [list(pair) for pair in interactions],
            unit=unit)
        try:
            words = json.dumps(keys, allow_nan=False)
        except (TypeError, ValueError):
            words = ""
        if not words:
            raise UsageError("a schema holds finite numbers, texts, booleans and lists of these")
        self._engine = _engine.Schema.from_json(words)
        self._sha256 = ""

    @classmethod
    def _of(cls, held: _engine.Schema, sha256: str = "") -> Schema:
        schema = cls.__new__(cls)
        schema._engine = held
        schema._sha256 = sha256
        return schema

    @classmethod
    def load(cls, path: Paths) -> Schema:
        """The schema in a TOML file."""
        with open(path, "rb") as file:
            words = file.read()
        held = _engine.Schema.from_toml(words.decode("utf-8"), os.fspath(path))
        return cls._of(held, hashlib.sha256(words).hexdigest())

    def save(self, path: Paths) -> None:
        """Writes a TOML file that ``load`` and the program read."""
        with open(path, "x", encoding="utf-8") as file:
            file.write(self.to_toml())

    def to_toml(self) -> str:
        """The text of the file."""
        return self._engine.to_toml()

    def to_dict(self) -> Dict[str, Any]:
        """All keys, as the file would have them."""
        keys: Dict[str, Any] = json.loads(self._engine.to_json())
        return keys

    @property
    def name(self) -> str:
        """The data set's name; may be empty."""
        return self._engine.name

    @property
    def columns(self) -> List[str]:
        """The columns that are read as features."""
        return self._engine.columns

    @property
    def encoded_names(self) -> List[str]:
        """What a model has coefficients for."""
        return self._engine.encoded_names

    @property
    def target(self) -> Optional[str]:
        """The column that is predicted."""
        return self._engine.target

    @property
    def classes(self) -> List[str]:
        """The names of the target's classes, the negative one first; none for numbers."""
        return self._engine.classes

    @property
    def unit(self) -> Optional[str]:
        """The column whose values say which records are protected together."""
        return self._engine.unit

    @property
    def public_row_count(self) -> Optional[int]:
        """The declared number of records."""
        return self._engine.public_row_count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._engine.to_json() == other._engine.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        what = self.name or ", ".join(self.columns) or f"{self._engine.feature_count} features"
        return f"<tacet.Schema: {what}>"

    def __reduce__(self) -> Any:
        return _schema_of, (self._engine.to_json(), self._sha256)


def catalogue() -> List[str]:
    """The names of the schemas of public data sets that come with the package.

    >>> "adult" in catalogue(), __getattr__("adult")().public_row_count
    (True, 32561)
    """
    return sorted(entry.name[:-5] for entry in os.scandir(_CATALOGUE)
                  if entry.name.endswith(".toml"))


def __getattr__(name: str) -> Any:
    path = os.path.join(_CATALOGUE, f"{name}.toml")
    if name.startswith("_") or not os.path.exists(path):
        raise AttributeError(f"there is no schema or function {name!r} here")
    return lambda: Schema.load(path)


def _schema_of(words: str, sha256: str) -> Schema:
    return Schema._of(_engine.Schema.from_json(words), sha256)


copyreg.pickle(_engine.Schema, lambda held: (_engine.Schema.from_json, (held.to_json(),)))
