#pragma once

#include <algorithm>

#include "tacet/model/loss/loss_parts.h"

namespace tacet::model {
namespace internal {

// base^exponent for base >= 0 and exponent in [-1, 2], the same bits on every machine.
inline double power(double base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 0.5) return std::sqrt(base);
  if (exponent == 2) return base * base;
  return base > 0 ? numeric::exp(exponent * numeric::log(base)) : 0;
}

// The second derivative of m^q.
inline double power_curvature(double m, double q) {
  if (q == 2) return m > 0 ? 2 : 0;
  return m > 0 ? q * (q - 1) * std::pow(m, q - 2) : 0;
}

template <typename Real>
Real wide_power_slope(const Real& m, double q) {
  using std::pow;
  return m > 0 ? Real(Real(q) * pow(m, Real(q - 1))) : Real(0);
}

inline LossSmoothness power_smoothness(double q, double constant) {
  return {q - 1, constant, unbounded, q == 2 ? constant : unbounded};
}

inline double power_slope_within(double q, double reach) { return q * std::pow(reach, q - 1); }

// q 2^(2-q): |a|^p + |b|^p <= 2^(1-p) |a - b|^p for a, b of opposite sign, p = q - 1 in (0, 1].
inline double two_sided(double q) { return q * std::exp2(2 - q); }

/// m^q, m >= 0, whose slope q m^(q-1) is replaced by the line q h^(q-2) m on m < h.
struct LinearisedPower {
  double q;
  double h;

  [[nodiscard]] double value(double m) const {
    if (m < h) return q / 2 * power(h, q - 2) * m * m;
    return power(m, q) - (1 - q / 2) * power(h, q);
  }
  [[nodiscard]] double slope(double m) const {
    return m < h ? q * power(h, q - 2) * m : q * power(m, q - 1);
  }
  [[nodiscard]] double curvature(double m) const {
    if (m <= 0) return 0;
    return m < h ? q * std::pow(h, q - 2) : power_curvature(m, q);
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& m) const {
    using std::pow;
    if (m >= Real(h)) return wide_power_slope(m, q);
    return m > 0 ? Real(Real(q) * pow(Real(h), Real(q - 2)) * m) : Real(0);
  }
  [[nodiscard]] LossSmoothness smoothness() const {
    return smooth(q * std::pow(h, q - 2), unbounded);
  }
  [[nodiscard]] double slope_within(double reach) const {
    return reach >= h ? power_slope_within(q, reach) : q * std::pow(h, q - 2) * reach;
  }
};

}  // namespace internal

/// The power hinge whose slope q m^(q-1) in m = 1 - yu is replaced by the line q h^(q-2) m on
/// 0 < m < h, so that it is smooth; the value is 0 where the hinge is.
struct LinearisedPowerHingeLoss {
  static constexpr std::string_view name = "linearised_power_hinge";
  static constexpr Labels labels = Labels::signs;
  double exponent = 1.5;
  double width = 0.25;
  static constexpr LossParameter<LinearisedPowerHingeLoss> parameter{
      "exponent", 1, 2, &LinearisedPowerHingeLoss::exponent};

  [[nodiscard]] double value(double u, double y) const {
    return law().value(std::max(0.0, 1 - y * u));
  }
  [[nodiscard]] double slope(double u, double y) const {
    return -y * law().slope(std::max(0.0, 1 - y * u));
  }
  [[nodiscard]] double curvature(double u, double y, double /*slope*/) const {
    return law().curvature(1 - y * u);
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    return Real(-y) * law().wide_slope(Real(Real(1) - y * u));
  }
  [[nodiscard]] LossSmoothness smoothness() const { return law().smoothness(); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return law().slope_within(1 + bound);
  }

 private:
  [[nodiscard]] internal::LinearisedPower law() const { return {exponent, width}; }
};

/// The power regression loss with the same line on |y - u| < h; the value is 0 at y.
struct LinearisedPowerRegressionLoss {
  static constexpr std::string_view name = "linearised_power_regression";
  static constexpr Labels labels = Labels::numbers;
  double exponent = 1.5;
  double width = 0.25;
  static constexpr LossParameter<LinearisedPowerRegressionLoss> parameter{
      "exponent", 1, 2, &LinearisedPowerRegressionLoss::exponent};

  [[nodiscard]] double value(double u, double y) const { return law().value(std::fabs(y - u)); }
  [[nodiscard]] double slope(double u, double y) const {
    const double r = u - y;
    return std::copysign(law().slope(std::fabs(r)), r);
  }
  [[nodiscard]] double curvature(double u, double y, double /*slope*/) const {
    return law().curvature(std::fabs(y - u));
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    return internal::signed_by(law().wide_slope(internal::residual(u, y)), u, y);
  }
  [[nodiscard]] LossSmoothness smoothness() const { return law().smoothness(); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return law().slope_within(1 + bound);
  }

 private:
  [[nodiscard]] internal::LinearisedPower law() const { return {exponent, width}; }
};

/// max(0, 1 - yu)^q, 1 < exponent q <= 2: between the hinge and its square.
struct PowerHingeLoss {
  static constexpr std::string_view name = "power_hinge";
  static constexpr Labels labels = Labels::signs;
  double exponent = 1.5;
  static constexpr LossParameter<PowerHingeLoss> parameter{"exponent", 1, 2,
                                                           &PowerHingeLoss::exponent};

  [[nodiscard]] double value(double u, double y) const {
    return internal::power(std::max(0.0, 1 - y * u), exponent);
  }
  [[nodiscard]] double slope(double u, double y) const {
    const double gap = std::max(0.0, 1 - y * u);
    return -y * exponent * internal::power(gap, exponent - 1);
  }
  [[nodiscard]] double curvature(double u, double y, double /*slope*/) const {
    return internal::power_curvature(1 - y * u, exponent);
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    return Real(-y) * internal::wide_power_slope(Real(Real(1) - y * u), exponent);
  }
  [[nodiscard]] LossSmoothness smoothness() const {
    return internal::power_smoothness(exponent, exponent);
  }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return internal::power_slope_within(exponent, 1 + bound);
  }
  [[nodiscard]] LinearisedPowerHingeLoss smoothed(double h) const { return {exponent, h}; }
};

/// |y - u|^q, 1 < exponent q <= 2: between the absolute and the squared loss.
struct PowerRegressionLoss {
  static constexpr std::string_view name = "power_regression";
  static constexpr Labels labels = Labels::numbers;
  double exponent = 1.5;
  static constexpr LossParameter<PowerRegressionLoss> parameter{"exponent", 1, 2,
                                                                &PowerRegressionLoss::exponent};

  [[nodiscard]] double value(double u, double y) const {
    return internal::power(std::fabs(y - u), exponent);
  }
  [[nodiscard]] double slope(double u, double y) const {
    const double size = exponent * internal::power(std::fabs(u - y), exponent - 1);
    return std::copysign(size, u - y);
  }
  [[nodiscard]] double curvature(double u, double y, double /*slope*/) const {
    return internal::power_curvature(std::fabs(y - u), exponent);
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    return internal::signed_by(internal::wide_power_slope(internal::residual(u, y), exponent), u,
                               y);
  }
  [[nodiscard]] LossSmoothness smoothness() const {
    return internal::power_smoothness(exponent, internal::two_sided(exponent));
  }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return internal::power_slope_within(exponent, 1 + bound);
  }
  [[nodiscard]] LinearisedPowerRegressionLoss smoothed(double h) const { return {exponent, h}; }
};

}  // namespace tacet::model
