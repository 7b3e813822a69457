#include "tacet/optimize/solver/smooth_slope.h"

namespace tacet::optimize {

LossPoint SmoothedLoss::at(double prediction, double label) const {
  return {model::loss_value(loss_, prediction, label), model::loss_slope(loss_, prediction, label),
          model::loss_curvature(loss_, prediction, label)};
}

}  // namespace tacet::optimize
