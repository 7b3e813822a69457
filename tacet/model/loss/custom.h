#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {

/// The functions of a custom loss. Several threads call them at once. They must return the same
/// value for the same numbers, and must not store their arguments.
struct CustomFunctions {
  using Function = std::function<double(double prediction, double label)>;
  Function value;
  Function slope;  ///< the derivative in the prediction, or a subgradient
  // These two only help to choose the steps and the clipping norm.
  double largest_slope = 1;      ///< bound of |slope|; infinite: unknown
  double largest_curvature = 1;  ///< finite; at a kink, the curvature of a similar smooth loss
};

/// A loss that the calling program supplies as functions. Only the method `gradient` takes it. That
/// method clips each record's gradient in integers, whatever the slope is, so the guarantee needs
/// no bound of the loss. But the slope of one record must not depend on other records, so the
/// functions must have no memory. Other methods refuse it, since their proofs need bounds of the
/// loss. A model file contains only the name: a model from a file can predict, but not evaluate the
/// loss.
template <Labels kind>
struct CustomLossOf {
  static_assert(kind == Labels::signs || kind == Labels::numbers);
  static constexpr std::string_view name =
      kind == Labels::signs ? "custom_of_classes" : "custom_of_numbers";
  static constexpr Labels labels = kind;
  std::shared_ptr<const CustomFunctions> functions = nullptr;  ///< null for a loss from a file

  [[nodiscard]] const CustomFunctions& known() const {
    if (functions) return *functions;
    throw base::UsageError(
        "loss {} is a function of the program that trained with it, which no file holds; use that "
        "program, or look at predictions alone",
        name);
  }
  [[nodiscard]] double value(double u, double y) const { return known().value(u, y); }
  [[nodiscard]] double slope(double u, double y) const { return known().slope(u, y); }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double /*slope*/) const {
    return known().largest_curvature;
  }
  /// Never called for a loss from a file.
  [[nodiscard]] LossSmoothness smoothness() const {
    const double steepest = functions ? functions->largest_slope : unbounded;
    const double curvature = functions ? functions->largest_curvature : unbounded;
    return {1, curvature, 2 * steepest, curvature};
  }
  [[nodiscard]] double slope_bound_within(double /*bound*/) const {
    return functions ? functions->largest_slope : unbounded;
  }
};

/// Whether a loss is a custom one, of which a file contains only the name.
template <typename LossType>
constexpr bool is_custom(const LossType& /*loss*/) {
  return false;
}
template <Labels kind>
constexpr bool is_custom(const CustomLossOf<kind>& /*loss*/) {
  return true;
}

using CustomLossOfClasses = CustomLossOf<Labels::signs>;
using CustomLossOfNumbers = CustomLossOf<Labels::numbers>;

}  // namespace tacet::model
