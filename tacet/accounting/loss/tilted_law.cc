#include "tacet/accounting/loss/tilted_law.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/accounting/loss/grid_sum.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::pld {
namespace {

using numeric::unit_roundoff;

constexpr std::size_t block_size = 16;

/// The factors e^{rate i}, i < block_size, which continue an exponential within a block.
std::array<double, block_size> factors(double rate) {
  std::array<double, block_size> result{};
  for (std::size_t i = 0; i < block_size; ++i) result[i] = std::exp(rate * static_cast<double>(i));
  return result;
}

struct Sums {
  double positive = 0;
  double negative = 0;
  double weights = 0;
  bool cut = false;
};

Sums sums_above(const TiltedLaw& law, double shifted) {
  if (!std::isfinite(shifted)) {
    throw base::NumericError("a privacy loss is compared with a threshold that is not a number");
  }
  const auto size = static_cast<std::int64_t>(law.coefficients.size());
  const double first = std::floor(shifted / law.step) + 1 - static_cast<double>(law.low);
  auto i = static_cast<std::int64_t>(std::clamp(first, 0.0, static_cast<double>(size)));
  // Keep the sums in registers: storing them for each term takes twice as long.
  double positive = 0;
  double negative = 0;
  double weights = 0;
  bool cut = false;
  const auto distance = [&](std::int64_t index) {
    return static_cast<double>(law.low + index) * law.step - shifted;
  };
  const bool steep = law.theta * law.step * block_size > 300;
  const auto tilt = factors(steep ? 0 : -law.theta * law.step);
  const auto decay = factors(-std::min(law.step, 10.0));
  while (i < size) {
    const double d = distance(i);
    if (law.theta * d > -log_smallest_tail) {
      cut = true;
      break;
    }
    const auto end = std::min<std::int64_t>(size, i + static_cast<std::int64_t>(block_size));
    // Close to the threshold 1 - e^-d needs expm1; further away a run of products is precise
    // enough.
    const bool direct = steep || law.step > 10 || d < 0.05;
    const double tilt_base = direct ? 0 : std::exp(-law.theta * d);
    const double decay_base = direct ? 0 : std::exp(-d);
    for (std::size_t k = 0; i < end; ++i, ++k) {
      double weight = 0;
      if (direct) {
        const double here = distance(i);
        if (here <= 0) continue;
        weight = -std::expm1(-here) * std::exp(-law.theta * here);
      } else {
        weight = (1 - decay_base * decay[k]) * (tilt_base * tilt[k]);
      }
      const double c = law.coefficients[static_cast<std::size_t>(i)];
      positive += weight * std::max(c, 0.0);
      negative += weight * std::max(-c, 0.0);
      weights += weight;
    }
  }
  return {positive, negative, weights, cut};
}

/// Bounds what the coefficients above a threshold miss or contain too much, relative to e^{K -
/// theta eps'}.
double outside(const TiltedLaw& law, double shifted, bool cut) {
  const double tail = std::exp(law.log_tail);
  const auto size = static_cast<double>(law.coefficients.size());
  const double period = size * law.step;
  const double bottom = static_cast<double>(law.low) * law.step;
  const double highest = static_cast<double>(law.high) * law.step;
  // Losses that lie more than a period above the threshold wrap around and reappear above it.
  const double wrapped = std::max(shifted, bottom) + period >= highest ? tail : 1;
  // Losses above the last coefficient have little weight.
  double beyond = std::exp(log_smallest_tail);
  if (!cut) {
    const double top = bottom + period;
    beyond = top >= highest ? tail : std::exp(std::min(0.0, -law.theta * (top - shifted)));
  }
  // No weight relative to e^{K - theta eps'} exceeds 1.
  return (tail + wrapped + beyond + law.law_error) * (1 + 1e-9);
}

double one_end(const TiltedLaw& law, double shifted, double sign) {
  // All numbers below are relative to e^{K - theta eps'}.
  const double scale = law.log_mass - law.theta * shifted;
  const auto sums = sums_above(law, shifted);
  const double tails = outside(law, shifted, sums.cut);
  // Sums have up to `size` terms. Products are within 500 roundings of their exact weights.
  const double rounding = unit_roundoff * (static_cast<double>(law.coefficients.size()) + 500) *
                          (sums.positive + sums.negative + sums.weights * law.round_off);
  // Negative coefficients are round-off; the upper end ignores them.
  const double sum = sums.positive - (sign > 0 ? 0.0 : sums.negative);
  const double finite = sum + sign * (sums.weights * law.round_off + tails + rounding);
  const double log_finite =
      finite > 0 ? std::log(finite) + scale + sign * law.mass_error : -numeric::infinity;
  // Infinite losses count with their full mass.
  const double log_infinite =
      law.infinite_mass > 0 ? std::log(law.infinite_mass) : -numeric::infinity;
  return numeric::log_add_exp(log_finite, log_infinite);
}

}  // namespace

double TiltedLaw::log_delta_above(double eps) const {
  return one_end(*this, eps - offset - loss_error, 1);
}

double TiltedLaw::log_delta_below(double eps) const {
  return one_end(*this, eps - offset + loss_error, -1);
}

}  // namespace tacet::accounting::pld
