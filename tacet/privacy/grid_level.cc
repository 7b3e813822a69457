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

GridLevel::SaddlePoint GridLevel::saddle(double log_delta) const {
  const auto excess = [&](double log_theta) {
    const double theta = std::exp(log_theta);
    const auto c = upper_.cumulants(theta);
    constexpr double log_2pi = 1.83787706640934548356;
    // Where one point holds nearly all, its distance to the next ones counts.
    const double spread = 0.5 * (log_2pi + std::log(std::max(c.variance, step_ * step_)));
    return c.value - theta * c.mean - std::log(theta * (1 + theta)) - spread - log_delta;
  };
  double low = -10;
  double high = std::log(largest_tilt());
  for (int i = 0; i < 24 && high - low > 0.01; ++i) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0 ? low : high) = middle;
  }
  const double theta = std::exp(0.5 * (low + high));
  return {theta, upper_.cumulants(theta).mean + upper_.offset()};
}

}  // namespace tacet::privacy::pld
