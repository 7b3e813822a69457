#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Losses of linear predictors: convex scalar functions of a prediction u = <w, x> and a label y.
///
/// Classification labels are -1 and +1; regression labels lie in [-1, 1]. `slope` is the
/// derivative in u, at a kink a fixed element of the subdifferential, so that two runs at the same
/// weights take the same step.
namespace tacet::model {

/// ln(1 + e^{-yu}).
struct LogisticLoss {
  static constexpr std::string_view name = "logistic";
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// (y - u)^2 / 2.
struct SquaredLoss {
  static constexpr std::string_view name = "squared";
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// max(0, 1 - yu).
struct HingeLoss {
  static constexpr std::string_view name = "hinge";
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// The hinge with its corner rounded on a width h > 0 of the margin.
struct SmoothedHingeLoss {
  static constexpr std::string_view name = "smoothed_hinge";
  double width = 0.5;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// r^2/2 for |r| <= threshold, then linear with slope `threshold`; r = y - u, threshold > 0.
struct HuberLoss {
  static constexpr std::string_view name = "huber";
  double threshold = 0.25;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// |y - u|.
struct AbsoluteLoss {
  static constexpr std::string_view name = "absolute";
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// max(q r, (q - 1) r), r = y - u: its minimiser is the conditional quantile q in (0, 1).
struct PinballLoss {
  static constexpr std::string_view name = "pinball";
  double quantile = 0.5;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// max(0, 1 - yu)^q, 1 < exponent q <= 2: between the hinge and its square.
struct PowerHingeLoss {
  static constexpr std::string_view name = "power_hinge";
  double exponent = 1.5;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// |y - u|^q, 1 < exponent q <= 2: between the absolute and the squared loss.
struct PowerRegressionLoss {
  static constexpr std::string_view name = "power_regression";
  double exponent = 1.5;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// The absolute loss with its corner rounded on a width h > 0: the Huber loss of slope 1.
struct SmoothedAbsoluteLoss {
  static constexpr std::string_view name = "smoothed_absolute";
  double width = 0.25;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// The Moreau envelope of the pinball loss: its corner rounded on a width h > 0.
struct SmoothedPinballLoss {
  static constexpr std::string_view name = "smoothed_pinball";
  double quantile = 0.5;
  double width = 0.25;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// max(0, |y - u| - insensitivity), 0 < insensitivity < 1: small residuals cost nothing.
struct EpsilonInsensitiveLoss {
  static constexpr std::string_view name = "epsilon_insensitive";
  double insensitivity = 0.1;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// Its Moreau envelope: both corners rounded on a width h > 0.
struct SmoothedEpsilonInsensitiveLoss {
  static constexpr std::string_view name = "smoothed_epsilon_insensitive";
  double insensitivity = 0.1;
  double width = 0.25;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// max(0, |y - u| - insensitivity)^2.
struct SquaredEpsilonInsensitiveLoss {
  static constexpr std::string_view name = "squared_epsilon_insensitive";
  double insensitivity = 0.1;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// The power hinge whose slope q m^(q-1) in m = 1 - yu is replaced by the line q h^(q-2) m on
/// 0 < m < h, so that it is smooth; the value is 0 where the hinge is.
struct LinearisedPowerHingeLoss {
  static constexpr std::string_view name = "linearised_power_hinge";
  double exponent = 1.5;
  double width = 0.25;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

/// The power regression loss with the same line on |y - u| < h; the value is 0 at y.
struct LinearisedPowerRegressionLoss {
  static constexpr std::string_view name = "linearised_power_regression";
  double exponent = 1.5;
  double width = 0.25;
  [[nodiscard]] double value(double prediction, double label) const;
  [[nodiscard]] double slope(double prediction, double label) const;
};

using Loss = std::variant<LogisticLoss, SquaredLoss, HingeLoss, SmoothedHingeLoss, HuberLoss,
                          AbsoluteLoss, PinballLoss, PowerHingeLoss, PowerRegressionLoss,
                          SmoothedAbsoluteLoss, SmoothedPinballLoss, EpsilonInsensitiveLoss,
                          SmoothedEpsilonInsensitiveLoss, SquaredEpsilonInsensitiveLoss,
                          LinearisedPowerHingeLoss, LinearisedPowerRegressionLoss>;

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Facts that hold for every prediction and every label.
struct LossProperties {
  double slope_bound;  ///< of |slope|; `unbounded` for the squared loss and for powers
  double curvature;    ///< Lipschitz constant of the slope; `unbounded` where there is none
  bool classification;
};

[[nodiscard]] LossProperties properties(const Loss& loss);
[[nodiscard]] std::string_view loss_name(const Loss& loss);
[[nodiscard]] double loss_value(const Loss& loss, double prediction, double label);
[[nodiscard]] double loss_slope(const Loss& loss, double prediction, double label);

/// The loss's own parameter (`width`, `threshold`, `quantile`, `exponent`, `insensitivity`), NaN
/// for a loss without one.
[[nodiscard]] double loss_parameter(const Loss& loss);
/// Its name, empty for a loss without one.
[[nodiscard]] std::string_view loss_parameter_name(const Loss& loss);
/// The width of the smoothing of a loss that has another parameter besides; NaN for any other.
[[nodiscard]] double loss_width(const Loss& loss);

/// A loss by name; `parameter` and `width` are NaN for their defaults. UsageError on an unknown
/// name, a number out of range, or one given to a loss without.
[[nodiscard]] Loss make_loss(std::string_view name,
                             double parameter = std::numeric_limits<double>::quiet_NaN(),
                             double width = std::numeric_limits<double>::quiet_NaN());
[[nodiscard]] std::vector<std::string> loss_names();

}  // namespace tacet::model
