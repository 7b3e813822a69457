#include "tacet/base/number_set.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace tacet::base {
namespace number_set_test {

TEST(NumberSet, HoldsWhatASetHolds) {
  NumberSet numbers;
  std::set<std::uint64_t> expected;
  std::uint64_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t number = (state >> 33) % 1000;
    EXPECT_EQ(numbers.insert(number), expected.insert(number).second);
  }
  std::size_t intervals = 0;
  for (std::uint64_t number = 0; number < 1001; ++number) {
    const bool inside = expected.contains(number);
    EXPECT_EQ(numbers.contains(number), inside) << number;
    if (inside && (number == 0 || !expected.contains(number - 1))) ++intervals;
  }
  EXPECT_EQ(numbers.intervals(), intervals);
}

TEST(NumberSet, ARowOfNumbersIsOneInterval) {
  NumberSet up;
  NumberSet down;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_TRUE(up.insert(i));
    EXPECT_TRUE(down.insert(999 - i));
  }
  EXPECT_EQ(up.intervals(), 1U);
  EXPECT_EQ(up, down);
}

TEST(NumberSet, TheLastNumberHasNoNext) {
  constexpr auto last = std::numeric_limits<std::uint64_t>::max();
  NumberSet numbers;
  EXPECT_TRUE(numbers.insert(last));
  EXPECT_TRUE(numbers.insert(0));
  EXPECT_FALSE(numbers.insert(last));
  EXPECT_FALSE(numbers.contains(1));
  EXPECT_TRUE(numbers.insert(last - 1));
  EXPECT_EQ(numbers.intervals(), 2U);
}

}  // namespace number_set_test
}  // namespace tacet::base
