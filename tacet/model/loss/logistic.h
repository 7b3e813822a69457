#pragma once

#include <cstddef>
#include <span>

#include "tacet/model/loss/loss_parts.h"
#include "tacet/numeric/exp_each.h"

namespace tacet::model {

/// ln(1 + e^{-yu}).
struct LogisticLoss {
  static constexpr std::string_view name = "logistic";
  static constexpr Labels labels = Labels::signs;

  [[nodiscard]] double value(double u, double y) const { return numeric::softplus(-y * u); }
  [[nodiscard]] double slope(double u, double y) const { return -y * numeric::sigmoid(-y * u); }
  void slope_each(std::span<double> u, std::span<const double> y) const {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] *= -y[i];
    numeric::sigmoid_each(u);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] *= -y[i];
  }
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

/// ln(sum_c e^{u_c}) - u_y over the margins of several classes, labels 0 to k-1. A record's slopes
/// are the probabilities less the indicator of its class, with a norm of at most sqrt(2), and the
/// Hessian in the margins is at most 1/2. The code that needs all margins at once is where
/// gradients are summed (optimize/sums/gradient_sum.cc). The scalar functions here are those for
/// two classes, for which it is the logistic loss of the difference of their margins.
struct SoftmaxLoss : LogisticLoss {
  static constexpr std::string_view name = "softmax";
  static constexpr bool joint = true;
  [[nodiscard]] LossSmoothness smoothness() const { return {1, 0.5, 1, 0.5}; }
};

/// ln(1 + e^u) - y u for labels in [0, 1]: the logistic loss for a probability instead of a class.
/// At y = 0 and 1 it is ln(1 + e^{-+u}).
struct SoftLogisticLoss {
  static constexpr std::string_view name = "soft_logistic";
  static constexpr Labels labels = Labels::shares;

  [[nodiscard]] double value(double u, double y) const {
    return y * numeric::softplus(-u) + (1 - y) * numeric::softplus(u);
  }
  [[nodiscard]] double slope(double u, double y) const { return numeric::sigmoid(u) - y; }
  void slope_each(std::span<double> u, std::span<const double> y) const {
    numeric::sigmoid_each(u);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= y[i];
  }
  [[nodiscard]] double curvature(double u, double /*y*/, double /*slope*/) const {
    return numeric::sigmoid(u) * numeric::sigmoid(-u);
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    using std::exp;
    return Real(1) / (Real(1) + exp(Real(-u))) - y;
  }
  [[nodiscard]] LossSmoothness smoothness() const { return {1, 0.25, 1, 0.25}; }
  [[nodiscard]] double slope_bound_within(double bound) const { return 1 / (1 + std::exp(-bound)); }
  [[nodiscard]] double best(double y) const { return std::log(y) - std::log1p(-y); }
};

}  // namespace tacet::model
