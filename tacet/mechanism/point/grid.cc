#include "tacet/mechanism/point/grid.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/numeric/rounding.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::mechanism {
namespace {

constexpr int finest_grid_bits = 45;
constexpr int default_bits = 40;

constexpr std::int64_t grid_steps = 32;  // between powers of two
constexpr int min_exponent = -30;
constexpr std::int64_t grid_middle = (magnitude_ranks - 1) / 2;

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
  // A width that is a whole number of steps up to rounding counts as exactly that.
  last_ = static_cast<std::int64_t>(width / step_ * numeric::up_ulps(4));
}

std::int64_t Grid::nearest(double value) const {
  const double place = (value - lower_) / step_;
  if (!(place > 0)) return 0;
  return static_cast<std::int64_t>(std::nearbyint(std::min(place, static_cast<double>(last_))));
}

std::int64_t magnitude_rank(double value) {
  const double size = std::fabs(value);
  if (!(size >= std::ldexp(1.0, min_exponent))) return grid_middle;
  const double last = magnitude_point(magnitude_ranks - 1);
  if (size >= last) return value < 0 ? 0 : magnitude_ranks - 1;
  const int exponent = std::ilogb(size);
  const double fraction = std::ldexp(size, -exponent) - 1;
  const std::int64_t place = (exponent - min_exponent) * grid_steps + 1 +
                             std::llround(fraction * static_cast<double>(grid_steps));
  return value < 0 ? grid_middle - place : grid_middle + place;
}

double magnitude_point(std::int64_t rank) {
  const std::int64_t offset = std::clamp<std::int64_t>(rank, 0, magnitude_ranks - 1) - grid_middle;
  if (offset == 0) return 0;
  const std::int64_t place = std::abs(offset) - 1;
  const double fraction =
      1 + static_cast<double>(place % grid_steps) / static_cast<double>(grid_steps);
  const double size = std::ldexp(fraction, static_cast<int>(place / grid_steps) + min_exponent);
  return offset < 0 ? -size : size;
}

}  // namespace tacet::mechanism

namespace tacet::mechanism::internal {

std::int64_t choose_point(std::span<const random::WeightedLevel> runs, RationalEpsilon epsilon,
                          std::int64_t sensitivity, random::Stream& stream) {
  const auto rate = score_rate(epsilon, sensitivity, Movement::any);
  const std::size_t run = random::ExponentialChoice(runs, rate).draw(stream);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < run; ++i) first += runs[i].count;
  return static_cast<std::int64_t>(first + random::uniform_below(stream, runs[run].count));
}

}  // namespace tacet::mechanism::internal
