#include "tacet/privacy/grid_level.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/special.h"

namespace tacet::privacy::pld {

GridLevel::Grids GridLevel::grids_of(std::span<const Component> components,
                                     const Cutting& cutting) {
  std::vector<CountedGrid> upper;
  std::vector<CountedGrid> lower;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto cells =
        make_cells(*components[i].pair, cutting.step, cutting.log_tail, cutting.resolutions[i]);
    upper.push_back({upper_grid(cells), components[i].count});
    if (const auto& below = components[i].below) {
      const auto under = make_cells(*below, cutting.step, cutting.log_tail, cutting.resolutions[i]);
      lower.push_back({lower_grid(under), components[i].count});
    } else {
      lower.push_back({lower_grid(cells), components[i].count});
    }
  }
  return {GridSum(std::move(upper)), GridSum(std::move(lower))};
}

GridLevel::GridLevel(std::span<const Component> components, const Cutting& cutting,
                     int largest_bits)
    : GridLevel(grids_of(components, cutting), cutting.step, largest_bits) {}

GridLevel::GridLevel(Grids grids, double step, int largest_bits)
    : step_(step),
      largest_bits_(largest_bits),
      upper_(std::move(grids.first)),
      lower_(std::move(grids.second)),
      twin_(std::in_place, upper_, lower_) {}

double GridLevel::tilt_for_mean(const GridSum& sum, double eps) const {
  const double target = eps - sum.offset();
  if (sum.cumulants(0).mean >= target) return 0;
  if (target >= sum.highest_index() * step_) return largest_tilt();
  double low = 0;
  double high = 1;
  while (sum.cumulants(high).mean < target && high < largest_tilt()) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (sum.cumulants(middle).mean < target ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

bool GridLevel::split(double log_delta, double share) {
  // Two large losses have a probability of half the rate's square; round-off of the others counts
  // beside one.
  const double delta = std::exp(log_delta);
  const double round_off = 5e-13 * static_cast<double>(upper_.steps()) + 1e-12;
  const double rate = std::min(std::sqrt(share * delta), share * delta / round_off);
  auto upper = split_jumps(upper_, rate);
  auto lower = split_jumps(lower_, rate);
  if (!upper || !lower) return false;
  jumps_.emplace(Jumps{std::move(*upper), std::move(*lower), std::nullopt, std::nullopt});
  try {
    TwinTransform rest(jumps_->upper.rest, jumps_->lower.rest);
    rest.run(0, {0, 0, log_smallest_tail}, largest_bits_);
    jumps_->above.emplace(jumps_->upper, upper_, rest.first());
    jumps_->below.emplace(jumps_->lower, lower_, rest.second());
  } catch (const base::NumericError&) {
    jumps_.reset();
    return false;
  }
  twin_.emplace(jumps_->upper.small, jumps_->lower.small);
  return true;
}

double GridLevel::log_delta_above(double eps) const {
  const double small = twin_->first().log_delta_above(eps);
  return jumps_ ? numeric::log_add_exp(small, std::log(jumps_->above->delta_above(eps))) : small;
}

double GridLevel::log_delta_below(double eps) const {
  const double small = twin_->second().log_delta_below(eps);
  return jumps_ ? numeric::log_add_exp(small, std::log(jumps_->below->delta_below(eps))) : small;
}

double GridLevel::round_off_at(double eps) const {
  double below = twin_->first().log_delta_below(eps);
  if (jumps_) below = numeric::log_add_exp(below, std::log(jumps_->above->delta_below(eps)));
  return log_delta_above(eps) - below;
}

GridLevel::Aim GridLevel::aim_at(double log_delta) const {
  // delta <= e^{K(theta) - theta eps} theta^theta / (1 + theta)^(1 + theta).
  const auto bound = [&](double log_theta) {
    const double theta = std::exp(log_theta);
    const double correction = theta * log_theta - (1 + theta) * std::log1p(theta);
    return (upper_.log_moment(theta) + correction - log_delta) / theta;
  };
  double low = -9;
  double high = std::log(largest_tilt());
  constexpr double section = 0.38196601125010515;
  double left = low + section * (high - low);
  double right = high - section * (high - low);
  double at_left = bound(left);
  double at_right = bound(right);
  while (high - low > 0.02) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = low + section * (high - low);
      at_left = bound(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = high - section * (high - low);
      at_right = bound(right);
    }
  }
  const double theta = std::exp(0.5 * (low + high));
  const double deviation = std::sqrt(upper_.cumulants(theta).variance);
  const double excess = std::log1p(theta * deviation) / theta;
  return {theta, bound(std::log(theta)) - excess + upper_.offset()};
}

}  // namespace tacet::privacy::pld
