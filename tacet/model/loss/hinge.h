#pragma once

#include <algorithm>

#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {

/// The hinge with its corner rounded on a width h > 0 of the margin.
struct SmoothedHingeLoss {
  static constexpr std::string_view name = "smoothed_hinge";
  static constexpr Labels labels = Labels::signs;
  double width = 0.5;
  static constexpr LossParameter<SmoothedHingeLoss> parameter{"width", 0, unbounded,
                                                              &SmoothedHingeLoss::width};

  [[nodiscard]] double value(double u, double y) const {
    const double gap = 1 - y * u;
    if (gap <= 0) return 0;
    return gap < width ? gap * gap / (2 * width) : gap - width / 2;
  }
  [[nodiscard]] double slope(double u, double y) const {
    const double gap = 1 - y * u;
    if (gap >= width) return -y;
    return gap <= 0 ? 0 : -y * (gap / width);
  }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double slope) const {
    const double size = std::fabs(slope);
    return size > 0 && size < 1 ? 1 / width : 0;
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    return Real(-y) * internal::within(Real(0), Real((Real(1) - y * u) / Real(width)), Real(1));
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(1 / width, 1); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return std::min(1.0, (1 + bound) / width);
  }
};

/// max(0, 1 - yu).
struct HingeLoss {
  static constexpr std::string_view name = "hinge";
  static constexpr Labels labels = Labels::signs;

  [[nodiscard]] double value(double u, double y) const { return std::max(0.0, 1 - y * u); }
  [[nodiscard]] double slope(double u, double y) const { return y * u < 1 ? -y : 0.0; }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double /*slope*/) const { return 0; }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::jumping(1); }
  [[nodiscard]] double slope_bound_within(double /*bound*/) const { return 1; }
  [[nodiscard]] SmoothedHingeLoss smoothed(double h) const { return {h}; }
};

}  // namespace tacet::model
