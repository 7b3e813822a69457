#pragma once

#include <algorithm>

#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {

/// r^2/2 for |r| <= threshold, then linear with slope `threshold`; r = y - u, threshold > 0.
struct HuberLoss {
  static constexpr std::string_view name = "huber";
  static constexpr bool classification = false;
  double threshold = 0.25;
  static constexpr LossParameter<HuberLoss> parameter{"threshold", 0, unbounded,
                                                      &HuberLoss::threshold};

  [[nodiscard]] double value(double u, double y) const {
    const double r = std::fabs(y - u);
    return r <= threshold ? r * r / 2 : threshold * r - threshold * threshold / 2;
  }
  [[nodiscard]] double slope(double u, double y) const {
    return std::clamp(u - y, -threshold, threshold);
  }
  [[nodiscard]] double curvature(double u, double y, double /*slope*/) const {
    return std::fabs(u - y) < threshold ? 1 : 0;
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    return internal::within(Real(-threshold), Real(u - y), Real(threshold));
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(1, 2 * threshold); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return std::min(threshold, 1 + bound);
  }
};

}  // namespace tacet::model
