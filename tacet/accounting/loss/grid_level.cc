#include "tacet/accounting/loss/grid_level.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::pld {

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

double GridLevel::rate_of_large(double log_delta, double share) const {
  // Two or more large losses have a probability of at most half the rate's square. With one large
  // loss, round-off of the other losses counts.
  const double delta = std::exp(log_delta);
  const auto& grid = upper_.parts()[0].grid;
  const double still = grid.index.front() == 0 ? grid.mass.front() : 0;
  const double round_off =
      (5e-13 * std::max(0.0, 1 - still) + 3e-14) * static_cast<double>(upper_.steps()) + 1e-12;
  return std::min(std::sqrt(share * delta), share * delta / round_off);
}

bool GridLevel::split(double log_delta, double share) {
  const double rate = rate_of_large(log_delta, share);
  auto upper = split_large_losses(upper_, rate);
  auto lower = split_large_losses(lower_, rate);
  if (!upper || !lower) return false;
  large_.emplace(LargeLosses{std::move(*upper), std::move(*lower), std::nullopt, std::nullopt});
  try {
    TwinTransform rest(large_->upper.rest, large_->lower.rest);
    // Mass that the transform leaves out changes delta by the rate times that mass.
    const double log_tail = log_delta - std::log(rate) - 18;
    rest.run(0, {0, 0, std::clamp(log_tail, log_smallest_tail, -18.0)}, largest_bits_);
    large_->above.emplace(large_->upper, upper_, rest.first());
    large_->below.emplace(large_->lower, lower_, rest.second());
  } catch (const base::NumericError&) {
    large_.reset();
    return false;
  }
  twin_.emplace(large_->upper.small, large_->lower.small);
  return true;
}

double GridLevel::log_delta_above(double eps) const {
  const double small = twin_->first().log_delta_above(eps);
  return large_ ? numeric::log_add_exp(small, std::log(large_->above->delta_above(eps))) : small;
}

double GridLevel::log_delta_below(double eps) const {
  const double small = twin_->second().log_delta_below(eps);
  return large_ ? numeric::log_add_exp(small, std::log(large_->below->delta_below(eps))) : small;
}

double GridLevel::round_off_at(double eps) const {
  double below = twin_->first().log_delta_below(eps);
  if (large_) below = numeric::log_add_exp(below, std::log(large_->above->delta_below(eps)));
  return log_delta_above(eps) - below;
}

bool GridLevel::is_astray(double theta, double log_delta) const {
  // The tilt of a normal sum, in units of one over its standard deviation, is about sqrt(2
  // log(1/x)), where x is delta, or delta over the standard deviation if that is small. A much
  // smaller tilt hardly moves the bulk.
  const double stddev = std::sqrt(upper_.cumulants(0).variance);
  const double log_share = log_delta - std::log(std::min(1.0, stddev));
  return theta * stddev < 0.3 * std::sqrt(std::max(0.0, -2 * log_share - 4));
}

std::optional<GridLevel::Aim> GridLevel::aim_apart(double log_delta, double share) const {
  const auto parts = split_large_losses(upper_, rate_of_large(log_delta, share));
  if (!parts) return std::nullopt;
  auto aim = aim_at(parts->small, log_delta);
  // one large loss beside the mean of the others
  const double shift = upper_.offset() + parts->small.cumulants(0).mean;
  const auto by_one = [&](double eps) {
    double sum = 0;
    for (std::size_t j = 0; j < parts->index.size(); ++j) {
      const double excess = static_cast<double>(parts->index[j]) * step_ + shift - eps;
      if (excess > 0) sum -= parts->mass[j] * std::expm1(-excess);
    }
    return sum;
  };
  double low = std::max(aim.epsilon, 0.0);
  double high = static_cast<double>(parts->index.back()) * step_ + shift;
  if (high > low && by_one(low) > std::exp(log_delta)) {
    for (int i = 0; i < 30; ++i) {
      const double middle = 0.5 * (low + high);
      (by_one(middle) > std::exp(log_delta) ? low : high) = middle;
    }
    aim = {tilt_for_mean(parts->small, high), high, true};
  }
  const auto& grid = upper_.parts()[0].grid;
  aim.threshold = grid.offset + static_cast<double>(parts->index.front()) * step_;
  return aim;
}

GridLevel::Aim GridLevel::aim_at(const GridSum& sum, double log_delta) const {
  // delta <= e^{K(theta) - theta eps} theta^theta / (1 + theta)^(1 + theta).
  const auto bound = [&](double log_theta) {
    const double theta = std::exp(log_theta);
    const double correction = theta * log_theta - (1 + theta) * std::log1p(theta);
    return (sum.log_moment(theta) + correction - log_delta) / theta;
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
  const double stddev = std::sqrt(sum.cumulants(theta).variance);
  const double excess = std::log1p(theta * stddev) / theta;
  return {theta, bound(std::log(theta)) - excess + sum.offset()};
}

}  // namespace tacet::accounting::pld
