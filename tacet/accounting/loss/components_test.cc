#include "tacet/accounting/loss/components.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"

namespace tacet::accounting::pld {
namespace components_test {

std::vector<Component> of(pairs::PairPointer pair, std::int64_t count) {
  std::vector<Component> parts;
  parts.push_back({std::move(pair), count});
  return parts;
}

TEST(Components, OneUseOfOnePairIsSingle) {
  EXPECT_TRUE(is_single(of(pairs::gaussian(1), 1)));
  EXPECT_FALSE(is_single(of(pairs::gaussian(1), 2)));
  auto two = of(pairs::gaussian(1), 1);
  two.push_back({pairs::gaussian(2), 1});
  EXPECT_FALSE(is_single(two));
}

// A union bound: as many tails as there are uses take a hundred thousandth of delta.
TEST(Components, AllTailsTogetherAreASmallShareOfDelta) {
  for (const std::int64_t count : {1, 1000, 1 << 30}) {
    for (const double log_delta : {-5.0, -40.0, -200.0}) {
      const double tail = log_tail_for(log_delta, of(pairs::gaussian(1), count));
      EXPECT_LE(tail + std::log(static_cast<double>(count)), log_delta - 11.5 + 1e-9) << count;
    }
  }
  auto too_many = of(pairs::gaussian(1), std::int64_t{1} << 34);
  EXPECT_NO_THROW((void)log_tail_for(-10, too_many));
  too_many.push_back({pairs::gaussian(1), 1});
  EXPECT_THROW((void)log_tail_for(-10, too_many), base::NumericError);
}

TEST(Components, TheLargestLossIsReachedAndNotPassed) {
  const double sum = largest_loss(of(pairs::laplace(0.5), 7));
  EXPECT_GE(sum, 14);
  EXPECT_NEAR(sum, 14, 1e-11);
  EXPECT_EQ(largest_loss(of(pairs::gaussian(1), 2)), std::numeric_limits<double>::infinity());
  // Beyond all finite losses the infinite one remains.
  EXPECT_EQ(largest_loss(of(pairs::approximate(1, 1e-9), 2)),
            std::numeric_limits<double>::infinity());
}

TEST(Components, AStepPutsBothEndsOfTheLossesOnTheGrid) {
  const auto parts = of(pairs::laplace(0.3), 4);
  for (const double asked : {0.5, 0.013, 1e-4}) {
    const double step = aligned_step(parts, asked);
    EXPECT_NEAR(step / asked, 1, 0.2) << asked;
    const double steps = 2 / 0.3 / step;
    EXPECT_NEAR(steps, std::round(steps), 1e-7) << asked;
  }
  EXPECT_EQ(aligned_step(of(pairs::gaussian(1), 4), 0.013), 0.013);
}

// Tails are cut by it: below the truth, and not far.
TEST(Components, RoughDeltasAreBelowTheTrueOnes) {
  const auto parts = of(pairs::gaussian(0.1), 100);
  for (const double epsilon : {1.0, 3.0, 6.0}) {
    const double exact = gaussian::log_delta(1, epsilon);
    EXPECT_LE(rough_log_delta(parts, epsilon), exact - 10) << epsilon;
    EXPECT_GE(rough_log_delta(parts, epsilon), exact - 21) << epsilon;
  }
}

TEST(Components, TheScaleFollowsTheSpreadOfTheLosses) {
  const auto wide = choose_scale(of(pairs::gaussian(1), 10), -30);
  const auto narrow = choose_scale(of(pairs::gaussian(0.01), 10), -30);
  EXPECT_NEAR(wide.first_step / narrow.first_step, 100, 10);
  EXPECT_LT(wide.smallest_step, wide.first_step);
  ASSERT_EQ(wide.resolutions.size(), 1U);
  EXPECT_NEAR(wide.resolutions[0].moments.spread, 1, 0.05);
  EXPECT_GE(affordable_step(1e-6, 1, 10, 1e6), 1e-6);
  EXPECT_LE(affordable_step(1e9, 1, 10, 1), largest_step);
}

}  // namespace components_test
}  // namespace tacet::accounting::pld
