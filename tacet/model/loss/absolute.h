#pragma once

#include <algorithm>

#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {

/// The absolute loss with its corner rounded on a width h > 0: the Huber loss of slope 1.
struct SmoothedAbsoluteLoss {
  static constexpr std::string_view name = "smoothed_absolute";
  static constexpr Labels labels = Labels::numbers;
  double width = 0.25;
  static constexpr LossParameter<SmoothedAbsoluteLoss> parameter{"width", 0, unbounded,
                                                                 &SmoothedAbsoluteLoss::width};

  [[nodiscard]] double value(double u, double y) const {
    return internal::envelope(u - y, -1, 1, width);
  }
  [[nodiscard]] double slope(double u, double y) const {
    return internal::envelope_slope(u - y, -1, 1, width);
  }
  [[nodiscard]] double curvature(double u, double y, double /*slope*/) const {
    return std::fabs(u - y) < width ? 1 / width : 0;
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    return internal::within(Real(-1), Real((u - y) / Real(width)), Real(1));
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(1 / width, 2); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return std::min(1.0, (1 + bound) / width);
  }
};

/// |y - u|.
struct AbsoluteLoss {
  static constexpr std::string_view name = "absolute";
  static constexpr Labels labels = Labels::numbers;

  [[nodiscard]] double value(double u, double y) const { return std::fabs(y - u); }
  [[nodiscard]] double slope(double u, double y) const { return u > y ? 1.0 : u < y ? -1.0 : 0.0; }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double /*slope*/) const { return 0; }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::jumping(2); }
  [[nodiscard]] double slope_bound_within(double /*bound*/) const { return 1; }
  [[nodiscard]] SmoothedAbsoluteLoss smoothed(double h) const { return {h}; }
};

}  // namespace tacet::model
