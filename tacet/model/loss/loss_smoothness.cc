#include "tacet/model/loss/loss_smoothness.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::model {
namespace {

// q 2^(2-q): |a|^p + |b|^p <= 2^(1-p) |a - b|^p for a, b of opposite sign, p = q - 1 in (0, 1].
double two_sided(double q) { return q * std::exp2(2 - q); }

struct SmoothnessOf {
  LossSmoothness operator()(const LogisticLoss&) const { return {1, 0.25, 1, 0.25}; }
  LossSmoothness operator()(const SquaredLoss&) const { return {1, 1, unbounded, 1}; }
  LossSmoothness operator()(const HingeLoss&) const { return kink(1); }
  LossSmoothness operator()(const SmoothedHingeLoss& l) const { return line(1 / l.width, 1); }
  LossSmoothness operator()(const HuberLoss& l) const { return line(1, 2 * l.threshold); }
  LossSmoothness operator()(const AbsoluteLoss&) const { return kink(2); }
  LossSmoothness operator()(const PinballLoss&) const { return kink(1); }
  LossSmoothness operator()(const PowerHingeLoss& l) const { return power(l.exponent, l.exponent); }
  LossSmoothness operator()(const PowerRegressionLoss& l) const {
    return power(l.exponent, two_sided(l.exponent));
  }
  LossSmoothness operator()(const SmoothedAbsoluteLoss& l) const { return line(1 / l.width, 2); }
  LossSmoothness operator()(const SmoothedPinballLoss& l) const { return line(1 / l.width, 1); }
  LossSmoothness operator()(const EpsilonInsensitiveLoss&) const { return kink(2); }
  LossSmoothness operator()(const SmoothedEpsilonInsensitiveLoss& l) const {
    return line(1 / l.width, 2);
  }
  LossSmoothness operator()(const SquaredEpsilonInsensitiveLoss&) const {
    return line(2, unbounded);
  }
  LossSmoothness operator()(const LinearisedPowerHingeLoss& l) const {
    return line(l.exponent * std::pow(l.width, l.exponent - 2), unbounded);
  }
  LossSmoothness operator()(const LinearisedPowerRegressionLoss& l) const {
    return line(l.exponent * std::pow(l.width, l.exponent - 2), unbounded);
  }

  static LossSmoothness kink(double jump) { return {0, jump, jump, unbounded}; }
  static LossSmoothness line(double curvature, double range) {
    return {1, curvature, range, curvature};
  }
  static LossSmoothness power(double q, double constant) {
    return {q - 1, constant, unbounded, q == 2 ? constant : unbounded};
  }
};

// Slopes grow with the gap 1 - yu or the residual, whose largest size is `reach`.
struct SlopeWithin {
  double bound;  // of |u|
  double reach() const { return 1 + bound; }

  double operator()(const LogisticLoss&) const { return 1 / (1 + std::exp(-bound)); }
  double operator()(const SquaredLoss&) const { return reach(); }
  double operator()(const HingeLoss&) const { return 1; }
  double operator()(const SmoothedHingeLoss& l) const { return std::min(1.0, reach() / l.width); }
  double operator()(const HuberLoss& l) const { return std::min(l.threshold, reach()); }
  double operator()(const AbsoluteLoss&) const { return 1; }
  double operator()(const PinballLoss& l) const { return std::max(l.quantile, 1 - l.quantile); }
  double operator()(const PowerHingeLoss& l) const { return power(l.exponent); }
  double operator()(const PowerRegressionLoss& l) const { return power(l.exponent); }
  double operator()(const SmoothedAbsoluteLoss& l) const {
    return std::min(1.0, reach() / l.width);
  }
  double operator()(const SmoothedPinballLoss& l) const {
    return std::min(std::max(l.quantile, 1 - l.quantile), reach() / l.width);
  }
  double operator()(const EpsilonInsensitiveLoss&) const { return 1; }
  double operator()(const SmoothedEpsilonInsensitiveLoss& l) const {
    return std::min(1.0, (reach() - l.insensitivity) / l.width);
  }
  double operator()(const SquaredEpsilonInsensitiveLoss& l) const {
    return 2 * (reach() - l.insensitivity);
  }
  double operator()(const LinearisedPowerHingeLoss& l) const { return linearised(l); }
  double operator()(const LinearisedPowerRegressionLoss& l) const { return linearised(l); }

