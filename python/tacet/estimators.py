"""Private linear models as scikit-learn's estimators."""

from __future__ import annotations

from ._arguments import public_evaluation
from ._supervised import Classifier, Probabilities, Regressor
from .schemas import Schema

__all__ = ["HuberRegressor", "LinearClassifier", "LinearRegressor", "LinearSVC",
           "LogisticRegression", "PoissonRegressor", "QuantileRegressor", "Ridge",
           "public_evaluation"]


class LogisticRegression(Probabilities, Classifier):
    """Private logistic regression.

    >>> import numpy as np
    >>> X, y = np.array([[0.1], [0.9]] * 500), np.array(["no", "yes"] * 500)
    >>> model = LogisticRegression(epsilon=1, bounds=(0, 1), classes=["no", "yes"],
    ...                            public_row_count=1000).fit(X, y)
    >>> model.predict([[0.05], [0.95]]).tolist()
    ['no', 'yes']
    """

    _losses = ("logistic", "softmax")


class LinearSVC(Classifier):
    """A private linear support vector machine.

    >>> LinearSVC(epsilon=1).loss is None  # the smoothed hinge
    True
    """

    _losses = ("smoothed_hinge", "hinge", "power_hinge", "linearised_power_hinge")

    def _usual_loss(self, schema: Schema) -> str:
        return self._losses[0]


class Ridge(Regressor):
    """Private least squares.

    >>> import numpy as np
    >>> X = np.tile([[0.1], [0.9]], (500, 1))
    >>> model = Ridge(epsilon=1, bounds=(0, 1), target_bounds=(0, 10), public_row_count=1000)
    >>> model.fit(X, 10 * X.ravel()).predict([[0.5]]).shape
    (1,)
    """

    _losses = ("squared",)


class HuberRegressor(Regressor):
    """Private regression with Huber's loss, or one like it.

    >>> HuberRegressor(epsilon=1).epsilon
    1
    """

    _losses = ("huber", "pseudo_huber", "log_cosh")

    def _usual_loss(self, schema: Schema) -> str:
        return self._losses[0]


class QuantileRegressor(Regressor):
    """Private quantile regression; ``loss_parameter`` is the quantile.

    >>> QuantileRegressor(epsilon=1, loss_parameter=0.9).loss_parameter
    0.9
    """

    _losses = ("pinball", "smoothed_pinball", "absolute", "smoothed_absolute")

    def _usual_loss(self, schema: Schema) -> str:
        return self._losses[0]


class PoissonRegressor(Regressor):
    """Private Poisson regression of counts up to a public bound.

    >>> PoissonRegressor(epsilon=1, target_bounds=(0, 40)).target_bounds
    (0, 40)
    """

    _losses = ("poisson", "extended_poisson")
    _counts = True


class LinearClassifier(Classifier):
    """A private linear model of classes, with any loss for these.

    >>> LinearClassifier(epsilon=1, loss="power_hinge").loss
    'power_hinge'
    """

    _losses = ("logistic", "softmax", "hinge", "smoothed_hinge", "power_hinge",
               "linearised_power_hinge")


class LinearRegressor(Regressor):
    """A private linear model of numbers, with any loss for these.

    >>> LinearRegressor(epsilon=1, loss="log_cosh").loss
    'log_cosh'
    """

    _losses = ("squared", "huber", "absolute", "smoothed_absolute", "pinball", "smoothed_pinball",
               "power_regression", "linearised_power_regression", "epsilon_insensitive",
               "smoothed_epsilon_insensitive", "squared_epsilon_insensitive", "pseudo_huber",
               "log_cosh", "soft_logistic")
