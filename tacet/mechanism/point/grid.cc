#include "tacet/mechanism/point/grid.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::mechanism {
namespace {

constexpr int finest_grid_bits = 45;
constexpr int default_bits = 40;

}  // namespace

Grid::Grid(double lower, double upper, std::optional<double> step)
    : lower_(lower), step_(0), last_(0) {
  if (!std::isfinite(lower) || !std::isfinite(upper) || !(lower < upper)) {
    throw base::UsageError(
        "bounds must be finite with the lower one below the upper one, got {} and {}", lower,
        upper);
  }
  const double width = upper - lower;
  if (!std::isfinite(width)) {
    throw base::UsageError("bounds {} and {} lie too far apart for doubles", lower, upper);
  }
  step_ = step.value_or(0);
  if (!step) {
    int exponent = 0;
    const bool power = std::frexp(width, &exponent) == 0.5;
    step_ = std::ldexp(1.0, exponent - (power ? 1 : 0) - default_bits);
  }
  if (!(step_ >= std::ldexp(width, -finest_grid_bits) && step_ > 0 && step_ <= width)) {
    throw base::UsageError(
        "the grid's step must lie between 2^-{} of the width {} and the width, got {}",
        finest_grid_bits, width, step_);
  }
  // A width that is a whole number of steps up to rounding counts as one.
  last_ = static_cast<std::int64_t>(width / step_ * numeric::up_ulps(4));
}

std::int64_t Grid::nearest(double value) const {
  const double place = (value - lower_) / step_;
  if (!(place > 0)) return 0;
  return static_cast<std::int64_t>(std::nearbyint(std::min(place, static_cast<double>(last_))));
}

}  // namespace tacet::mechanism
