#pragma once

#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {

/// ln(1 + e^{-yu}).
struct LogisticLoss {
  static constexpr std::string_view name = "logistic";
  static constexpr bool classification = true;

  [[nodiscard]] double value(double u, double y) const { return numeric::softplus(-y * u); }
  [[nodiscard]] double slope(double u, double y) const { return -y * numeric::sigmoid(-y * u); }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double slope) const {
    const double size = std::fabs(slope);
    return size * (1 - size);
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    using std::exp;
    return Real(-y) / (Real(1) + exp(Real(y * u)));
  }
  [[nodiscard]] LossSmoothness smoothness() const { return {1, 0.25, 1, 0.25}; }
  [[nodiscard]] double slope_bound_within(double bound) const { return 1 / (1 + std::exp(-bound)); }
};

}  // namespace tacet::model
