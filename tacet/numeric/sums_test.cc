#include "tacet/numeric/sums.h"

#include <gtest/gtest.h>

namespace tacet::numeric {
namespace sums_test {

TEST(CompensatedSum, DoesNotDrift) {
  CompensatedSum sum;
  for (int i = 0; i < 1000000; ++i) sum.add(0.1);
  sum.add(1e17);
  sum.add(-1e17);
  EXPECT_NEAR(sum.value(), 1e5, 1e-9);
}

TEST(CompensatedSum, HoldsWhatOneDoubleCannot) {
  CompensatedSum sum;
  for (const double term : {1.0, 0x1p100, -0x1p100}) sum.add(term);
  EXPECT_EQ(sum.value(), 1);
}

}  // namespace sums_test
}  // namespace tacet::numeric
