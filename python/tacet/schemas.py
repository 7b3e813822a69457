"""Schemas as objects: what is public about records, and how they become bounded numbers."""

from __future__ import annotations

import copyreg
import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _engine, _fits, _reports
from ._boundary import boundary
from ._parts import (
    Part, binary, categorical, count, crossed, date, hashed, ids, ignored, listed, multiclass,
    number, numbered, numeric, part_of, probability, text)
from ._warn import warn_only
from .errors import UsageError
from .receipts import Receipt

if TYPE_CHECKING:
    from .budgets import Budget, Ledger

__all__ = ["Part", "Schema", "binary", "catalogue", "categorical", "count", "crossed", "date",
           "hashed", "ids", "ignored", "multiclass", "number", "numbered", "numeric", "probability",
           "text"]
Paths = Union[str, "os.PathLike[str]"]
_CATALOGUE = os.path.join(os.path.dirname(__file__), "catalogue")


class Schema:
    """What is public about records.

    Parameters
    ----------
    columns : list
        What ``numeric``, ``categorical`` and the others make, one for each column that is read.
    target : optional
        What ``binary``, ``multiclass``, ``number``, ``count`` or ``probability`` makes.
    features : optional
        In place of ``columns``: what ``numbered`` makes, for features without names.
    public_row_count : int, optional
        The number of records, if it is public; with ``unit`` the number of units.
    unit : str, optional
        The column that says whose record it is: all records of a unit are protected together.
    row_scaling : str, optional
        "clip1" (the default) shortens rows that are longer than 1. "const" divides all rows by
        the largest norm that the schema allows, which ``coef_`` needs.
    intercept : bool, optional
        Whether there is a constant; by default there is.
    interactions : list of pairs, optional
        Pairs of categorical columns: a feature for each two of their categories.
    missing : list of str, optional
        Texts that stand for a missing value.
    format : dict, optional
        How a file is written, with the keys of ``[format]``.
    storage : str, optional
        "auto", "dense" or "sparse"; the result is the same.
    name, description : str, optional
        For people.
    version, constant : optional
        Written by tacet.

    Examples
    --------
    >>> schema = Schema([numeric("age", 17, 90), categorical("sex", ["Female", "Male"])],
    ...                 target=binary("income", positive=">50K"), public_row_count=32561)
    >>> schema.encoded_names
    ['age', 'sex=Female', 'sex=Male', '(intercept)']
    """

    #: The text of a draft's file with what a person has to answer.
    remarks: str = ""

    def __init__(
        self,
        columns: Sequence[Part] = (),
        *,
        target: Optional[Part] = None,
        features: Optional[Part] = None,
        format: Optional[Part] = None,  # noqa: A002
        version: Optional[int] = None,
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
        if not all(isinstance(part, Mapping) for part in listed("columns", columns)):
            raise UsageError("columns is a list of what numeric, categorical and the others make")
        keys = part_of(
            column=list(columns) or None, target=target, features=features, format=format,
            version=version, name=name, description=description, intercept=intercept,
            constant=constant, row_scaling=row_scaling, storage=storage,
            missing=None if missing is None else listed("missing", missing),
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

    @staticmethod
    @boundary
    def fit(
        data: Any,
        *,
        epsilon: float,
        delta: Optional[float] = None,
        adjacency: str = "add_remove",
        target: str = "",
        positive: str = "",
        classes: Sequence[str] = (),
        target_kind: str = "number",
        ignore: Sequence[str] = (),
        categorical: Sequence[str] = (),
        numeric: Sequence[str] = (),
        dates: Sequence[str] = (),
        unit: str = "",
        max_records_per_unit: int = 1,
        coverage: float = 0.98,
        max_categories: int = 50,
        hashed_features: int = 4096,
        decimal: str = "",
        thousands: str = "",
        symbols: Sequence[str] = (),
        date_format: str = "",
        encoding: str = "",
        comment: str = "",
        missing: Sequence[str] = (),
        public_row_count: Optional[int] = None,
        separator: str = "",
        header: Optional[bool] = None,
        ledger: Optional[Ledger] = None,
        data_set: Optional[str] = None,
        budget: Optional[Budget] = None,
        random_state: Any = None,
    ) -> Schema:
        """Takes bounds and categories from private records, for a part of the budget.

        Each column gets an equal share of epsilon and delta. What this costs stands in the schema,
        and whatever is computed with it carries it along. A schema written from a codebook costs
        nothing: prefer it where there is one.

        Parameters
        ----------
        data : frame, Arrow table or stream, mapping of columns, or path
            One record per row; the names of the columns are public. A path is that of a CSV file.
        epsilon, delta : float
            Of the whole schema; delta is 1e-6, or 0 where a budget pays that has none. With
            ``delta=0`` texts become hashed columns, which need no list.
        adjacency : str
            "add_remove", which serves "replace_one" too, or "zero_out".
        target : str
            Column to predict; ``positive`` is one of its two classes, spelt exactly as in the
            data, ``classes`` are three or more, else it is a number of the kind ``target_kind``: "number", "count" or
            "probability".
        ignore : sequence of str
            Columns that are not read; the others get more of the budget.
        categorical, numeric, dates : sequence of str
            Columns whose numbers are codes, that are numbers although their names look like a
            code's, and that hold dates.
        unit : str
            Column whose value says whose record it is; ``max_records_per_unit`` of each count.
        coverage : float
            Share of a column's numbers between its bounds.
        max_categories, hashed_features : int
            The longest list, and the features of all hashed and text columns together.
        decimal, thousands, symbols, date_format : str, str, sequence of str, str
            How numbers and dates are spelt, as the keys of a schema have it: ",", ".", ["$"],
            "%d.%m.%Y".
        encoding, comment : str
            Of a file: its characters ("utf-8", "latin-1", "windows-1252", "utf-16"), and the
            character that comment lines begin with.
        missing : sequence of str
            Further texts that stand for a missing value.
        public_row_count : int, optional
            Number of records, or a public guess of it, to write into the schema.
        separator, header
            Of a file; by default the character that cuts its line of names. ``header=True``
            vouches for a first line that looks like a record.
        ledger, data_set, budget, random_state
            Who pays, and a seed, as of estimators.

        Returns
        -------
        Schema
            ``receipt`` is that of the fit. A column that the budget was too small for is ignored,
            and a warning says what it would take.

        Examples
        --------
        >>> import numpy as np, tacet
        >>> people = {"age": np.arange(9000) % 60 + 20, "town": ["Rome", "Oslo"] * 4500}
        >>> schema = tacet.Schema.fit(people, epsilon=2, public_row_count=9000)
        >>> schema.columns
        ['age', 'town']
        >>> schema.receipt.guarantee["epsilon"] <= 2
        True
        """
        from . import _spending, _tables  # they take schemas

        said = _fits.said(
            _fits.spelling(decimal=decimal, thousands=thousands, symbols=symbols,
                           date_format=date_format, encoding=encoding, comment=comment,
                           missing=missing),
            target=target, positive=positive, classes=classes, target_kind=target_kind,
            ignored=ignore, codes=categorical, numbers=numeric, dates=dates, unit=unit,
            separator=separator)
        said.public_row_count = _spending.optional_count("public_row_count", public_row_count)
        said.header_declared = _fits.vouched(header, data)
        fitting = _engine.Fitting()
        fitting.max_records_per_unit = _spending.count("max_records_per_unit", max_records_per_unit)
        fitting.coverage = _spending.number("coverage", coverage)
        fitting.max_categories = _spending.count("max_categories", max_categories)
        fitting.max_hashed = _spending.count("hashed_features", hashed_features)
        paid = _spending.Paid(ledger, data_set, budget, random_state)
        asked = _engine.Guarantee(_spending.number("epsilon", epsilon),
                                   _spending.delta(delta, 1e-6, paid, unit or "record"), adjacency)
        context = _spending.context(paid, unit or "record")
        held, not_found = _engine.schema_fit(
            _tables.named_columns(data, passes="several" if unit else "once"), said, fitting, asked,
            context)
        for sentence in not_found:
            warn_only(sentence, UserWarning)
        return Schema._of(held)

    @staticmethod
    @boundary
    def draft(
        data: Any,
        *,
        public: bool = False,
        target: str = "",
        decimal: str = "",
        thousands: str = "",
        symbols: Sequence[str] = (),
        date_format: str = "",
        encoding: str = "",
        comment: str = "",
        missing: Sequence[str] = (),
        separator: str = "",
        header: Optional[bool] = None,
        ledger: Optional[Ledger] = None,
        data_set: Optional[str] = None,
    ) -> Schema:
        """A first schema from records that are declared public; review every bound and list.

        Bounds and categories are read off the values, which reveals the records: they have to be
        public, an older release, a published sample, or invented.

        Parameters
        ----------
        data : frame, Arrow table, mapping of columns, or path
            Public records; a path is that of a CSV file.
        public : bool
            Has to be True: the owner's word that the records need no protection.
        target : str
            Column to predict.
        decimal, thousands, symbols, date_format, encoding, comment, missing
            As of ``fit``; by default what fits the values.
        separator, header
            Of a file, by default those that fit; ``header=True`` vouches for its first line.
        ledger, data_set
            The account of a file that has one, which then has to allow it.

        Returns
        -------
        Schema
            ``remarks`` is the text of its file with what a person has to answer.

        Examples
        --------
        >>> import tacet
        >>> invented = {"age": [20, 30, 90], "town": ["Rome", "Oslo", "Rome"]}
        >>> tacet.Schema.draft(invented, public=True).to_dict()["column"][0]["upper"]
        90.0
        """
        from . import _spending, _tables  # they take schemas

        if not public:
            raise UsageError(
                "a draft takes bounds and categories from the records, which would reveal them: "
                "say public=True if they are public, use Schema.fit, or write the schema from a "
                "codebook")
        said = _fits.said(
            _fits.spelling(decimal=decimal, thousands=thousands, symbols=symbols,
                           date_format=date_format, encoding=encoding, comment=comment,
                           missing=missing),
            target=target, separator=separator)
        said.header_declared = _fits.vouched(header, data)
        context = _engine.Context()
        if ledger is not None:
            paid = _spending.Paid(ledger, data_set, None, None)
            context.payer = _spending.payer(paid, "record")
        held, remarks = _engine.schema_draft(_tables.named_columns(data), said, context)
        schema = Schema._of(held)
        schema.remarks = remarks
        return schema

    @property
    def receipt(self) -> Optional[Receipt]:
        """What the fit of the schema cost; None where nothing was fitted."""
        found = _engine.fit_receipt(self._engine)
        return None if found is None else Receipt(found)

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

    def _repr_html_(self) -> str:
        said = self.to_dict()
        rows: List[Tuple[str, Any]] = [
            (key, said[key]) for key in ("name", "description", "public_row_count", "unit")
            if key in said]
        rows += [("target", said["target"])] if "target" in said else []
        rows += [(str(column.get("name", "")),
                  {key: value for key, value in column.items() if key != "name"})
                 for column in said.get("column", [])]
        receipt = self.receipt
        fitted = "" if receipt is None else _reports.shown([receipt._reported()], None, "promise")
        return fitted + _reports.table(rows)

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
