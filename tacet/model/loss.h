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

using Loss = std::variant<LogisticLoss, SquaredLoss, HingeLoss, SmoothedHingeLoss, HuberLoss,
                          AbsoluteLoss, PinballLoss>;

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Facts that hold for every prediction and every label.
struct LossProperties {
  double slope_bound;  ///< of |slope|; `unbounded` for the squared loss
  double curvature;    ///< Lipschitz constant of the slope; `unbounded` at a kink
  bool classification;
};

[[nodiscard]] LossProperties properties(const Loss& loss);
[[nodiscard]] std::string_view loss_name(const Loss& loss);
[[nodiscard]] double loss_value(const Loss& loss, double prediction, double label);
[[nodiscard]] double loss_slope(const Loss& loss, double prediction, double label);

/// The loss's own parameter (`width`, `threshold`, `quantile`), NaN for a loss without one.
[[nodiscard]] double loss_parameter(const Loss& loss);
/// Its name, empty for a loss without one.
[[nodiscard]] std::string_view loss_parameter_name(const Loss& loss);

/// A loss by name; `parameter` is NaN for its default. UsageError on an unknown name, a parameter
/// out of range, or one given to a loss without.
[[nodiscard]] Loss make_loss(std::string_view name,
                             double parameter = std::numeric_limits<double>::quiet_NaN());
[[nodiscard]] std::vector<std::string> loss_names();

}  // namespace tacet::model
