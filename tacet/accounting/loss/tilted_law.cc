#include "tacet/accounting/loss/tilted_law.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/accounting/loss/grid_sum.h"
#include "tacet/base/error.h"
#include "tacet/numeric/infinity.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::pld {
namespace {

constexpr double u = 0x1p-53;  // unit roundoff

constexpr std::size_t block_size = 16;

/// The factors e^{rate i}, i < block_size, by which a run of exponentials follows its first.
std::array<double, block_size> factors(double rate) {
  std::array<double, block_size> result{};
  for (std::size_t i = 0; i < block_size; ++i) result[i] = std::exp(rate * static_cast<double>(i));
  return result;
}

}  // namespace

TiltedLaw::Sums TiltedLaw::sums_above(double shifted) const {
  if (!std::isfinite(shifted)) {
    throw base::NumericError("a privacy loss is compared with a threshold that is not a number");
  }
  const auto size = static_cast<std::int64_t>(coefficients_.size());
  const double first = std::floor(shifted / step_) + 1 - static_cast<double>(low_);
  auto i = static_cast<std::int64_t>(std::clamp(first, 0.0, static_cast<double>(size)));
  Sums sums;
  const auto distance = [&](std::int64_t index) {
    return static_cast<double>(low_ + index) * step_ - shifted;
  };
  const bool steep = theta_ * step_ * block_size > 300;
  const auto tilt = factors(steep ? 0 : -theta_ * step_);
  const auto decay = factors(-std::min(step_, 10.0));
  while (i < size) {
    const double d = distance(i);
    if (theta_ * d > -log_smallest_tail) {
      sums.cut = true;
      break;
    }
    const auto end = std::min<std::int64_t>(size, i + static_cast<std::int64_t>(block_size));
    // Close to the threshold 1 - e^-d needs expm1; further out a run of products does.
    const bool direct = steep || step_ > 10 || d < 0.05;
    const double tilt_base = direct ? 0 : std::exp(-theta_ * d);
    const double decay_base = direct ? 0 : std::exp(-d);
    for (std::size_t k = 0; i < end; ++i, ++k) {
      double weight = 0;
      if (direct) {
        const double here = distance(i);
        if (here <= 0) continue;
        weight = -std::expm1(-here) * std::exp(-theta_ * here);
      } else {
        weight = (1 - decay_base * decay[k]) * (tilt_base * tilt[k]);
      }
      const double c = coefficients_[static_cast<std::size_t>(i)];
      sums.positive += weight * std::max(c, 0.0);
      sums.negative += weight * std::max(-c, 0.0);
      sums.weights += weight;
    }
  }
  return sums;
}

/// What the coefficients above a threshold miss or hold too much, relative to e^{K - theta eps'}.
double TiltedLaw::outside(double shifted, bool cut) const {
  const double tail = std::exp(log_tail_);
  const auto size = static_cast<double>(coefficients_.size());
  const double period = size * step_;
  const double bottom = static_cast<double>(low_) * step_;
  const double highest = static_cast<double>(high_) * step_;
  // Losses more than a period above the threshold reappear above it.
  const double wrapped = std::max(shifted, bottom) + period >= highest ? tail : 1;
  // Losses above the last coefficient weigh little.
  double beyond = std::exp(log_smallest_tail);
  if (!cut) {
    const double top = bottom + period;
    beyond = top >= highest ? tail : std::exp(std::min(0.0, -theta_ * (top - shifted)));
  }
  // No weight relative to e^{K - theta eps'} exceeds 1.
  return (tail + wrapped + beyond + law_error_) * (1 + 1e-9);
}

double TiltedLaw::one_end(double shifted, double sign) const {
  // Everything relative to e^{K - theta eps'}.
  const double scale = log_moment_ - theta_ * shifted;
  const auto sums = sums_above(shifted);
  const double tails = outside(shifted, sums.cut);
  // Sums of up to `size` terms; products stand within 500 roundings of their exact weights.
  const double rounding = u * (static_cast<double>(coefficients_.size()) + 500) *
                          (sums.positive + sums.negative + sums.weights * round_off_);
  // Negative coefficients are round-off; the upper end does without them.
  const double sum = sums.positive - (sign > 0 ? 0.0 : sums.negative);
  const double finite = sum + sign * (sums.weights * round_off_ + tails + rounding);
  const double log_finite =
      finite > 0 ? std::log(finite) + scale + sign * mass_error_ : -numeric::infinity;
  // Infinite losses count in full.
  const double log_infinite = infinite_mass_ > 0 ? std::log(infinite_mass_) : -numeric::infinity;
  return numeric::log_add_exp(log_finite, log_infinite);
}

double TiltedLaw::log_delta_above(double eps) const {
  return one_end(eps - offset_ - loss_error_, 1);
}

double TiltedLaw::log_delta_below(double eps) const {
  return one_end(eps - offset_ + loss_error_, -1);
}

}  // namespace tacet::accounting::pld
