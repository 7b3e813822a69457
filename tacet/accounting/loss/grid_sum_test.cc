#include "tacet/accounting/loss/grid_sum.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacet::accounting::pld {
namespace grid_sum_test {

/// `count` losses of +-step, each with the pure mechanism's masses.
GridSum draws(double step, std::int64_t count) {
  LossGrid grid;
  grid.step = step;
  grid.index = {-1, 1};
  const double up = 1 / (1 + std::exp(-step));
  grid.mass = {1 - up, up};
  return GridSum({{grid, count}});
}

// An infinite loss of probability p in each of 1000 uses: the lower end may not count more than
// there is.
TEST(GridSum, LowerEndsCountNoMoreInfiniteLossThanThereIs) {
  std::vector<CountedGrid> parts;
  LossGrid grid;
  grid.step = 1;
  grid.index = {0};
  grid.infinite = 0.25;
  grid.mass = {0.75};
  parts.push_back({grid, 2});
  const GridSum sum(parts);
  EXPECT_LT(sum.infinite_mass(End::below), 0.4375);
  EXPECT_GT(sum.infinite_mass(End::above), 0.4375);
  EXPECT_NEAR(sum.infinite_mass(End::below), 0.4375, 1e-11);
}

// log E[e^{theta Y}] = n log(p e^{theta s} + (1 - p) e^{-theta s}), and its derivatives.
TEST(GridSum, CumulantsAreThoseOfTheSum) {
  constexpr double step = 0.25;
  constexpr std::int64_t count = 40;
  const auto sum = draws(step, count);
  const double p = 1 / (1 + std::exp(-step));
  for (const double theta : {0.0, 0.5, 3.0, 100.0, 4000.0}) {
    const double up = std::log(p) + theta * step;
    const double down = std::log1p(-p) - theta * step;
    const double one = up + std::log1p(std::exp(down - up));
    const double share = 1 / (1 + std::exp(down - up));
    const auto found = sum.cumulants(theta);
    EXPECT_NEAR(found.value, count * one, 1e-12 * (1 + count * one)) << theta;
    EXPECT_NEAR(sum.log_moment(theta), found.value, 1e-12 * (1 + count * one)) << theta;
    EXPECT_NEAR(found.mean, count * step * (2 * share - 1), 1e-12) << theta;
    EXPECT_NEAR(found.variance, count * step * step * 4 * share * (1 - share), 1e-12) << theta;
  }
}

TEST(GridSum, KeepsOffsetsAndEndsApart) {
  LossGrid first;
  first.step = 0.5;
  first.offset = 3;
  first.index = {-2, 5};
  first.mass = {0.5, 0.5};
  first.loss_error = 1e-9;
  LossGrid second = first;
  second.offset = -1;
  second.index = {0, 1};
  const GridSum sum({{first, 10}, {second, 4}});
  EXPECT_EQ(sum.offset(), 26);
  EXPECT_EQ(sum.steps(), 14);
  EXPECT_EQ(sum.lowest_index(), -20);
  EXPECT_EQ(sum.highest_index(), 54);
  EXPECT_GE(sum.loss_error(), 14e-9);
}

TEST(GridSum, LessThanTheTailLiesOutsideItsWindow) {
  constexpr std::int64_t count = 60;
  constexpr double step = 0.1;
  const auto sum = draws(step, count);
  for (const double theta : {0.0, 1.0, 5.0}) {
    const auto cumulants = sum.cumulants(theta);
    for (const double log_tail : {-5.0, -20.0}) {
      const auto window = chernoff_window(sum, theta, cumulants, log_tail);
      // The tilted number of losses of +step is binomial.
      const double odds = std::exp((1 + 2 * theta) * step);
      const double p = odds / (1 + odds);
      double below = 0;
      double above = 0;
      for (std::int64_t up = 0; up <= count; ++up) {
        const auto n = static_cast<double>(count);
        const auto k = static_cast<double>(up);
        const double mass =
            std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                     k * std::log(p) + (n - k) * std::log1p(-p));
        const std::int64_t index = 2 * up - count;
        if (index < window.low) below += mass;
        if (index > window.high) above += mass;
      }
      EXPECT_LE(below, std::exp(log_tail)) << theta;
      EXPECT_LE(above, std::exp(log_tail)) << theta;
      // Not all of the line either.
      EXPECT_LT(window.high - window.low, 2 * count) << theta;
    }
  }
}

}  // namespace grid_sum_test
}  // namespace tacet::accounting::pld
