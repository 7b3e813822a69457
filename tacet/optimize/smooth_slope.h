#pragma once

#include <algorithm>
#include <cmath>

#include "tacet/model/loss.h"

namespace tacet::optimize {

/// Value, slope and curvature of a loss at one prediction, as a second-order solver needs them.
struct LossPoint {
  double value;
  double slope;
  double curvature;
};

/// A loss with its kinks smoothed by the Moreau envelope of width h; a loss without kinks is left
/// as it is. The envelope lies below the loss by at most h/2 times the squared slope bound.
class SmoothedLoss {
 public:
  SmoothedLoss(const model::Loss& loss, double width) : loss_(loss), width_(width) {}

  [[nodiscard]] static bool has_kink(const model::Loss& loss) {
    return std::isinf(model::properties(loss).curvature);
  }

  [[nodiscard]] LossPoint at(double prediction, double label) const;

 private:
  struct Kink {
    double place;
    double left;  // slopes on both sides
    double right;
  };
  [[nodiscard]] Kink kink(double label) const;

  const model::Loss& loss_;
  double width_;
};

}  // namespace tacet::optimize
