#include "tacet/optimize/sums/exact_accumulator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tacet::optimize {
namespace {

// Integers of 51 bits, of which a double holds the sum of four: a hundred of them, and coordinates
// that come later, add up to what 64-bit integers say.
TEST(ExactAccumulator, SumsBeyondTheDoublesAreExact) {
  constexpr std::int64_t large = (std::int64_t{1} << 51) - 1;
  ExactAccumulator sum(1, 4);
  std::vector<std::int64_t> expected(3, 0);
  for (int record = 0; record < 100; ++record) {
    if (record == 30) sum.grow(2);
    if (record == 95) sum.grow(3);
    const auto room = sum.reserve(1);
    for (std::size_t j = 0; j < room.size(); ++j) {
      const std::int64_t value = large - record - static_cast<std::int64_t>(j);
      room[j] += static_cast<double>(value);
      expected[j] += value;
    }
  }
  std::vector<std::int64_t> got(3, 0);
  sum.add_to(got);
  EXPECT_EQ(got, expected);
  for (std::size_t first = 0; first < 3; ++first) {
    std::vector<std::int64_t> one(1, 7);
    sum.add_to(one, first);
    EXPECT_EQ(one[0], expected[first] + 7);
  }
}

// What one sum moved to integers, and how far it was from the next time, is nothing to the next.
TEST(ExactAccumulator, BegunAnewKnowsNothingOfTheLastSum) {
  ExactAccumulator sum(2, 4);
  for (int record = 0; record < 7; ++record) sum.reserve(1)[1] += 0x1p51;
  sum.restart(3);
  std::vector<std::int64_t> got(3, 0);
  sum.add_to(got);
  EXPECT_EQ(got, std::vector<std::int64_t>(3, 0));
  for (int record = 0; record < 4; ++record) {
    // Doubles still hold them all: a sum begun anew moves nothing before its fifth record.
    EXPECT_EQ(sum.reserve(1)[0], record * 0x1p51);
    sum.reserve(0)[0] += 0x1p51;
  }
  EXPECT_EQ(sum.reserve(1)[0], 0);
}

}  // namespace
}  // namespace tacet::optimize
