#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::optimize {

/// The scalar loss that a solver minimises: a model's loss, its kinks rounded by the Moreau
/// envelope of a public width, its slope cut to [-slope_clip, slope_clip]. The cut loss is convex
/// again (a clipped non-decreasing slope is non-decreasing), so cutting is part of the objective,
/// and a bound of the slope holds for every prediction and label there is.
///
/// Labels are mapped to the loss's own domain: the sign for classes, [-1, 1] for numbers, and
/// whatever is not a number to +1 or 0.
class GlmLoss {
 public:
  /// UsageError where a loss that is not smooth gets no width, or the clip is not positive.
  explicit GlmLoss(const model::Loss& loss, double smoothing_width = 0,
                   double slope_clip = std::numeric_limits<double>::infinity());

  /// Of |slope| for every prediction and label; infinite for the squared loss without a clip.
  [[nodiscard]] double slope_bound() const { return slope_bound_; }
  /// The same; UsageError where it is infinite: one record could move a minimiser by any amount.
  [[nodiscard]] double checked_slope_bound() const;
  /// Lipschitz constant of the slope, everywhere: finite.
  [[nodiscard]] double curvature_bound() const { return curvature_bound_; }
  /// After smoothing.
  [[nodiscard]] const model::Loss& loss() const { return loss_; }
  [[nodiscard]] double slope_clip() const { return clip_; }

  [[nodiscard]] double sanitised(double label) const {
    if (classification_) return label < 0 || label == 0 ? -1 : 1;
    return std::isfinite(label) ? std::clamp(label, -1.0, 1.0) : 0;
  }
  [[nodiscard]] double value(double prediction, double label) const;

  /// Calls `body(slope_of)` with one function (prediction, sanitised label) -> (slope, curvature):
  /// the dispatch happens once, outside of a loop over records.
  template <typename Body>
  void with_slopes(const Body& body) const;

  /// The slope in a wider type, for the route whose rounding must not count.
  template <typename Real>
  [[nodiscard]] Real slope_in(const Real& prediction, double label) const;

 private:
  model::Loss loss_;
  double clip_;
  bool classification_;
  double slope_bound_;
  double curvature_bound_;
};

struct SlopeAndCurvature {
  double slope;
  double curvature;
};

template <typename Body>
void GlmLoss::with_slopes(const Body& body) const {
  const double clip = clip_;
  const auto clipped = [clip](double slope, double curvature) {
    return std::fabs(slope) < clip ? SlopeAndCurvature{slope, curvature}
                                   : SlopeAndCurvature{std::clamp(slope, -clip, clip), 0.0};
  };
  std::visit(
      [&]<typename L>(const L& loss) {
        body([&loss, &any = loss_, clipped](double prediction, double label) {
          const double slope = loss.slope(prediction, label);
          if constexpr (std::is_same_v<L, model::LogisticLoss>) {
            return clipped(slope, std::fabs(slope) * (1 - std::fabs(slope)));
          }
          return clipped(slope, model::loss_curvature(any, prediction, label));
        });
      },
      loss_);
}

namespace internal {

template <typename Real>
Real within(const Real& low, const Real& value, const Real& high) {
  return value < low ? low : value > high ? high : value;
}

/// Slopes in a wider type, by the formulas of model/loss.
template <typename Real>
struct WideSlope {
  const Real& u;
  Real y;

  Real operator()(const model::LogisticLoss&) const {
    using std::exp;
    return Real(-y) / (Real(1) + exp(Real(y * u)));
  }
  Real operator()(const model::SquaredLoss&) const { return u - y; }
  Real operator()(const model::SmoothedHingeLoss& l) const {
    return Real(-y) * within(Real(0), Real((Real(1) - y * u) / Real(l.width)), Real(1));
  }
  Real operator()(const model::HuberLoss& l) const {
    return within(Real(-l.threshold), Real(u - y), Real(l.threshold));
  }
  Real operator()(const model::SmoothedAbsoluteLoss& l) const {
    return within(Real(-1), Real((u - y) / Real(l.width)), Real(1));
  }
  Real operator()(const model::SmoothedPinballLoss& l) const {
    return within(Real(-l.quantile), Real((u - y) / Real(l.width)), Real(1 - l.quantile));
  }
  Real operator()(const model::SmoothedEpsilonInsensitiveLoss& l) const {
    return signed_by(
        within(Real(0), Real((residual() - Real(l.insensitivity)) / Real(l.width)), Real(1)));
  }
  Real operator()(const model::SquaredEpsilonInsensitiveLoss& l) const {
    const Real excess = residual() - Real(l.insensitivity);
    return signed_by(excess > 0 ? Real(2 * excess) : Real(0));
  }
  Real operator()(const model::PowerHingeLoss& l) const {
    return Real(-y) * power(Real(1) - y * u, l.exponent);
  }
  Real operator()(const model::PowerRegressionLoss& l) const {
    return signed_by(power(residual(), l.exponent));
  }
  Real operator()(const model::LinearisedPowerHingeLoss& l) const {
    return Real(-y) * linearised(Real(1) - y * u, l);
  }
  Real operator()(const model::LinearisedPowerRegressionLoss& l) const {
    return signed_by(linearised(residual(), l));
  }
  template <typename Kinked>
  Real operator()(const Kinked&) const {
    throw base::InternalError("a loss with a kink has no slope in wide arithmetic");
  }

  [[nodiscard]] Real residual() const { return u < y ? Real(y - u) : Real(u - y); }
  [[nodiscard]] Real signed_by(const Real& size) const { return u < y ? Real(-size) : size; }
  static Real power(const Real& m, double q) {
    using std::pow;
    return m > 0 ? Real(Real(q) * pow(m, Real(q - 1))) : Real(0);
  }
  template <typename Linearised>
  static Real linearised(const Real& m, const Linearised& l) {
    using std::pow;
    if (m >= Real(l.width)) return power(m, l.exponent);
    return m > 0 ? Real(Real(l.exponent) * pow(Real(l.width), Real(l.exponent - 2)) * m) : Real(0);
  }
};

}  // namespace internal

template <typename Real>
Real GlmLoss::slope_in(const Real& prediction, double label) const {
  const Real slope = std::visit(internal::WideSlope<Real>{prediction, Real(label)}, loss_);
  if (!std::isfinite(clip_)) return slope;
  return internal::within(Real(-clip_), slope, Real(clip_));
}

}  // namespace tacet::optimize
