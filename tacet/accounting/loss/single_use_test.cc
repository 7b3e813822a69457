#include "tacet/accounting/loss/single_use.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/routes/gaussian.h"
#include "tests/support/pair_profiles.h"

namespace tacet::accounting::pld {
namespace single_use_test {

constexpr double narrow = 1e-9;

TEST(SingleUse, HoldsTheClosedFormOfGaussians) {
  for (const double mu : {0.01, 0.5, 3.0}) {
    const auto pair = pairs::gaussian(mu);
    for (const double epsilon : {0.0, 0.3, 2.0, 9.0}) {
      const double exact = gaussian::log_delta(mu, epsilon);
      if (exact < -600) continue;
      const auto ends = single_log_delta(*pair, epsilon);
      ASSERT_TRUE(ends) << mu << " " << epsilon;
      EXPECT_LE(ends->lower, exact + 1e-12 * std::fabs(exact)) << mu << " " << epsilon;
      EXPECT_GE(ends->upper, exact - 1e-12 * std::fabs(exact)) << mu << " " << epsilon;
    }
    for (const double delta : {1e-2, 1e-6, 1e-30}) {
      const double exact = gaussian::epsilon(mu, Delta(delta));
      const auto ends = single_epsilon(*pair, std::log(delta));
      ASSERT_TRUE(ends) << mu << " " << delta;
      EXPECT_LE(ends->lower, exact + narrow) << mu << " " << delta;
      EXPECT_GE(ends->upper, exact - narrow) << mu << " " << delta;
      EXPECT_NEAR(ends->upper, ends->lower, narrow * (1 + exact)) << mu << " " << delta;
    }
  }
}

// epsilon = D + 2 log(1 - delta), D the pure one.
TEST(SingleUse, HoldsTheClosedFormOfLaplaceNoise) {
  for (const double pure : {1e-3, 1.0, 30.0}) {
    for (const double delta : {1e-2, 1e-6}) {
      const auto ends = single_epsilon(*pairs::laplace(1 / pure), std::log(delta));
      ASSERT_TRUE(ends);
      const double exact = std::max(0.0, pure + 2 * std::log1p(-delta));
      EXPECT_LE(ends->lower, exact * (1 + narrow)) << pure << " " << delta;
      EXPECT_GE(ends->upper, exact * (1 - narrow)) << pure << " " << delta;
      EXPECT_LE(ends->upper - ends->lower, narrow * (1 + exact)) << pure << " " << delta;
    }
  }
}

// The mass of the largest loss stands at one point, beside which rounding must not drop it.
TEST(SingleUse, KeepsTheMassOfTheLargestLoss) {
  const auto pair = pairs::approximate(1, 1e-5);
  const auto at_end = single_log_delta(*pair, 1);
  ASSERT_TRUE(at_end);
  EXPECT_GE(at_end->upper, std::log(1e-5) - 1e-12);
  EXPECT_NEAR(at_end->upper, std::log(1e-5), 1e-6);
  const auto beyond = single_log_delta(*pair, 1.5);
  ASSERT_TRUE(beyond);
  EXPECT_NEAR(beyond->lower, std::log(1e-5), 1e-10);
}

TEST(SingleUse, KnowsWhenNumbersAreTooSmall) {
  EXPECT_FALSE(single_log_delta(*pairs::gaussian(1), 38));
  // All of delta is infinite losses: no epsilon is proved from here.
  EXPECT_FALSE(single_epsilon(*pairs::approximate(1, 1e-5), std::log(1e-6)));
}

}  // namespace single_use_test
}  // namespace tacet::accounting::pld
