#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/model/class_weights.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/numeric/rounding.h"

namespace tacet::optimize {

/// The scalar loss that a solver minimises: a model's loss, its corners rounded by the Moreau
/// envelope of a public width, its slope cut to [-slope_clip, slope_clip]. The cut loss is convex
/// again (a clipped non-decreasing slope is non-decreasing), so cutting is part of the objective,
/// and a bound of the slope holds for every prediction and label there is.
///
/// A class's public weight in (0, 1] multiplies all of that, the tangents of the cut included: no
/// bound grows.
///
/// Labels are mapped to the loss's own domain: the sign for classes, [-1, 1] for numbers, [0, 1]
/// for shares, and whatever is not a number to +1 or 0.
class GlmLoss {
 public:
  /// UsageError where a loss that is not smooth gets no width, or the clip is not positive.
  explicit GlmLoss(const model::Loss& loss, double smoothing_width = 0,
                   double slope_clip = std::numeric_limits<double>::infinity(),
                   const model::ClassWeights& weights = {});

  /// Bound of |slope| for every prediction and label; infinite for the squared loss without a clip.
  [[nodiscard]] double slope_bound() const { return slope_bound_; }
  /// The same; UsageError where it is infinite: one record could move a minimiser by any amount.
  [[nodiscard]] double checked_slope_bound() const;
  /// Lipschitz constant of the slope, everywhere: finite.
  [[nodiscard]] double curvature_bound() const { return curvature_bound_; }
  /// After smoothing.
  [[nodiscard]] const model::Loss& loss() const { return loss_; }
  [[nodiscard]] double slope_clip() const { return clip_; }
  /// Error of a computed slope over its bound: all losses meet 2^-50, a weight rounds once.
  [[nodiscard]] double slope_rounding() const { return weighted_ ? 0x1.4p-50 : numeric::ulps(4); }

  [[nodiscard]] double sanitised(double label) const {
    return model::sanitised_label(labels_, label);
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
  model::Labels labels_;
  double slope_bound_;
  double curvature_bound_;
  bool weighted_;
  double negative_weight_;  // in (0, 1]
  double positive_weight_;

  [[nodiscard]] double weight(double label) const {
    return label < 0 ? negative_weight_ : positive_weight_;
  }
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
      [&](const auto& loss) {
        body([this, &loss, clipped](double prediction, double label) {
          const double slope = loss.slope(prediction, label);
          auto point = clipped(slope, loss.curvature(prediction, label, slope));
          point.slope *= weight(label);
          point.curvature *= weight(label);
          return point;
        });
      },
      loss_);
}

template <typename Real>
Real GlmLoss::slope_in(const Real& prediction, double label) const {
  const Real slope = std::visit(
      [&](const auto& loss) -> Real {
        if constexpr (requires { loss.wide_slope(prediction, prediction); }) {
          return loss.wide_slope(prediction, Real(label));
        } else {
          throw base::InternalError("a loss that is not smooth has no slope in wide arithmetic");
        }
      },
      loss_);
  if (!std::isfinite(clip_)) return slope * Real(weight(label));
  return model::internal::within(Real(-clip_), slope, Real(clip_)) * Real(weight(label));
}

}  // namespace tacet::optimize
