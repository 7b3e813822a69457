"""Private linear models as scikit-learn's estimators."""

from __future__ import annotations

import copyreg
import os
from typing import Any, Dict

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from . import _declared, _engine
from ._arguments import public_evaluation
from ._columns import holds_text
from ._boundary import boundary
from ._fitted import Paths
from ._linear import Linear
from .errors import DataError, UsageError
from .schemas import Schema

__all__ = ["HuberRegressor", "LinearClassifier", "LinearRegressor", "LinearSVC",
           "LogisticRegression", "PoissonRegressor", "QuantileRegressor", "Ridge", "load",
           "public_evaluation"]


class _Classifier(ClassifierMixin, Linear):  # type: ignore[misc]
    def _checked_target(self, y: Any, params: Dict[str, Any]) -> Any:
        classes = params["classes"]
        if params["schema"] is not None:
            return y
        if classes is None:
            raise UsageError(
                "classes is missing: the list of labels, which is public, of two the positive one "
                "last; or classes='observed' to declare that the set of labels in y is public")
        if not isinstance(classes, str) or classes != _declared.OBSERVED:
            self.classes_ = _declared.listed_classes(classes)
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


# Methods that several classes at once are proved for.
_MANY_OUTPUTS = ("auto", "gradient", "output", "phased", "adassp")

# Its sampler is proved for a penalty of at least beta / (10^(6/d) - 1): the very minimiser with the
# least one, without any noise, has an R2 below 0.3 where ten columns weigh the same.
_PENALISED = "inverse-sensitivity"


def _gives_probabilities(estimator: Any) -> bool:
    """Models of the squared loss, which adassp fits, give none."""
    model = getattr(estimator, "_model", None)
    if model is not None:
        return bool(model.has_probabilities)
    return bool(estimator.get_params(deep=False).get("method") != "adassp")


class _Probabilities:
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


class _Regressor(RegressorMixin, Linear):  # type: ignore[misc]
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


class LogisticRegression(_Probabilities, _Classifier):
    """Private logistic regression.

    >>> import numpy as np
    >>> X, y = np.array([[0.1], [0.9]] * 500), np.array(["no", "yes"] * 500)
    >>> model = LogisticRegression(epsilon=1, bounds=(0, 1), classes=["no", "yes"],
    ...                            public_row_count=1000).fit(X, y)
    >>> model.predict([[0.05], [0.95]]).tolist()
    ['no', 'yes']
    """

    _losses = ("logistic", "softmax")


class LinearSVC(_Classifier):
    """A private linear support vector machine.

    >>> LinearSVC(epsilon=1).loss is None  # the smoothed hinge
    True
    """

    _losses = ("smoothed_hinge", "hinge", "power_hinge", "linearised_power_hinge")

    def _usual_loss(self, schema: Schema) -> str:
        return self._losses[0]


class Ridge(_Regressor):
    """Private least squares.

    >>> import numpy as np
    >>> X = np.tile([[0.1], [0.9]], (500, 1))
    >>> model = Ridge(epsilon=1, bounds=(0, 1), target_bounds=(0, 10), public_row_count=1000)
    >>> model.fit(X, 10 * X.ravel()).predict([[0.5]]).shape
    (1,)
    """

    _losses = ("squared",)


class HuberRegressor(_Regressor):
    """Private regression with Huber's loss, or one like it.

    >>> HuberRegressor(epsilon=1).epsilon
    1
    """

    _losses = ("huber", "pseudo_huber", "log_cosh")

    def _usual_loss(self, schema: Schema) -> str:
        return self._losses[0]


class QuantileRegressor(_Regressor):
    """Private quantile regression; ``loss_parameter`` is the quantile.

    >>> QuantileRegressor(epsilon=1, loss_parameter=0.9).loss_parameter
    0.9
    """

    _losses = ("pinball", "smoothed_pinball", "absolute", "smoothed_absolute")

    def _usual_loss(self, schema: Schema) -> str:
        return self._losses[0]


class PoissonRegressor(_Regressor):
    """Private Poisson regression of counts up to a public bound.

    >>> PoissonRegressor(epsilon=1, target_bounds=(0, 40)).target_bounds
    (0, 40)
    """

    _losses = ("poisson", "extended_poisson")
    _counts = True


class LinearClassifier(_Classifier):
    """A private linear model of classes, with any loss for these.

    >>> LinearClassifier(epsilon=1, loss="power_hinge").loss
    'power_hinge'
    """

    _losses = ("logistic", "softmax", "hinge", "smoothed_hinge", "power_hinge",
               "linearised_power_hinge")


class LinearRegressor(_Regressor):
    """A private linear model of numbers, with any loss for these.

    >>> LinearRegressor(epsilon=1, loss="log_cosh").loss
    'log_cosh'
    """

    _losses = ("squared", "huber", "absolute", "smoothed_absolute", "pinball", "smoothed_pinball",
               "power_regression", "linearised_power_regression", "epsilon_insensitive",
               "smoothed_epsilon_insensitive", "squared_epsilon_insensitive", "pseudo_huber",
               "log_cosh", "soft_logistic")


def load(path: Paths) -> Any:
    """A fitted estimator of any model file of the program, linear or wide.

    It predicts, and tells what it cost; fitting it again needs its arguments.

    >>> import numpy as np, tempfile
    >>> model = Ridge(epsilon=1, bounds=(0, 1), target_bounds=(0, 1), public_row_count=100)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> model.fit(np.ones((100, 1)), np.ones(100)).save(path)
    >>> load(path).receipt_.to_json() == model.receipt_.to_json()
    True
    """
    model = _engine.Model.load(os.fspath(path))
    schema = Schema._of(model.schema)
    has_classes = bool(model.classes)
    kind: Any = LinearRegressor
    if model.architecture is not None:
        from . import wide

        kind = wide.WideClassifier if has_classes else wide.WideRegressor
    elif has_classes:
        kind = LogisticRegression if model.has_probabilities else LinearClassifier
    estimator = kind(schema=schema, loss=model.loss if has_classes else None)
    estimator._model = model
    estimator._remember(model.python)
    return estimator


def _model_of(words: bytes) -> _engine.Model:
    return _engine.Model.from_bytes(words, "a pickled model")


copyreg.pickle(_engine.Model, lambda model: (_model_of, (model.to_bytes(),)))
