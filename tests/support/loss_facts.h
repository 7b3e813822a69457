#pragma once

#include <algorithm>
#include <cmath>
#include <variant>

#include "tacet/model/loss/loss_smoothness.h"

/// For tests: facts of losses that are proved in docs/proofs/loss_table.md and that only checks of
/// other constants need.
namespace tacet::model {
namespace internal {

struct ModulusOf {
  double t;
  double operator()(const LogisticLoss&) const { return std::tanh(t / 4); }
  double operator()(const SoftLogisticLoss&) const { return std::tanh(t / 4); }
  double operator()(const LogCoshLoss&) const { return 2 * std::tanh(t / 2); }
  double operator()(const PseudoHuberLoss& l) const {
    return t / std::hypot(1, t / (2 * l.threshold));
  }
  double operator()(const EpsilonInsensitiveLoss& l) const {
    return t < 2 * l.insensitivity ? 1 : 2;
  }
  double operator()(const LinearisedPowerHingeLoss& l) const { return linearised(l, l.exponent); }
  double operator()(const LinearisedPowerRegressionLoss& l) const {
    return linearised(l, l.exponent * std::exp2(2 - l.exponent));
  }
  template <typename Linearised>
  [[nodiscard]] double linearised(const Linearised& l, double constant) const {
    return std::min(l.exponent * std::pow(l.width, l.exponent - 2) * t,
                    constant * std::pow(t, l.exponent - 1));
  }
  // What the smoothness says is attained.
  template <typename Other>
  double operator()(const Other& l) const {
    const auto facts = l.smoothness();
    return std::min(facts.range, facts.constant * std::pow(t, facts.exponent));
  }
};

}  // namespace internal

/// sup |phi'(u) - phi'(v)| over |u - v| <= distance; at most, for the smoothed insensitive loss.
[[nodiscard]] inline double modulus_of_continuity(const Loss& loss, double distance) {
  return std::visit(internal::ModulusOf{distance}, loss);
}

/// By how much smoothing on a width h lowers the loss, at most and somewhere: slope_bound^2 h / 2
/// for a loss with non-smooth points, (1 - q/2) h^q for a power, 0 for a smooth loss.
[[nodiscard]] inline double smoothing_bias(const Loss& loss, double width) {
  const auto facts = smoothness(loss);
  if (facts.exponent == 1) return 0;
  if (facts.exponent == 0) {
    const double slope = properties(loss).slope_bound;
    return slope * slope * width / 2;
  }
  const double q = 1 + facts.exponent;
  return (1 - q / 2) * std::pow(width, q);
}

}  // namespace tacet::model
