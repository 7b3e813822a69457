#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "tacet/model/loss/loss_parts.h"
#include "tacet/numeric/exp_each.h"
#include "tacet/numeric/rounding.h"

namespace tacet::model {

/// ln cosh r, r = y - u: r^2/2 near 0, |r| - ln 2 far away.
struct LogCoshLoss {
  static constexpr std::string_view name = "log_cosh";
  static constexpr Labels labels = Labels::numbers;

  [[nodiscard]] double value(double u, double y) const {
    constexpr double ln2 = 0.69314718055994530942;
    const double r = std::fabs(u - y);
    return std::max(0.0, r + numeric::softplus(-2 * r) - ln2);
  }
  [[nodiscard]] double slope(double u, double y) const {
    return numeric::sigmoid(2 * (u - y)) - numeric::sigmoid(2 * (y - u));  // tanh
  }
  void slope_each(std::span<double> u, std::span<const double> y) const {
    std::array<double, 32> mirrored;
    for (std::size_t at = 0; at < u.size(); at += mirrored.size()) {
      const auto part = u.subspan(at, std::min(mirrored.size(), u.size() - at));
      const auto other = std::span(mirrored).first(part.size());
      for (std::size_t i = 0; i < part.size(); ++i) {
        other[i] = 2 * (y[at + i] - part[i]);
        part[i] = 2 * (part[i] - y[at + i]);
      }
      numeric::sigmoid_each(part);
      numeric::sigmoid_each(other);
      for (std::size_t i = 0; i < part.size(); ++i) part[i] -= other[i];
    }
  }
  [[nodiscard]] double curvature(double /*u*/, double /*y*/, double slope) const {
    return 1 - slope * slope;
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    using std::exp;
    return Real(2) / (Real(1) + exp(Real(2 * (y - u)))) - Real(1);
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(1, 2); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return std::min(1.0, std::tanh(1 + bound) * numeric::up_ulps(4));
  }
};

}  // namespace tacet::model
