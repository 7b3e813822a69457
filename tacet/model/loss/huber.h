#pragma once

#include <algorithm>

#include "tacet/model/loss/loss_parts.h"
#include "tacet/numeric/rounding.h"

namespace tacet::model {

/// r^2/2 for |r| <= threshold, then linear with slope `threshold`; r = y - u, threshold > 0.
struct HuberLoss {
  static constexpr std::string_view name = "huber";
  static constexpr Labels labels = Labels::numbers;
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

/// threshold^2 (sqrt(1 + r^2 / threshold^2) - 1): a smooth version of Huber's loss with the same
/// curvature at 0 and the same slope far away (Charbonnier and others 1997).
struct PseudoHuberLoss {
  static constexpr std::string_view name = "pseudo_huber";
  static constexpr Labels labels = Labels::numbers;
  double threshold = 0.25;
  static constexpr LossParameter<PseudoHuberLoss> parameter{"threshold", 0, unbounded,
                                                            &PseudoHuberLoss::threshold};

  [[nodiscard]] double value(double u, double y) const {
    const double r = u - y;
    // sqrt(1 + t) - 1, written without cancellation.
    return r * r / (1 + std::hypot(1, r / threshold));
  }
  [[nodiscard]] double slope(double u, double y) const {
    return (u - y) / std::hypot(1, (u - y) / threshold);
  }
  [[nodiscard]] double curvature(double u, double y, double /*slope*/) const {
    const double length = std::hypot(1, (u - y) / threshold);
    return 1 / (length * length * length);
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    using std::sqrt;
    const Real t = Real(u - y) / Real(threshold);
    return Real(u - y) / sqrt(Real(Real(1) + t * t));
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(1, 2 * threshold); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    if (bound == unbounded) return threshold;
    return std::min(threshold, slope(1 + bound, 0) * numeric::up_ulps(4));
  }
};

}  // namespace tacet::model
