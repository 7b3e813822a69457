"""What the estimators share: from records and arguments to a model, and back to predictions."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any, ClassVar, Dict, List, Optional, Tuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_feature_names, _check_n_features

from . import _arguments, _declared, _docs, _engine, _paying, _records, _streams
from ._columns import unit_names
from ._blocks import Travels, belonging, mark_of
from ._boundary import of_the_caller
from ._evaluation import Evaluates
from ._fitted import Fitted
from ._options import LinearOptions, Progress
from ._reading import Table, warn_of_words
from ._signature import name_of
from ._told import Told
from .cluster import Asked, Parts
from .errors import DataError, UsageError
from .schemas import Schema

_LITTLE_NOISE = 50


def named_here(wide: bool) -> Dict[str, str]:
    """The engine's parameters by their names here."""
    return {name_of(entry): entry["name"] for entry in _engine.parameters(wide)}


class Linear(LinearOptions, Evaluates, Told, Fitted, Travels, BaseEstimator):  # type: ignore[misc]
    """What all estimators share."""

    _parameters: ClassVar[Dict[str, str]] = named_here(wide=False)
    _wide: ClassVar[bool] = False
    _fixed: ClassVar[Dict[str, str]] = {}  # what the class says and no argument
    _losses: ClassVar[Tuple[str, ...]] = ()
    _counts: ClassVar[bool] = False

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "__doc__" in vars(cls) and cls.__doc__ and not cls.__name__.startswith("_"):
            cls.__doc__ = _docs.documented(cls.__doc__, issubclass(cls, ClassifierMixin), cls._wide)
        if "__init__" not in vars(cls):  # one of its own, that errors name the class
            shared: Any = cls.__init__
            own = FunctionType(shared.__code__, shared.__globals__, closure=shared.__closure__)
            functools.update_wrapper(own, shared)
            del own.__wrapped__  # type: ignore[attr-defined]
            own.__kwdefaults__ = shared.__kwdefaults__
            own.__qualname__ = f"{cls.__qualname__}.__init__"
            cls.__init__ = own  # type: ignore[method-assign]

    # How a family differs.

    def _checked_target(self, y: Any, params: Dict[str, Any]) -> Any:
        raise NotImplementedError

    def _target_part(self, params: Dict[str, Any]) -> Any:
        raise NotImplementedError

    # Fitting.

    @belonging
    def fit(self, X: Any, y: Any = None, *, units: Any = None) -> Any:
        """Trains a model, and books what it costs.

        Parameters
        ----------
        X : array, sparse matrix, frame, Arrow table or stream, or tacet.Parts
            One record per row. With a schema of named columns a table that has them, or an array of
            the schema's columns in its order; or whatever exports an Arrow stream, which is read
            once, batch by batch, with its target and units among its columns. Parts stay where they
            are: only sums of their records come here, and their targets and units lie with them.
        y : array, optional
            The target; may be left out where ``X`` is a table that has its column.
        units : array, optional
            Values of the schema's unit column, if ``X`` does not have it.
        """
        if isinstance(X, Parts):
            return self._fit_over(X, y, units)
        _records.expect_records(X)
        params = self._resolved()
        made = self._aside()  # what was fitted before stays whole, also for other threads
        before = dict(vars(made))
        schema, rows, values = made._prepared(X, y, units, params)
        plan = self._planned(schema, values, params)
        context = self._context(schema, params)
        made.plan_ = plan.facts
        made._model = _engine.fit(plan, rows, context, self._watch(params))
        self._take(before, vars(made))
        return self

    def _fit_over(self, parts: Parts, y: Any, units: Any) -> Any:
        if y is not None or units is not None:
            raise UsageError("records in parts bring their targets and units along; leave y and "
                             "units out")
        params = self._resolved()
        made = self._aside()
        before = dict(vars(made))
        schema, plan = made._planned_over(parts, params)
        context = made._context(schema, params)
        made.plan_ = plan.facts
        with Asked(parts) as asked:
            made._model = _engine.fit_parts(plan, asked.engine, context, self._watch(params))
        made._remember(None)
        self._take(before, vars(made))
        return self

    def _planned_over(self, parts: Parts, params: Dict[str, Any]) -> Tuple[Schema, _engine.Plan]:
        schema = params["schema"]
        if schema is None:
            raise UsageError("records in parts are read on workers, by a schema: give one")
        if params["ledger"] is not None and not params["data_set"]:
            raise UsageError("data_set is missing: records in parts have no file, and no fingerprint "
                             "that a ledger could know them by; name their account")
        self._known_classes(schema)
        self._bounded = False
        values = self._values(schema, params, None)
        with _paying.explained(self.get_params(deep=False), params):
            return schema, _engine.plan_over_parts(
                schema._engine, values, len(parts), parts.whole)

    def plan(self, n_features: Optional[int] = None, *,
             parts: Optional[Parts] = None) -> Dict[str, Any]:
        """What ``fit`` would do and cost, from public facts alone: no record is read.

        ``n_features`` is for estimators that are given bounds and no schema. With ``parts``, the
        result tells how often they would be asked (``part_rounds``), how many bytes all answers of
        a round are at most (``round_bytes``), and about how many seconds the engine takes for a
        round in which nothing is summed (``engine_seconds``).
        """
        if _records.is_path(n_features):
            raise UsageError("a file's name was given, and plan reads no records: leave it out, or give the "
                             "number of columns, as in plan(3)")
        params = self._resolved()
        if parts is not None:
            _, plan = self._planned_over(parts, params)
            rounds, numbers = _engine.part_rounds(plan)
            return {**plan.facts, "part_rounds": rounds,
                    "round_bytes": 8 * numbers * len(parts),
                    "engine_seconds": parts._engine.round_seconds}
        schema = params["schema"]
        if schema is None:
            names = None
            if isinstance(params["bounds"], dict) and all(
                    isinstance(name, str) for name in params["bounds"]):
                names = list(params["bounds"])
                n_features = len(names)
            if not isinstance(n_features, (int, np.integer)):
                raise UsageError("n_features is missing, which a schema would say: give the number "
                                 "of columns, as in plan(3); plan reads no records")
            target = self._target_part(params)
            schema = _declared.made_schema(names, int(n_features), params, target)
        values = self._values(schema, params, None)
        facts: Dict[str, Any] = self._planned(schema, values, params).facts
        return facts

    def _planned(
        self, schema: Schema, values: Dict[str, str], params: Dict[str, Any]
    ) -> _engine.Plan:
        with _paying.explained(self.get_params(deep=False), params):
            return _engine.plan(schema._engine, values)

    def _resolved(self) -> Dict[str, Any]:
        """The arguments, with what the budget that pays decides."""
        params = self.get_params(deep=False)
        self._check(params)
        return _paying.resolved(params, mark_of(self))

    def _check(self, params: Dict[str, Any]) -> None:
        if params["epsilon"] is None:
            raise UsageError(
                "epsilon is missing: the bound on the privacy loss, which nobody but you can "
                "choose; 1 is usual, float('inf') trains without protection")
        if params["loss"] is not None and params["loss"] not in self._losses:
            raise UsageError(
                f"{type(self).__name__} minimises {', '.join(self._losses)}; got "
                f"{params['loss']!r}. LinearClassifier and LinearRegressor take every loss")
        schema = params["schema"]
        if schema is not None and not isinstance(schema, Schema):
            raise UsageError("schema must be a tacet.Schema; Schema.load(path) reads a file")
        if schema is None and params["bounds"] is None:
            raise UsageError(_declared.NO_BOUNDS)
        beside = ("bounds", "row_scaling", "intercept", "storage", "classes", "target_bounds")
        doubled = [name for name in beside if params[name] is not None]
        if schema is not None and doubled:
            raise UsageError(f"the schema says what {doubled[0]} would say; give one of both")
        _paying.check(params)

    def _prepared(
        self, X: Any, y: Any, units: Any, params: Dict[str, Any]
    ) -> Tuple[Schema, _engine.Rows, Dict[str, str]]:
        schema = params["schema"]
        X = _streams.opened(X)
        _streams.expect_alone(X, y=y, units=units)
        _arguments.expect_columns(y=y, units=units)
        if isinstance(X, _streams.Stream):
            self._expect_names(schema)
        if y is not None:
            y = self._checked_target(_arguments.one_column(y), params)
        if schema is not None and schema._engine.feature_count is None:
            self._note_columns(X, schema)
            if y is None and schema.target not in (_records.column_names(X) or ()):
                raise UsageError(
                    "requires y to be passed, but the target y is None, and X has no column of "
                    f"the schema's target '{schema.target}'")
        else:
            if y is None:
                raise UsageError(f"This {type(self).__name__} estimator requires y to be passed, "
                                 "but the target y is None.")
            X = self._numbers(X, y, reset=True)
        count = self._count_of(X, params)
        for name, beside in (("y", y), ("units", units)):
            if beside is not None and _records.length(beside) != count:
                raise DataError(f"X and {name} are of different lengths")
        self._bounded = schema is None
        if schema is None:
            names = getattr(self, "feature_names_in_", None)
            schema = _declared.made_schema(None if names is None else list(names), X.shape[1],
                                           params, self._target_part(params))
        else:
            self._known_classes(schema)
        values = self._values(schema, params, count)
        whole = params["ledger"] is not None
        return schema, self._rows(schema, X, y, units, whole), values

    def _count_of(self, X: Any, params: Dict[str, Any]) -> Optional[int]:
        """The number of records; None for a stream, which has to be given one that is public."""
        if not isinstance(X, _streams.Stream):
            return _records.length(X)
        count, schema = params["public_row_count"], params["schema"]
        if count == _declared.OBSERVED or count is None and schema.public_row_count is None:
            raise UsageError(
                "public_row_count is missing, which steps and delta depend on, and a stream does not "
                "say how many records it has: where their number is public give it; where it is not, "
                "give a public guess of its size")
        return None

    def _expect_names(self, schema: Optional[Schema]) -> None:
        """UsageError for a stream that is to be read as numbers without names."""
        if schema is None or schema._engine.feature_count is not None:
            raise UsageError(
                "the records of a stream are read by a schema of named columns: give schema=, or a "
                "table in place of the stream")

    def _numbers(self, X: Any, y: Any, reset: bool) -> Any:
        """X as numbers of the columns that were there before, unless they are to be set anew."""
        if _streams.is_stream(X):
            self._expect_names(None)
        names = None if _records.is_pandas(X) else _records.column_names(X)
        if names is None:
            _arguments.checked(_check_feature_names, self, X, reset=reset)
        elif reset:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        else:
            X = _records.chosen(X, getattr(self, "feature_names_in_", names))
        numbers = _records.numbers_of(X)
        _arguments.checked(_check_n_features, self, numbers, reset=reset)
        return numbers

    def _note_columns(self, X: Any, schema: Schema) -> None:
        """What an array at prediction has to have: X's columns without target and unit."""
        names = schema.columns if isinstance(X, Table) else _records.column_names(X)
        if names is None:
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = len(schema.columns)
            return
        read = [name for name in names if name not in (schema.target, schema.unit)]
        self.feature_names_in_ = np.asarray(read, dtype=object)
        self.n_features_in_ = len(read)

    def _rows(self, schema: Schema, X: Any, y: Any, units: Any, whole: bool) -> _engine.Rows:
        if schema._engine.feature_count is not None:
            if units is not None:
                raise UsageError("units need a schema of named columns with a unit column")
            return _records.numbered_rows(X, y)
        if not self._bounded:
            warn_of_words(schema, X, y)
        beside: Dict[str, Any] = {}
        if y is not None and schema.target is not None:
            beside[schema.target] = y
        if units is not None:
            if schema.unit is None:
                raise UsageError("units were given, but the schema has no unit; say Schema(unit=)")
            beside[schema.unit] = unit_names(units)
        wanted = list(schema.columns)
        if y is None and schema.target is not None:
            wanted.append(schema.target)
        if units is None and schema.unit is not None:
            wanted.append(schema.unit)
        return _records.table_rows(X, self._columns_of_arrays(schema), wanted, beside,
                                   schema._engine.dates, whole)

    def _columns_of_arrays(self, schema: Schema) -> List[str]:
        """As scikit-learn: an array has the columns that fit has seen, in their order."""
        names = getattr(self, "feature_names_in_", None)
        if self._bounded:
            return _declared.column_names(names, self.n_features_in_)
        return schema.columns if names is None else list(names)

    def _values(
        self, schema: Schema, params: Dict[str, Any], rows: Optional[int]
    ) -> Dict[str, str]:
        """The engine's parameters as texts, as the program's options are."""
        values = {
            engine: _arguments.option(params[name])
            for name, engine in self._parameters.items()
            if params[name] is not None and name not in ("public_row_count", "threads")
        }
        if params.get("knots", "auto") is None:  # said, as of no other argument
            values["knots"] = "none"
        if values.get("knots") == "auto":
            del values["knots"]
        values.update(self._fixed)
        if isinstance(params.get("group_column"), int):
            values["group-column"] = _declared.column_at(schema.columns, params["group_column"])
        if "loss" not in values and self._losses and self._usual_loss(schema):
            values["loss"] = self._usual_loss(schema)
        count = params["public_row_count"]
        if schema.unit is not None:
            rows = None
        if schema.unit is not None and (
                count == _declared.OBSERVED or count is None and schema.public_row_count is None):
            raise UsageError(
                "the schema protects units, and their number is not the number of rows: give "
                "public_row_count, the number of units where it is public, else a public guess of "
                "it; or put it into the schema")
        if count == _declared.OBSERVED and rows is None:
            raise UsageError("plan reads no records: give public_row_count as a number")
        if count == _declared.OBSERVED:
            _declared.declares("public_row_count", "the number of records is")
            count = rows
        if count is None and schema.public_row_count is None:
            adjacency = _engine.adjacency(schema._engine, values)
            if adjacency == "add_remove":
                with _paying.explained(self.get_params(deep=False), params):
                    raise UsageError(
                        "public_row_count is missing, which steps and delta depend on: where "
                        "the number of records is public give it, or public_row_count='observed' "
                        "to declare that the number of rows in these data is; where it is not, "
                        "give a public guess of its size")
            count = rows  # public by the adjacency's definition
        if count is not None:
            values["public-row-count"] = _arguments.option(count)
        return values

    def _usual_loss(self, schema: Schema) -> str:
        return ""

    def _context(self, schema: Schema, params: Dict[str, Any]) -> _engine.Context:
        return _paying.context_of(schema, params, mark_of(self))

    def _watch(self, params: Dict[str, Any]) -> Optional[Progress]:
        return of_the_caller(params["callback"]) or (_arguments.bar if params["verbose"] else None)

    # Predictions.

    def _read(self, X: Any) -> _engine.Rows:
        _records.expect_records(X)
        schema = Schema._of(self._model.schema)
        X = _streams.opened(X)
        if schema._engine.feature_count is not None:
            return _records.numbered_rows(self._numbers(X, None, reset=False), None)
        if self._bounded:
            X = self._numbers(X, None, reset=False)
        else:
            warn_of_words(schema, X)
            if hasattr(self, "feature_names_in_") and _records.column_names(X) is None:
                _arguments.checked(_check_feature_names, self, X, reset=False)  # warns
        return _records.table_rows(X, self._columns_of_arrays(schema), schema.columns, {},
                                   schema._engine.dates)

    def _warn_of_score(self) -> None:
        _arguments.warn_of_score()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        # A column to group by has a name, as those of tables have.
        tags.input_tags.sparse = self.get_params(deep=False).get("group_column") is None
        tags.input_tags.string = True  # by a schema; without one they are missing numbers
        tags.target_tags.required = True
        return tags

    def _is_noisy(self) -> bool:
        """Whether scikit-learn's small test sets are lost in noise."""
        epsilon = self.get_params(deep=False)["epsilon"]
        return epsilon is None or epsilon < _LITTLE_NOISE

