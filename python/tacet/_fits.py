"""How schemas come about that nobody wrote: fitted privately, or drafted from public records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

from . import _engine as engine
from ._boundary import boundary
from ._warn import warn_only
from .errors import UsageError
from .receipts import Receipt

if TYPE_CHECKING:
    from .budgets import Budget, Ledger
    from .schemas import Schema


class Fits:
    """What gives ``Schema`` its two makers."""

    _engine: engine.Schema
    #: The text of a draft's file with what a person has to answer.
    remarks: str = ""

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
        ignore: Sequence[str] = (),
        unit: str = "",
        max_records_per_unit: int = 1,
        coverage: float = 0.98,
        max_categories: int = 50,
        hashed_features: int = 4096,
        missing: Sequence[str] = (),
        public_row_count: Optional[int] = None,
        separator: str = ",",
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
        data : frame, Arrow table, mapping of columns, or path
            One record a row; the names of the columns are public. A path is that of a CSV file.
        epsilon, delta : float
            Of the whole schema; delta is 1e-6, or 0 where a budget pays that has none. With
            ``delta=0`` texts become hashed columns, which need no list.
        adjacency : str
            "add_remove", which serves "replace_one" too, or "zero_out".
        target : str
            Column to predict; ``positive`` is one of its two classes, else it is a number.
        ignore : sequence of str
            Columns that are not read; the others get more of the budget.
        unit : str
            Column whose value says whose record it is; ``max_records_per_unit`` of each count.
        coverage : float
            Share of a column's numbers between its bounds.
        max_categories, hashed_features : int
            The longest list, and the features of all hashed and text columns together.
        missing : sequence of str
            Further texts that stand for a missing value.
        public_row_count : int, optional
            Number of records, or a public guess of it, to write into the schema.
        separator, header
            Of a file; ``header=True`` vouches for a first line that looks like a record.
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
        from . import _spending, _tables
        from .schemas import Schema

        said = _said(target=target, positive=positive, ignored=list(ignore), unit=unit,
                     missing=list(missing), separator=separator)
        said.public_row_count = _spending.optional_count("public_row_count", public_row_count)
        said.header_declared = _vouched(header, data)
        fitting = engine.Fitting()
        fitting.max_records_per_unit = _spending.count("max_records_per_unit", max_records_per_unit)
        fitting.coverage = _spending.number("coverage", coverage)
        fitting.max_categories = _spending.count("max_categories", max_categories)
        fitting.max_hashed = _spending.count("hashed_features", hashed_features)
        paid = _spending.Paid(ledger, data_set, budget, random_state)
        asked = engine.Guarantee(_spending.number("epsilon", epsilon),
                                  _spending.delta(delta, 1e-6, paid, unit or "record"), adjacency)
        means = _spending.means(paid, unit or "record")
        held, not_found = engine.schema_fit(_tables.named_columns(data), said, fitting, asked,
                                             means)
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
        from . import _spending, _tables
        from .schemas import Schema

        if not public:
            raise UsageError(
                "a draft takes bounds and categories from the records, which would reveal them: "
                "say public=True if they are public, use Schema.fit, or write the schema from a "
                "codebook")
        said = _said(target=target, separator=separator)
        said.header_declared = _vouched(header, data)
        means = engine.Means()
        if ledger is not None:
            paid = _spending.Paid(ledger, data_set, None, None)
            means.payer = _spending.payer(paid, "record")
        held, remarks = engine.schema_draft(_tables.named_columns(data), said, means)
        schema = Schema._of(held)
        schema.remarks = remarks
        return schema

    @property
    def receipt(self) -> Optional[Receipt]:
        """What the fit of the schema cost; None where nothing was fitted."""
        found = engine.fit_receipt(self._engine)
        return None if found is None else Receipt(found)


def _vouched(header: Optional[bool], data: Any) -> bool:
    """Whether somebody says that the first line names columns."""
    from . import _tables

    if not _tables.is_path(data):
        return True
    if header is not None and not header:
        raise UsageError(
            "a file without a line of names would give its first record away as names: read it "
            "with names of your own (pandas.read_csv(file, names=[...])) and hand over the frame")
    return bool(header)


def _said(**keys: Any) -> engine.Said:
    said = engine.Said()
    for key, value in keys.items():
        if key not in ("ignored", "missing") and not isinstance(value, str):
            raise UsageError(f"{key} must be a text, got {value!r}")
        setattr(said, key, value)
    return said
