#include "tacet/model/loss/loss_smoothness.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::model {

LossSmoothness smoothness(const Loss& loss) {
  return std::visit([](const auto& l) { return l.smoothness(); }, loss);
}

double slope_bound_within(const Loss& loss, double bound) {
  return std::visit([&](const auto& l) { return l.slope_bound_within(bound); }, loss);
}

double largest_loss_at_zero(const Loss& loss) {
  // Losses are convex in the label, so they are largest at an end of its range.
  const auto range = label_range(properties(loss).labels);
  return std::max(loss_value(loss, 0, range.upper), loss_value(loss, 0, range.lower));
}

double loss_curvature(const Loss& loss, double prediction, double label) {
  return std::visit(
      [&](const auto& l) { return l.curvature(prediction, label, l.slope(prediction, label)); },
      loss);
}

bool can_be_smoothed(const Loss& loss) { return smoothness(loss).exponent < 1; }

Loss smoothed(const Loss& loss, double width) {
  if (!can_be_smoothed(loss)) return loss;
  if (!(width > 0) || !std::isfinite(width)) {
    throw base::InternalError("a loss is smoothed on a positive width");
  }
  return std::visit(
      [&](const auto& l) -> Loss {
        if constexpr (requires { l.smoothed(width); }) return l.smoothed(width);
        return l;
      },
      loss);
}

double width_for_step(const Loss& loss, double scaled_step) {
  const auto facts = smoothness(loss);
  if (facts.exponent == 0) return scaled_step / 2;
  // q h^(q-2) = 2 / (step X^2). Rounded up: a larger width is smoother.
  const double q = 1 + facts.exponent;
  return std::pow(q * scaled_step / 2, 1 / (2 - q)) * numeric::amply_up;
}

double usual_slope(const Loss& loss) {
  const auto facts = properties(loss);
  if (!std::isinf(facts.slope_bound)) return facts.slope_bound;
  if (facts.classification) return -loss_slope(loss, 0, 1);
  // Means of shares are at most 1, where the prediction is 0 and no slope is longer than 1.
  if (facts.labels == Labels::shares) return 1;
  const double quarter = loss_slope(loss, 0.5, 0);
  return quarter > 0 ? quarter : loss_slope(loss, 1, 0);
}

}  // namespace tacet::model
