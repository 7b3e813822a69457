#include "tacet/privacy/exact_cost.h"

#include <gtest/gtest.h>

#include <limits>

namespace tacet::privacy {
namespace exact_cost_test {

TEST(ExactCost, DecimalsAndDoublesAddAsWhatTheyStandFor) {
  ExactCost decimals;
  ExactCost doubles;
  for (int i = 0; i < 10; ++i) {
    decimals.add({0.1, 1e-7, true});
    doubles.add({0.1, 1e-7});
  }
  EXPECT_EQ(decimals.rounded_up(), (Amount{1, 1e-6, true}));
  EXPECT_GT(doubles.rounded_up().value, 1);
  EXPECT_TRUE(decimals.within_written({1, 1e-6}));
  EXPECT_FALSE(doubles.within_written({1, 1e-6}));
}

// The double 0.1 is above a tenth, the double 0.3 below three tenths.
TEST(ExactCost, ACapIsTheDecimalAndTheDouble) {
  for (const double cap : {0.1, 0.3}) {
    EXPECT_TRUE(ExactCost({cap, 0, true}).within_written({cap, 0}));
    EXPECT_TRUE(ExactCost({cap, 0}).within_written({cap, 0}));
    EXPECT_FALSE(ExactCost({cap, 1e-300}).within_written({cap, 0}));
  }
}

TEST(ExactCost, SubtractingLeavesNothingAndTextsAreExact) {
  ExactCost sum({0.1, 1e-7, true});
  const auto before = sum;
  sum.add({0.2, 0});
  EXPECT_EQ(ExactCost::from_text(sum.text()), sum);
  sum.subtract({0.2, 0});
  EXPECT_EQ(sum, before);
  EXPECT_EQ(sum.left_of(ExactCost({1, 1e-6, true})), (Amount{0.9, 9e-7, true}));
  const double infinity = std::numeric_limits<double>::infinity();
  sum.add({infinity, 0});
  EXPECT_TRUE(sum.infinite());
  EXPECT_FALSE(sum.within_written({1e300, 1}));
  EXPECT_TRUE(sum.within_written({infinity, 1}));
}

}  // namespace exact_cost_test
}  // namespace tacet::privacy
