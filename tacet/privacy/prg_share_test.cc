#include "tacet/privacy/prg_share.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/decimal.h"

namespace tacet::privacy {
namespace prg_share_test {

constexpr auto replace_one = Adjacency::replace_one;

// Two laws within t of (epsilon, delta)-close ones in total variation, at the worst event:
// p + t <= e^epsilon (q + t) + delta + t, where q loses t and p gains it.
TEST(PrgShare, TheTermCountsOnBothSides) {
  EXPECT_NEAR(prg_share(3, 1e-7), (1 + std::exp(3.0)) * 1e-7, 1e-18);
  EXPECT_GE(prg_share(0, 0x1p-70), 0x1p-69);
  EXPECT_EQ(prg_share(3, 0), 0);
  EXPECT_EQ(prg_share(800, 1e-30), 1);
  EXPECT_EQ(prg_share(HUGE_VAL, 1e-30), 1);
}

TEST(PrgShare, WhatIsLeftAndTheShareAreTheDeltaToTheLastDigit) {
  for (const double epsilon : {0.01, 1.0, 10.0, 20.0}) {
    for (const double delta : {1e-5, 1e-9, 0.3}) {
      for (const double term : {1e-40, 1e-22, 1e-19}) {
        const double left = delta_left({epsilon, delta, replace_one}, term).value();
        EXPECT_LT(left, delta);
        EXPECT_LE(static_cast<long double>(left) + prg_share(epsilon, term), delta);
        EXPECT_GT(left, delta - prg_share(epsilon, term) - 0x1p-51 * delta);
      }
    }
  }
  EXPECT_EQ(delta_left({1, 1e-5, replace_one}, 0).value(), 1e-5);
}

// A secret sample of a file of 2^32 records has a term of 6.8e-19 a step.
TEST(PrgShare, WhatNothingIsLeftOfIsRefused) {
  constexpr double term = 6.8e-19;
  const double asked[][2] = {{30, 1e-6}, {20, 1e-12}, {10, 1e-14}, {5, 1e-17}};
  for (const auto& [epsilon, delta] : asked) {
    EXPECT_GT(delta, term);
    EXPECT_THROW(static_cast<void>(delta_left({epsilon, delta, replace_one}, term)),
                 base::GuaranteeError);
    const double enough = 2 * prg_share(epsilon, term);
    EXPECT_GT(delta_left({epsilon, enough, replace_one}, term).value(), 0);
  }
}

TEST(PrgShare, APureGuaranteeIsOneOfIdealNoiseOrNone) {
  constexpr double term = 2.7e-20;
  for (const double epsilon : {0.1, 1.0, 15.0}) {
    EXPECT_EQ(delta_left({epsilon, 0, replace_one}, term).value(), 0);
  }
  for (const double epsilon : {18.0, 45.0, 60.0, 1000.0}) {
    EXPECT_THROW(static_cast<void>(delta_left({epsilon, 0, replace_one}, term)),
                 base::GuaranteeError);
  }
}

TEST(PrgShare, ARefusalNamesTheEpsilonThatLeavesHalf) {
  const auto room = [](const Guarantee& stated, double term) {
    try {
      (void)delta_left(stated, term);
    } catch (const PrgShareError& error) {
      return error.epsilon_with_room();
    }
    return -1.0;
  };
  for (const double delta : {1e-5, 1e-9}) {
    for (const double term : {1e-36, 6.8e-19}) {
      const double epsilon = room({1000, delta, replace_one}, term);
      EXPECT_LE(prg_share(epsilon, term), delta / 2);
      EXPECT_GT(prg_share(epsilon + 0.02, term), delta / 2);
    }
  }
  const double pure = room({1000, 0, replace_one}, 1e-36);
  EXPECT_LE(prg_share(pure, 1e-36), max_share_of_pure);
  EXPECT_GT(prg_share(pure + 0.02, 1e-36), max_share_of_pure);
  EXPECT_EQ(room({1, 1e-30, replace_one}, 6.8e-19), 0);  // at no epsilon
  EXPECT_EQ(room({1, 0, replace_one}, 1e-3), 0);
}

TEST(RoundedUp, IsTheNextNumberOfSoManyDigits) {
  EXPECT_EQ(rounded_up(1, 6), "1");
  EXPECT_EQ(rounded_up(1.0000001, 6), "1.00001");
  EXPECT_EQ(rounded_up(0.99999999, 6), "1");
  EXPECT_EQ(rounded_up(9.999999, 6), "10");
  EXPECT_EQ(rounded_up(9.9994, 4), "10");
  EXPECT_EQ(rounded_up(1e-5, 3), "1e-05");
  EXPECT_EQ(rounded_up(1.0000001e-5, 3), "1.01e-05");
  EXPECT_EQ(rounded_up(9.991e-10, 3), "1e-09");
  EXPECT_EQ(rounded_up(2.71828, 4), "2.719");
  EXPECT_EQ(rounded_up(0, 3), "0");
  EXPECT_EQ(rounded_up(HUGE_VAL, 3), "inf");
  EXPECT_EQ(rounded_up(123456.5, 6), "123457");
}

}  // namespace prg_share_test
}  // namespace tacet::privacy
