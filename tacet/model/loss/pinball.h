#pragma once

#include <algorithm>

#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {

/// The Moreau envelope of the pinball loss: its corner rounded on a width h > 0.
struct SmoothedPinballLoss {
  static constexpr std::string_view name = "smoothed_pinball";
  static constexpr Labels labels = Labels::numbers;
  double quantile = 0.5;
  double width = 0.25;
  static constexpr LossParameter<SmoothedPinballLoss> parameter{"quantile", 0, 1,
                                                                &SmoothedPinballLoss::quantile};

  [[nodiscard]] double value(double u, double y) const {
    return internal::envelope(u - y, -quantile, 1 - quantile, width);
  }
  [[nodiscard]] double slope(double u, double y) const {
    return internal::envelope_slope(u - y, -quantile, 1 - quantile, width);
  }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double slope) const {
    return slope > -quantile && slope < 1 - quantile ? 1 / width : 0;
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    return internal::within(Real(-quantile), Real((u - y) / Real(width)), Real(1 - quantile));
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(1 / width, 1); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return std::min(std::max(quantile, 1 - quantile), (1 + bound) / width);
  }
};

/// max(q r, (q - 1) r), r = y - u: its minimiser is the conditional quantile q in (0, 1).
struct PinballLoss {
  static constexpr std::string_view name = "pinball";
  static constexpr Labels labels = Labels::numbers;
  double quantile = 0.5;
  static constexpr LossParameter<PinballLoss> parameter{"quantile", 0, 1, &PinballLoss::quantile};

  [[nodiscard]] double value(double u, double y) const {
    const double r = y - u;
    return std::max(quantile * r, (quantile - 1) * r);
  }
  [[nodiscard]] double slope(double u, double y) const {
    return u > y ? 1 - quantile : u < y ? -quantile : 0.0;
  }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double /*slope*/) const { return 0; }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::jumping(1); }
  [[nodiscard]] double slope_bound_within(double /*bound*/) const {
    return std::max(quantile, 1 - quantile);
  }
  [[nodiscard]] SmoothedPinballLoss smoothed(double h) const { return {quantile, h}; }
};

}  // namespace tacet::model
