#include "tacet/optimize/smooth_slope.h"

#include "tacet/base/error.h"

namespace tacet::optimize {

LossPoint SmoothedLoss::at(double prediction, double label) const {
  if (has_kink(loss_)) {
    // Moreau envelope of max(left t, right t), t = prediction - place.
    const auto [place, left, right] = kink(label);
    const double t = prediction - place;
    const double slope = std::clamp(t / width_, left, right);
    const bool inside = slope > left && slope < right;
    return {slope * t - width_ * slope * slope / 2, slope, inside ? 1 / width_ : 0};
  }
  const double slope = model::loss_slope(loss_, prediction, label);
  double curvature = 1;
  if (std::holds_alternative<model::LogisticLoss>(loss_)) {
    curvature = std::fabs(slope) * (1 - std::fabs(slope));
  } else if (const auto* hinge = std::get_if<model::SmoothedHingeLoss>(&loss_)) {
    curvature = std::fabs(slope) > 0 && std::fabs(slope) < 1 ? 1 / hinge->width : 0;
  } else if (const auto* huber = std::get_if<model::HuberLoss>(&loss_)) {
    curvature = std::fabs(slope) < huber->threshold ? 1 : 0;
  }
  return {model::loss_value(loss_, prediction, label), slope, curvature};
}

SmoothedLoss::Kink SmoothedLoss::kink(double label) const {
  if (std::holds_alternative<model::HingeLoss>(loss_)) {
    return label > 0 ? Kink{1, -1, 0} : Kink{-1, 0, 1};
  }
  if (std::holds_alternative<model::AbsoluteLoss>(loss_)) return {label, -1, 1};
  if (const auto* pinball = std::get_if<model::PinballLoss>(&loss_)) {
    return {label, -pinball->quantile, 1 - pinball->quantile};
  }
  throw base::InternalError("a loss with a kink has no smoothing");
}

}  // namespace tacet::optimize
