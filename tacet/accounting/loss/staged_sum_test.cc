#include "tacet/accounting/loss/staged_sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/loss/tilted_sum.h"

namespace tacet::accounting::pld {
namespace staged_sum_test {

/// `count` losses of +-step, each with the pure mechanism's masses.
GridSum draws(double step, std::int64_t count) {
  LossGrid grid;
  grid.step = step;
  grid.index = {-1, 1};
  const double up = 1 / (1 + std::exp(-step));
  grid.mass = {1 - up, up};
  return GridSum({{grid, count}});
}

// A law of several losses on a coarser grid dominates them at the tilt, or is dominated, and lies
// next to them: E[e^{theta L}] is what every bound of delta there grows with.
TEST(StagedSum, KeepsTheMomentsOnTheSafeSide) {
  constexpr double theta = 3;
  for (const std::int64_t count : {20000, 50001}) {
    const auto whole = draws(1e-3, count);
    const auto stages = staged(whole, whole, {theta, -60, 20});
    ASSERT_TRUE(stages) << count;
    const double exact = whole.log_moment(theta);
    const auto moment = [](const GridSum& sum) {
      return sum.log_moment(theta) + theta * sum.offset();
    };
    EXPECT_GE(moment(stages->upper), exact * (1 - 1e-9)) << count;
    EXPECT_LE(moment(stages->lower), exact * (1 + 1e-9)) << count;
    EXPECT_NEAR(moment(stages->upper) / exact, 1, 0.02) << count;
    EXPECT_NEAR(moment(stages->lower) / exact, 1, 0.02) << count;
    EXPECT_LT(stages->upper.steps(), count / 100);
    EXPECT_GT(stages->upper.step(), 3e-3);
    EXPECT_LT(stages->moved, 1e-6);
  }
}

TEST(StagedSum, HoldsWhatOneTransformSays) {
  constexpr std::int64_t count = 40000;
  constexpr double epsilon = 0.4;
  const auto whole = draws(1e-3, count);
  const double theta = 8;
  TwinTransform direct(whole, whole);
  direct.run_whole(theta, -60, 20);
  const double above = direct.first().log_delta_above(epsilon);
  const double below = direct.first().log_delta_below(epsilon);
  const auto stages = staged(whole, whole, {theta, -60, 20});
  ASSERT_TRUE(stages);
  TwinTransform twin(stages->upper, stages->lower);
  twin.run_whole(theta, -60, 20);
  EXPECT_GE(twin.first().log_delta_above(epsilon), below);
  EXPECT_LE(twin.second().log_delta_below(epsilon), above);
  EXPECT_NEAR(twin.first().log_delta_above(epsilon), above, 0.05);
  EXPECT_NEAR(twin.second().log_delta_below(epsilon), below, 0.05);
}

TEST(StagedSum, IsNothingWhereItWouldNotBeShorter) {
  const auto few = draws(1e-2, 100);
  EXPECT_FALSE(staged(few, few, {1, -60, 20}));
  const auto many = draws(1e-3, 20000);
  EXPECT_FALSE(staged(many, many, {3, -60, 4}));
}

}  // namespace staged_sum_test
}  // namespace tacet::accounting::pld
