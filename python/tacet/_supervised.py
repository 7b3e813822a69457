"""What all classifiers and all regressors have, linear and wide ones: targets, predictions, scores."""

from __future__ import annotations

from typing import Any, Dict, Sequence

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from . import _declared, _engine
from ._boundary import boundary
from ._columns import holds_integers, holds_text
from ._linear import Linear
from ._warn import warn
from .errors import DataError, UsageError
from .schemas import Schema


class Classifier(ClassifierMixin, Linear):  # type: ignore[misc]
    def _checked_target(self, y: Any, params: Dict[str, Any]) -> Any:
        classes = params["classes"]
        if params["schema"] is not None:
            _expect_labels(y, params["schema"].classes, "a schema whose classes are {}")
            return y
        if classes is None:
            raise UsageError(
                "classes is missing: the list of labels, which is public, of two the positive one "
                "last; or classes='observed' to declare that the set of labels in y is public")
        if not isinstance(classes, str) or classes != _declared.OBSERVED:
            self.classes_ = _declared.listed_classes(classes)
            _expect_labels(y, [_declared.spelled(label) for label in self.classes_],
                           "classes=range({})")
            _tell_of_texts(y, self.classes_)
            return y
        _declared.declares("classes", "the set of labels is")
        self.classes_ = _declared.observed_classes(y)
        if len(self.classes_) > 2 and params.get("method", "auto") not in _MANY_OUTPUTS:
            raise UsageError(
                "Only binary classification is supported. The type of the target is "
                f"multiclass. Method {params['method']} is proved for one output alone")
        return y

    def _target_part(self, params: Dict[str, Any]) -> Any:
        classes = params["classes"]
        if isinstance(classes, str) or classes is None:  # fit has observed them
            classes = getattr(self, "classes_", None)
        if classes is None:
            raise UsageError("plan reads no records: give the classes as a list")
        return lambda column: _declared.class_target(column, list(classes))

    def _known_classes(self, schema: Schema) -> None:
        if not schema.classes:
            raise UsageError(
                f"{type(self).__name__} is for classes; the schema's target is a number")
        self.classes_ = _declared.class_values(schema.classes)

    @boundary
    def decision_function(self, X: Any) -> Any:
        """The margin of each class, or of two classes that of the second one."""
        now = self._as_fitted()
        margins = now._model.margins(now._read(X))
        return margins.ravel() if margins.shape[1] == 1 else margins

    @boundary
    def predict(self, X: Any) -> Any:
        """The class of each record."""
        now = self._as_fitted()
        return now.classes_[now._model.predictions(now._read(X)).ravel().astype(np.intp)]

    @boundary
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """scikit-learn's score: exact, so that it tells about the records; nothing is booked."""
        self._warn_of_score()
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._is_noisy()
        method = self.get_params(deep=False).get("method", "auto")
        tags.classifier_tags.multi_class = method in _MANY_OUTPUTS
        return tags


def _expect_labels(y: Any, words: Sequence[str], way: str) -> None:
    """DataError where the type says integers and the classes are texts: somebody has counted
    them, and which one is which is not guessed."""
    count = len(words)
    if count < 2 or not holds_integers(y) or sum(map(_declared.is_number, words)) > 1:
        return
    said = way.format(count if way.endswith("({})") else " and ".join(f'"{k}"' for k in range(count)))
    raise DataError(
        "y holds integers, and the classes are texts. VotingClassifier, StackingClassifier, "
        "BaggingClassifier and cross_val_predict(method=\"predict_proba\") hand on numbers for the "
        f"labels, which count these in sorted order from 0 on: give {said} there; they give the "
        "labels back")


def _tell_of_texts(y: Any, classes: Any) -> None:
    """A warning where the type says texts and the classes are numbers. Texts may spell numbers, and
    whether these do is private."""
    if holds_text(y) and classes.dtype.kind in "iuf":
        warn("y holds texts, and the classes are numbers: a text that spells none of them counts as the "
             "first one. If your labels are words, list these as classes", UserWarning)


# Methods that several classes at once are proved for.
_MANY_OUTPUTS = tuple(_engine.methods_of_several_classes())

# Its sampler is proved for a penalty of at least beta / (10^(6/d) - 1): the very minimiser with the
# least one, without any noise, has an R2 below 0.3 where ten columns weigh the same.
_PENALISED = "inverse-sensitivity"


def _gives_probabilities(estimator: Any) -> bool:
    """Models of the squared loss, which adassp fits, give none."""
    model = getattr(estimator, "_model", None)
    if model is not None:
        return bool(model.has_probabilities)
    return bool(estimator.get_params(deep=False).get("method") != "adassp")


class Probabilities:
    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    @boundary
    def predict_proba(self: Any, X: Any) -> Any:
        """The probability of each class."""
        now = self._as_fitted()
        return now._model.probabilities(now._read(X))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    @boundary
    def predict_log_proba(self: Any, X: Any) -> Any:
        """Its logarithm."""
        return np.log(self.predict_proba(X))


class Regressor(RegressorMixin, Linear):  # type: ignore[misc]
    def _checked_target(self, y: Any, params: Dict[str, Any]) -> Any:
        if params["schema"] is None and holds_text(y):
            raise DataError("y must hold numbers, and its type is one of texts")
        return y

    def _target_part(self, params: Dict[str, Any]) -> Any:
        return lambda column: _declared.number_target(column, params["target_bounds"], self._counts)

    def _known_classes(self, schema: Schema) -> None:
        if schema.classes:
            raise UsageError(
                f"{type(self).__name__} is for numbers; the schema's target has classes")

    def _of_outputs(self, values: Any) -> Any:
        return float(values[0]) if np.ndim(values) == 1 and not isinstance(values, list) \
            else values[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        method = self.get_params(deep=False).get("method", "auto")
        tags.regressor_tags.poor_score = self._is_noisy() or method == _PENALISED
        tags.target_tags.positive_only = self._counts
        return tags

    @boundary
    def predict(self, X: Any) -> Any:
        """The number that is expected of each record, within the target's bounds."""
        now = self._as_fitted()
        return now._model.predictions(now._read(X)).ravel()

    @boundary
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """scikit-learn's score: exact, so that it tells about the records; nothing is booked."""
        self._warn_of_score()
        return float(super().score(X, y, sample_weight))
