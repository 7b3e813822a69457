#pragma once

#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::optimize {

/// Value, slope and curvature of a loss at one prediction, as a second-order solver needs them.
struct LossPoint {
  double value;
  double slope;
  double curvature;
};

/// A loss made smooth on a width h as model::smoothed does it; a smooth loss is left as it is.
class SmoothedLoss {
 public:
  SmoothedLoss(const model::Loss& loss, double width) : loss_(model::smoothed(loss, width)) {}

  [[nodiscard]] static bool has_kink(const model::Loss& loss) {
    return model::can_be_smoothed(loss);
  }
  [[nodiscard]] LossPoint at(double prediction, double label) const;

 private:
  model::Loss loss_;
};

}  // namespace tacet::optimize
