#include "tacet/accounting/loss/large_losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tacet/accounting/loss/grid_level.h"

namespace tacet::accounting::pld {
namespace large_losses_test {

Component sampled_gaussian(double q, double sigma, std::int64_t steps,
                           pairs::Order order = pairs::Order::remove) {
  auto base = pairs::gaussian(1 / sigma);
  if (q == 1) return {std::move(base), steps};
  return {pairs::poisson(std::move(base), q, order), steps};
}

/// Small losses of +-1 step and a rare one of 40.
LossGrid rare_grid(double rare) {
  LossGrid grid;
  grid.step = 0.05;
  grid.index = {-1, 1, 40};
  grid.mass = {0.48, 0.52 - rare, rare};
  return grid;
}

TEST(LargeLosses, TakingLargeLossesApartChangesNothing) {
  // Where a tilt works too, both ways bracket the same number.
  const auto part = sampled_gaussian(1e-3, 0.8, 1000);
  const auto moments = loss_moments(*part.pair, -40);
  const std::vector<Resolution> resolutions{{moments, false, 20}};
  for (const double epsilon : {0.3, 1.0, 2.0}) {
    GridLevel level(std::span(&part, 1), {2e-4, -45, resolutions}, 21);
    level.tilt(level.tilt_for_mean(epsilon), {epsilon, epsilon});
    const double above = level.log_delta_above(epsilon);
    const double below = level.log_delta_below(epsilon);
    ASSERT_TRUE(level.split(above, 1e-4)) << epsilon;
    level.tilt(0.8 * level.tilt_of_small(epsilon), {epsilon, epsilon});
    EXPECT_GE(level.log_delta_above(epsilon), below) << epsilon;
    EXPECT_LE(level.log_delta_below(epsilon), above) << epsilon;
    EXPECT_NEAR(level.log_delta_above(epsilon), above, 2e-4) << epsilon;
    EXPECT_NEAR(level.log_delta_below(epsilon), below, 2e-4) << epsilon;
  }
}

// None, one, or more than one large loss: all outcomes by themselves.
TEST(LargeLosses, OneBesideTheOthersIsAllThatItAdds) {
  constexpr std::int64_t count = 12;
  constexpr double rare = 1e-6;
  const GridSum sum({{rare_grid(rare), count}});
  const auto split = split_large_losses(sum, 1e-4);
  ASSERT_TRUE(split);
  ASSERT_EQ(split->index, (std::vector<std::int64_t>{40}));
  EXPECT_NEAR(split->mass[0], count * rare, 1e-18);
  EXPECT_GE(split->rate, count * rare);
  EXPECT_EQ(split->small.steps(), count);
  EXPECT_EQ(split->rest.steps(), count - 1);
  TwinTransform twin(split->rest, split->rest);
  twin.run_whole(0, -80, 20);
  const LargeLossLaw law(*split, sum, twin.first());
  for (const double epsilon : {0.0, 1.0, 1.9, 2.1, 2.5}) {
    // One loss of 40 steps and 11 of +-1.
    double one = 0;
    double ways = 1;
    for (std::int64_t up = 0; up < count; ++up) {
      const double loss = 0.05 * static_cast<double>(40 + 2 * up - (count - 1));
      const double mass = ways * std::pow(0.52 - rare, static_cast<double>(up)) *
                          std::pow(0.48, static_cast<double>(count - 1 - up));
      if (loss > epsilon)
        one -= static_cast<double>(count) * rare * mass * std::expm1(epsilon - loss);
      ways *= static_cast<double>(count - 1 - up) / static_cast<double>(up + 1);
    }
    EXPECT_LE(law.delta_below(epsilon), one * (1 + 1e-12)) << epsilon;
    EXPECT_GE(law.delta_above(epsilon), one) << epsilon;
    EXPECT_NEAR(law.delta_below(epsilon), one, 1e-9 * one + 1e-17) << epsilon;
    // Two or more have a probability of less than half the rate's square.
    EXPECT_LE(law.delta_above(epsilon), one + 0.51 * split->rate * split->rate + 1e-17) << epsilon;
  }
}

TEST(LargeLosses, AreTakenOutUpToTheRateAlone) {
  LossGrid grid = rare_grid(1e-6);
  grid.index.push_back(50);
  grid.mass.push_back(1e-7);
  const GridSum sum({{grid, 10}});
  const auto one = split_large_losses(sum, 2e-6);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->index, (std::vector<std::int64_t>{50}));
  const auto both = split_large_losses(sum, 2e-5);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->index, (std::vector<std::int64_t>{40, 50}));
}

TEST(LargeLosses, AreNoneOfDifferentLawsOrOfOneUse) {
  const auto grid = rare_grid(1e-6);
  EXPECT_FALSE(split_large_losses(GridSum({{grid, 10}, {grid, 3}}), 1e-3));
  EXPECT_FALSE(split_large_losses(GridSum({{grid, 1}}), 1e-3));
  EXPECT_FALSE(split_large_losses(GridSum({{rare_grid(0.1), 10}}), 1e-3));
}

}  // namespace large_losses_test
}  // namespace tacet::accounting::pld
