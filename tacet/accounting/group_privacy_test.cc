#include "tacet/accounting/group_privacy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tacet::accounting {
namespace group_privacy_test {

// One record: delta(e) = exp(-e - 1), so that e = -1 - ln delta.
double delta_of_one(double epsilon) { return std::exp(-epsilon - 1); }
double epsilon_of_one(double delta) { return std::max(0.0, -1 - std::log(delta)); }

TEST(GroupPrivacy, DeltaOfTwoIsSeenThroughTheFirstEpsilon) {
  const double two = internal::group_delta(delta_of_one, 3);
  EXPECT_NEAR(two, (1 + std::exp(1.5)) * std::exp(-2.5), 1e-13);
  EXPECT_GE(two, (1 + std::exp(1.5)) * std::exp(-2.5));
  EXPECT_EQ(internal::group_delta([](double) { return .9; }, 3), 1);
}

TEST(GroupPrivacy, EpsilonOfTwoKeepsBothDeltas) {
  const auto pure = [](double) { return .5; };
  EXPECT_GE(internal::group_epsilon(pure, 1e-6, 10), 1);
  EXPECT_NEAR(internal::group_epsilon(pure, 1e-6, 10), 1, 1e-3);
  // No better than what is known already.
  EXPECT_TRUE(std::isinf(internal::group_epsilon(pure, 1e-6, .9)));
  // Every bound that is returned pays (1 + e^e) times the delta of one.
  const auto slow = [](double delta) { return .1 * epsilon_of_one(delta); };
  const double total = internal::group_epsilon(slow, 1e-6, 100);
  ASSERT_TRUE(std::isfinite(total));
  EXPECT_GE(total / 2, slow(1e-6 / (1 + std::exp(total / 2))));
}

}  // namespace group_privacy_test
}  // namespace tacet::accounting
