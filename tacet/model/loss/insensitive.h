#pragma once

#include <algorithm>

#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {

/// The Moreau envelope of the insensitive loss: both corners rounded on a width h > 0.
struct SmoothedEpsilonInsensitiveLoss {
  static constexpr std::string_view name = "smoothed_epsilon_insensitive";
  static constexpr Labels labels = Labels::numbers;
  double insensitivity = 0.1;
  double width = 0.25;
  static constexpr LossParameter<SmoothedEpsilonInsensitiveLoss> parameter{
      "insensitivity", 0, 1, &SmoothedEpsilonInsensitiveLoss::insensitivity};

  [[nodiscard]] double value(double u, double y) const {
    return internal::envelope(std::fabs(u - y) - insensitivity, 0, 1, width);
  }
  [[nodiscard]] double slope(double u, double y) const {
    const double r = u - y;
    return std::copysign(internal::envelope_slope(std::fabs(r) - insensitivity, 0, 1, width), r);
  }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double slope) const {
    const double size = std::fabs(slope);
    return size > 0 && size < 1 ? 1 / width : 0;
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    const Real excess = internal::residual(u, y) - Real(insensitivity);
    return internal::signed_by(internal::within(Real(0), Real(excess / Real(width)), Real(1)), u,
                               y);
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(1 / width, 2); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return std::min(1.0, (1 + bound - insensitivity) / width);
  }
};

/// max(0, |y - u| - insensitivity), 0 < insensitivity < 1: small residuals cost nothing.
struct EpsilonInsensitiveLoss {
  static constexpr std::string_view name = "epsilon_insensitive";
  static constexpr Labels labels = Labels::numbers;
  double insensitivity = 0.1;
  static constexpr LossParameter<EpsilonInsensitiveLoss> parameter{
      "insensitivity", 0, 1, &EpsilonInsensitiveLoss::insensitivity};

  [[nodiscard]] double value(double u, double y) const {
    return std::max(0.0, std::fabs(u - y) - insensitivity);
  }
  [[nodiscard]] double slope(double u, double y) const {
    const double r = u - y;
    return r > insensitivity ? 1.0 : r < -insensitivity ? -1.0 : 0.0;
  }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double /*slope*/) const { return 0; }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::jumping(2); }
  [[nodiscard]] double slope_bound_within(double /*bound*/) const { return 1; }
  [[nodiscard]] SmoothedEpsilonInsensitiveLoss smoothed(double h) const {
    return {insensitivity, h};
  }
};

/// max(0, |y - u| - insensitivity)^2.
struct SquaredEpsilonInsensitiveLoss {
  static constexpr std::string_view name = "squared_epsilon_insensitive";
  static constexpr Labels labels = Labels::numbers;
  double insensitivity = 0.1;
  static constexpr LossParameter<SquaredEpsilonInsensitiveLoss> parameter{
      "insensitivity", 0, 1, &SquaredEpsilonInsensitiveLoss::insensitivity};

  [[nodiscard]] double value(double u, double y) const {
    const double excess = std::max(0.0, std::fabs(u - y) - insensitivity);
    return excess * excess;
  }
  [[nodiscard]] double slope(double u, double y) const {
    const double r = u - y;
    return std::copysign(2 * std::max(0.0, std::fabs(r) - insensitivity), r);
  }
  [[nodiscard]] double curvature(double u, double y, double /*slope*/) const {
    return std::fabs(y - u) > insensitivity ? 2 : 0;
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    const Real excess = internal::residual(u, y) - Real(insensitivity);
    return internal::signed_by(excess > 0 ? Real(2 * excess) : Real(0), u, y);
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(2, unbounded); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return 2 * (1 + bound - insensitivity);
  }
};

}  // namespace tacet::model
