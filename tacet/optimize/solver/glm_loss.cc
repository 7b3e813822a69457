#include "tacet/optimize/solver/glm_loss.h"

namespace tacet::optimize {
namespace {

model::Loss made_smooth(const model::Loss& loss, double width) {
  if (model::can_be_smoothed(loss) && (!(width > 0) || !std::isfinite(width))) {
    throw base::UsageError(
        "the loss {} is not smooth: a solver needs a positive width to smooth it on, got {}",
        model::loss_name(loss), width);
  }
  return model::smoothed(loss, width);
}

}  // namespace

GlmLoss::GlmLoss(const model::Loss& loss, double smoothing_width, double slope_clip,
                 const model::ClassWeights& weights)
    : loss_(made_smooth(loss, smoothing_width)),
      clip_(slope_clip),
      labels_(model::properties(loss_).labels),
      slope_bound_(std::min(model::properties(loss_).slope_bound, slope_clip)),
      curvature_bound_(model::properties(loss_).curvature),
      weighted_(!weights.uniform()),
      negative_weight_(labels_ == model::Labels::signs ? weights.of(-1) : 1),
      positive_weight_(labels_ == model::Labels::signs ? weights.of(1) : 1) {
  if (!(slope_clip > 0)) {
    throw base::UsageError("a slope's clip must be positive, got {}", slope_clip);
  }
}

double GlmLoss::checked_slope_bound() const {
  if (std::isfinite(slope_bound_)) return slope_bound_;
  throw base::UsageError(
      "the slope of the loss {} is unbounded: one record could move the minimiser by any amount; "
      "give it a clip",
      model::loss_name(loss_));
}

double GlmLoss::value(double prediction, double label) const {
  label = sanitised(label);
  if (std::fabs(model::loss_slope(loss_, prediction, label)) <= clip_) {
    return weight(label) * model::loss_value(loss_, prediction, label);
  }
  // Beyond the cut the loss goes on along its tangent. The slope is monotone, and about 0 at the
  // label's best prediction, so the place of the cut is found by halving the way there.
  constexpr double far = 500;  // where e^-u is nothing, for labels whose best is infinite
  double outside = prediction;
  double inside = std::clamp(model::best_prediction(loss_, label), -far, far);
  for (int i = 0; i < 2000; ++i) {
    const double middle = inside + 0.5 * (outside - inside);
    if (middle == inside || middle == outside) break;
    const bool holds = std::fabs(model::loss_slope(loss_, middle, label)) <= clip_;
    (holds ? inside : outside) = middle;
  }
  return weight(label) *
         (model::loss_value(loss_, inside, label) + clip_ * std::fabs(prediction - inside));
}

}  // namespace tacet::optimize
