#include "tacet/privacy/grid_level.h"

#include <algorithm>
#include <cmath>

namespace tacet::privacy::pld {

GridLevel::Grids GridLevel::grids_of(std::span<const Component> components,
                                     const Cutting& cutting) {
  std::vector<CountedGrid> upper;
  std::vector<CountedGrid> lower;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto cells =
        make_cells(*components[i].pair, cutting.step, cutting.log_tail, cutting.resolutions[i]);
    upper.push_back({upper_grid(cells), components[i].count});
    lower.push_back({lower_grid(cells), components[i].count});
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
      twin_(upper_, lower_) {}

double GridLevel::tilt_for_mean(double eps) const {
  const double target = eps - upper_.offset();
  if (upper_.cumulants(0).mean >= target) return 0;
  if (target >= upper_.highest_index() * step_) return largest_tilt();
  double low = 0;
  double high = 1;
  while (upper_.cumulants(high).mean < target && high < largest_tilt()) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (upper_.cumulants(middle).mean < target ? low : high) = middle;
  }
  return 0.5 * (low + high);
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
