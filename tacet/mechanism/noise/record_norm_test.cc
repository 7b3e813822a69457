#include "tacet/mechanism/noise/record_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"

namespace tacet::mechanism::internal {
namespace record_norm_test {

using privacy::BoundedSum;

std::int64_t norm_bound(std::size_t dimension, std::int64_t bound) {
  return absolute_norm_bound(BoundedSum::from_certified(
      privacy::Certifier::clipped(), std::vector<std::int64_t>(dimension, 7), 1, bound));
}

TEST(AbsoluteNorm, IsTheSmallestWholeNumberFromBothBoundsOn) {
  EXPECT_EQ(norm_bound(1, 1000), 1000);
  EXPECT_EQ(norm_bound(4, 1000), 2000);
  EXPECT_EQ(norm_bound(2, 1000), 1415);
  // A count: one record, one cell.
  EXPECT_EQ(norm_bound(4, 1), 1);
  EXPECT_EQ(norm_bound(4, 3), 6);
  EXPECT_EQ(norm_bound(1000, 5), 25);
}

/// The largest L1 norm of the integer vectors of `left` more coordinates inside a squared length.
std::int64_t largest_norm(int left, std::int64_t square) {
  if (left == 0) return 0;
  std::int64_t largest = 0;
  for (std::int64_t v = 0; v * v <= square; ++v) {
    largest = std::max(largest, v + largest_norm(left - 1, square - v * v));
  }
  return largest;
}

TEST(AbsoluteNorm, NoRecordInsideTheEuclideanBoundPassesIt) {
  for (int dimension = 1; dimension <= 4; ++dimension) {
    for (std::int64_t bound = 1; bound <= 12; ++bound) {
      const auto stated = norm_bound(static_cast<std::size_t>(dimension), bound);
      const auto largest = largest_norm(dimension, bound * bound);
      EXPECT_GE(stated, largest) << dimension << " " << bound;
      // Where the diagonal is a grid point, a record meets it.
      if (dimension == 1 || (dimension == 4 && bound % 2 == 0)) {
        EXPECT_EQ(stated, largest);
      }
    }
  }
}

// Doubles have 53 bits: the root of d K^2 is corrected in integers.
TEST(AbsoluteNorm, IsExactBeyondTheDigitsOfDoubles) {
  __extension__ using Wide = unsigned __int128;
  for (const std::int64_t bound : {(std::int64_t{1} << 51) + 1, (std::int64_t{1} << 52) - 3}) {
    for (const std::size_t dimension : {std::size_t{2}, std::size_t{3}, std::size_t{50}}) {
      const auto root = static_cast<std::uint64_t>(norm_bound(dimension, bound));
      const Wide target =
          Wide{static_cast<std::uint64_t>(bound)} * static_cast<std::uint64_t>(bound) * dimension;
      EXPECT_TRUE(Wide{root} * root >= target) << bound << " " << dimension;
      EXPECT_TRUE(Wide{root - 1} * (root - 1) < target) << bound << " " << dimension;
    }
  }
}

// Clipped by its L1 norm, a record needs no factor sqrt(d).
TEST(AbsoluteNorm, IsWhatRecordsWereClippedTo) {
  const auto key = privacy::Certifier::clipped();
  const auto clipped = [&](std::int64_t bound) {
    return BoundedSum::from_certified(key, std::vector<std::int64_t>(9, 7), 1, 1000)
        .with_absolute_bound(key, bound);
  };
  EXPECT_EQ(absolute_norm_bound(clipped(1000)), 1000);
  EXPECT_EQ(absolute_norm_bound(clipped(1700)), 1700);
  EXPECT_THROW((void)clipped(999), base::UsageError);
}

TEST(AbsoluteNorm, RefusesWhatLeavesTheIntegers) {
  EXPECT_NO_THROW((void)norm_bound(1 << 15, std::int64_t{1} << 52));
  EXPECT_THROW((void)norm_bound(1 << 17, std::int64_t{1} << 52), base::UsageError);
}

}  // namespace record_norm_test
}  // namespace tacet::mechanism::internal
