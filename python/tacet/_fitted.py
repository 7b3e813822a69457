"""What a fitted estimator is beside its arguments: all of it at once, and kept in a file."""

from __future__ import annotations

import copyreg
import os
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _declared, _engine, _plots, _reports
from ._parts import listed
from ._reports import Reports
from .schemas import Schema

Paths = Union[str, "os.PathLike[str]"]


class Fitted(Reports):
    """What gives estimators ``save``, and a state that changes at once."""

    _model: _engine.Model
    _bounded = False  # fitted to an array by one pair of bounds a column

    def _aside(self) -> Any:
        """This estimator as it is now, which another thread may be fitting again."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def _as_fitted(self) -> Any:
        """The same for predictions; NotFittedError where there is nothing to predict by."""
        now = self._aside()
        check_is_fitted(now)
        return now

    def _take(self, before: Dict[str, Any], made: Dict[str, Any]) -> None:
        """What has changed, in one assignment: other threads see all of it or nothing."""
        kept = {name: value for name, value in dict(self.__dict__).items()
                if name in made or name not in before}
        changed = {name: value for name, value in made.items()
                   if name not in before or value is not before[name]}
        self.__dict__ = {**kept, **changed}

    def save(self, path: Paths, *, overwrite: bool = False) -> None:
        """Writes the model file that ``tacet predict`` and ``tacet.load`` read."""
        now = self._as_fitted()
        now._model.save(os.fspath(path), overwrite, now._form())

    def _reported(self) -> Tuple[str, bytes]:
        now = self._as_fitted()
        return "model", now._model.to_bytes(now._form())

    def _repr_mimebundle_(self, **more: Any) -> Dict[str, Any]:
        """scikit-learn's, and of a fitted estimator what the model says in its place."""
        bundle: Dict[str, Any] = super()._repr_mimebundle_(**more)  # type: ignore[misc]
        if "text/html" in bundle and isinstance(vars(self).get("_model"), _engine.Model):
            bundle["text/html"] = _reports.shown([self._reported()], None, "promise", "model")
        return bundle

    @property
    def _repr_html_(self) -> Any:
        plain = super()._repr_html_  # type: ignore[misc]  # AttributeError where texts are asked for
        if not isinstance(vars(self).get("_model"), _engine.Model):
            return plain
        return lambda: _reports.shown([self._reported()], None, "promise", "model")

    def plot(self, axes: Any = None) -> Any:
        """What the columns add that stand out from privacy's noise, drawn with matplotlib.

        The bands and intervals are those of privacy's noise (95 %). Of a model by
        ``method="inference"`` the coefficients with their intervals.

        Parameters
        ----------
        axes : axes of matplotlib, or an array or list of them
            At least one a panel; by default those of a new figure.

        Returns
        -------
        list of axes
            Those drawn on. A UsageError where matplotlib is missing.
        """
        numbers = _reports.numbers([self._reported()], None, "model")
        if _plots.has_coefficients(numbers):
            return _plots.draw_coefficients(numbers, axes)
        return _plots.draw_panels(numbers, None, axes)

    def plot_effects(self, columns: Sequence[str], axes: Any = None) -> Any:
        """The same of these columns, a panel each; of several classes a panel for each class."""
        return _plots.draw_panels(
            _reports.numbers([self._reported()], None, "model"), columns, axes)

    def to_c(self) -> str:
        """The model as one file of C99: the text that ``tacet export --format c`` writes.

        It has a structure of the columns, ``tacet_margins`` and ``tacet_predict``, and needs no
        library but libm. Free text and columns of several ids raise ``UsageError``: ``to_onnx``
        holds them.
        """
        return self._exported("c")

    def to_sql(self, *, dialect: str = "sqlite", table: str = "records",
               keep: Sequence[str] = ()) -> str:
        """The model as one query that scores a table: as ``tacet export --format sql`` writes it.

        Parameters
        ----------
        dialect : {"sqlite", "postgresql", "duckdb"}
        table : str
            The table with the schema's columns; a dot ends the name of a database schema.
        keep : sequence of str
            Columns of the table that the result repeats, such as a key.
        """
        return self._exported("sql", dialect, table, keep)

    def to_onnx(self) -> Any:
        """The model as an ``onnx.ModelProto``, checked; needs the package ``onnx``.

        Opset 17 and ``ai.onnx.ml`` 3, in doubles. The inputs have the names of the schema's columns
        and the shape ``[N, 1]``: numbers as doubles, missing ones as NaN, dates as days since
        1970-01-01, categories as strings, hashed columns as the number of their bucket
        (``tacet.export.bucket``), words and ids as ``[N, K]`` such numbers with -1 behind the last. The
        outputs are ``label``, ``probabilities`` and ``margin``; of a regressor ``prediction`` and
        ``margin``. Chosen features and projected rows raise ``UsageError``.
        """
        from .export import model_to_onnx

        return model_to_onnx(self._as_fitted()._model)

    def _exported(self, format: str, dialect: str = "sqlite", table: str = "records",
                  keep: Sequence[str] = ()) -> str:
        text: str = self._as_fitted()._model.exported(
            format, dialect, table, listed("keep", keep))
        return text

    def _form(self) -> Optional[_engine.PythonForm]:
        """How records are read, where it is not what ``_remember`` takes from the model alone."""
        plain: Any = object.__new__(type(self))
        plain._model = self._model
        plain._remember(None)
        names = getattr(self, "feature_names_in_", None)
        kinds = [_declared.class_types(getattr(one, "classes_", ())) for one in (self, plain)]
        form = _engine.PythonForm()
        form.columns = None if names is None else [str(name) for name in names]
        form.numbers = self._bounded and self._is_named()
        form.class_types = [] if kinds[0] == kinds[1] else kinds[0]
        usual = getattr(plain, "feature_names_in_", None)
        is_usual = form.columns == (None if usual is None else list(usual))
        return None if is_usual and not form.numbers and not form.class_types else form

    def _remember(self, form: Optional[_engine.PythonForm]) -> None:
        """How records were read at the fit, from a model file: by default as the program reads."""
        schema = Schema._of(self._model.schema)
        names = form.columns if form is not None else schema.columns if self._is_named() else None
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        count = schema._engine.feature_count
        known = schema.columns if names is None else names
        self.n_features_in_ = len(known) if count is None else count
        self._bounded = form is not None and form.numbers
        classes = self._model.classes
        if classes and form is not None and form.class_types:
            self.classes_ = _declared.typed_classes(classes, form.class_types)
        elif classes:
            self.classes_ = _declared.class_values(classes)

    def _is_named(self) -> bool:
        """Whether the columns have names in the schema."""
        return self._model.schema.feature_count is None


def _model_of(words: bytes) -> _engine.Model:
    return _engine.Model.from_bytes(words, "a pickled model")


copyreg.pickle(_engine.Model, lambda model: (_model_of, (model.to_bytes(),)))