  double power(double q) const { return q * std::pow(reach(), q - 1); }
  template <typename Linearised>
  double linearised(const Linearised& l) const {
    if (reach() >= l.width) return power(l.exponent);
    return l.exponent * std::pow(l.width, l.exponent - 2) * reach();
  }
};

bool is_classification(const Loss& loss) {
  return std::holds_alternative<LogisticLoss>(loss) || std::holds_alternative<HingeLoss>(loss) ||
         std::holds_alternative<SmoothedHingeLoss>(loss) ||
         std::holds_alternative<PowerHingeLoss>(loss) ||
         std::holds_alternative<LinearisedPowerHingeLoss>(loss);
}

struct ModulusOf {
  double t;
  double operator()(const LogisticLoss&) const { return std::tanh(t / 4); }
  double operator()(const EpsilonInsensitiveLoss& l) const {
    return t < 2 * l.insensitivity ? 1 : 2;
  }
  double operator()(const LinearisedPowerHingeLoss& l) const { return linearised(l, l.exponent); }
  double operator()(const LinearisedPowerRegressionLoss& l) const {
    return linearised(l, two_sided(l.exponent));
  }
  template <typename Linearised>
  double linearised(const Linearised& l, double constant) const {
    return std::min(l.exponent * std::pow(l.width, l.exponent - 2) * t,
                    constant * std::pow(t, l.exponent - 1));
  }
  // What the smoothness says is attained.
  template <typename Other>
  double operator()(const Other& l) const {
    const auto facts = SmoothnessOf{}(l);
    return std::min(facts.range, facts.constant * std::pow(t, facts.exponent));
  }
};

struct CurvatureAt {
  double u;
  double y;
  double operator()(const LogisticLoss& l) const {
    const double size = std::fabs(l.slope(u, y));
    return size * (1 - size);
  }
  double operator()(const HingeLoss&) const { return 0; }
  double operator()(const AbsoluteLoss&) const { return 0; }
  double operator()(const PinballLoss&) const { return 0; }
  double operator()(const EpsilonInsensitiveLoss&) const { return 0; }
  double operator()(const PowerHingeLoss& l) const { return power(1 - y * u, l.exponent); }
  double operator()(const PowerRegressionLoss& l) const {
    return power(std::fabs(y - u), l.exponent);
  }
  double operator()(const LinearisedPowerHingeLoss& l) const { return linearised(1 - y * u, l); }
  double operator()(const LinearisedPowerRegressionLoss& l) const {
    return linearised(std::fabs(y - u), l);
  }
  double operator()(const SquaredEpsilonInsensitiveLoss& l) const {
    return std::fabs(y - u) > l.insensitivity ? 2 : 0;
  }
  double operator()(const SmoothedEpsilonInsensitiveLoss& l) const {
    const double size = std::fabs(l.slope(u, y));
    return size > 0 && size < 1 ? 1 / l.width : 0;
  }
  double operator()(const SmoothedHingeLoss& l) const {
    const double size = std::fabs(l.slope(u, y));
    return size > 0 && size < 1 ? 1 / l.width : 0;
  }
  double operator()(const SmoothedAbsoluteLoss& l) const {
    return std::fabs(u - y) < l.width ? 1 / l.width : 0;
  }
  double operator()(const SmoothedPinballLoss& l) const {
    const double slope = l.slope(u, y);
    return slope > -l.quantile && slope < 1 - l.quantile ? 1 / l.width : 0;
  }
  double operator()(const SquaredLoss&) const { return 1; }
  double operator()(const HuberLoss& l) const { return std::fabs(u - y) < l.threshold ? 1 : 0; }

  static double power(double m, double q) {
    if (q == 2) return m > 0 ? 2 : 0;
    return m > 0 ? q * (q - 1) * std::pow(m, q - 2) : 0;
  }
  template <typename Linearised>
  static double linearised(double m, const Linearised& l) {
    if (m <= 0) return 0;
    return m < l.width ? l.exponent * std::pow(l.width, l.exponent - 2) : power(m, l.exponent);
  }
};

struct Smoothed {
  double width;
  Loss operator()(const HingeLoss&) const { return SmoothedHingeLoss{width}; }
  Loss operator()(const AbsoluteLoss&) const { return SmoothedAbsoluteLoss{width}; }
  Loss operator()(const PinballLoss& l) const { return SmoothedPinballLoss{l.quantile, width}; }
  Loss operator()(const EpsilonInsensitiveLoss& l) const {
    return SmoothedEpsilonInsensitiveLoss{l.insensitivity, width};
  }
  Loss operator()(const PowerHingeLoss& l) const {
    return l.exponent == 2 ? Loss(l) : Loss(LinearisedPowerHingeLoss{l.exponent, width});
  }
  Loss operator()(const PowerRegressionLoss& l) const {
    return l.exponent == 2 ? Loss(l) : Loss(LinearisedPowerRegressionLoss{l.exponent, width});
  }
  template <typename Smooth>
  Loss operator()(const Smooth& l) const {
    return l;
  }
};

}  // namespace

LossSmoothness smoothness(const Loss& loss) { return std::visit(SmoothnessOf{}, loss); }

LossProperties properties(const Loss& loss) {
  return {slope_bound_within(loss, unbounded), smoothness(loss).curvature, is_classification(loss)};
}

double slope_bound_within(const Loss& loss, double bound) {
  return std::visit(SlopeWithin{bound}, loss);
}

double largest_loss_at_zero(const Loss& loss) {
  // Losses of a residual are even in it or, the pinball's, larger on one of the two sides.
  return std::max(loss_value(loss, 0, 1), loss_value(loss, 0, -1));
}

double modulus_of_continuity(const Loss& loss, double distance) {
  return std::visit(ModulusOf{distance}, loss);
}

double loss_curvature(const Loss& loss, double prediction, double label) {
  return std::visit(CurvatureAt{prediction, label}, loss);
}

bool can_be_smoothed(const Loss& loss) { return smoothness(loss).exponent < 1; }

Loss smoothed(const Loss& loss, double width) {
  if (!can_be_smoothed(loss)) return loss;
  if (!(width > 0) || !std::isfinite(width)) {
    throw base::InternalError("a loss is smoothed on a positive width");
  }
  return std::visit(Smoothed{width}, loss);
}

double smoothing_bias(const Loss& loss, double width) {
  const auto facts = smoothness(loss);
  if (facts.exponent == 1) return 0;
  if (facts.exponent == 0) {
    const double slope = properties(loss).slope_bound;
    return slope * slope * width / 2;
  }
  const double q = 1 + facts.exponent;
  return (1 - q / 2) * std::pow(width, q);
}

double width_for_step(const Loss& loss, double scaled_step) {
  const auto facts = smoothness(loss);
  if (facts.exponent == 0) return scaled_step / 2;
  // q h^(q-2) = 2 / (step X^2). Rounded up: a larger width is smoother.
  const double q = 1 + facts.exponent;
  return std::pow(q * scaled_step / 2, 1 / (2 - q)) * (1 + 0x1p-40);
}

}  // namespace tacet::model
