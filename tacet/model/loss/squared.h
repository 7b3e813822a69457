#pragma once

#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {

/// (y - u)^2 / 2.
struct SquaredLoss {
  static constexpr std::string_view name = "squared";
  static constexpr Labels labels = Labels::numbers;

  [[nodiscard]] double value(double u, double y) const { return (y - u) * (y - u) / 2; }
  [[nodiscard]] double slope(double u, double y) const { return u - y; }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double /*slope*/) const { return 1; }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    return u - y;
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(1, unbounded); }
  [[nodiscard]] double slope_bound_within(double bound) const { return 1 + bound; }
};

}  // namespace tacet::model
