#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {

/// What a program says of a loss of its own. Several threads call the functions at once; they must
/// give the same answer for the same numbers, and nothing else may depend on what they are asked.
struct OwnFunctions {
  using Function = std::function<double(double prediction, double label)>;
  Function value;
  Function slope;  ///< the derivative in the prediction, or a subgradient
  // For the choice of steps and the clipping norm alone.
  double largest_slope = 1;      ///< of |slope|; infinite: unknown
  double largest_curvature = 1;  ///< finite; at a kink that of a smooth loss like it
};

/// A loss of a program's own, for the method `gradient`: there each record's gradient is clipped in
/// integers, whatever the slope is, so that the guarantee needs no bound of the loss; it does need
/// that one record's slope is no function of other records, which functions without memory keep. No
/// proof counts on its constants, and methods whose proofs would refuse it. In files it is a name:
/// what is read from one predicts, but has no value.
template <Labels kind>
struct OwnLossOf {
  static_assert(kind == Labels::signs || kind == Labels::numbers);
  static constexpr std::string_view name =
      kind == Labels::signs ? "own_of_classes" : "own_of_numbers";
  static constexpr Labels labels = kind;
  std::shared_ptr<const OwnFunctions> functions = nullptr;  ///< null for a loss from a file

  [[nodiscard]] const OwnFunctions& known() const {
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
  /// Not asked of a loss from a file.
  [[nodiscard]] LossSmoothness smoothness() const {
    const double steepest = functions ? functions->largest_slope : unbounded;
    const double curvature = functions ? functions->largest_curvature : unbounded;
    return {1, curvature, 2 * steepest, curvature};
  }
  [[nodiscard]] double slope_bound_within(double /*bound*/) const {
    return functions ? functions->largest_slope : unbounded;
  }
};

/// Whether a loss is a function of a program's own, of which a file holds the name alone.
template <typename LossType>
constexpr bool is_custom(const LossType& /*loss*/) {
  return false;
}
template <Labels kind>
constexpr bool is_custom(const OwnLossOf<kind>& /*loss*/) {
  return true;
}

using OwnLossOfClasses = OwnLossOf<Labels::signs>;
using OwnLossOfNumbers = OwnLossOf<Labels::numbers>;

}  // namespace tacet::model
