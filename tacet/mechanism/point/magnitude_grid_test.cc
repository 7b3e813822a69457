#include "tacet/mechanism/point/magnitude_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tacet::mechanism {
namespace magnitude_grid_test {

TEST(MagnitudeGrid, PointsRiseAndHaveTheirOwnRanks) {
  for (std::int64_t rank = 0; rank < magnitude_ranks; ++rank) {
    EXPECT_EQ(magnitude_rank(magnitude_point(rank)), rank);
    EXPECT_EQ(magnitude_point(rank), -magnitude_point(magnitude_ranks - 1 - rank));
    if (rank > 0) {
      EXPECT_LT(magnitude_point(rank - 1), magnitude_point(rank));
    }
  }
}

// Order statistics go along with it, so a smaller number must not get a larger rank.
TEST(MagnitudeGrid, RanksNeverFall) {
  std::int64_t last = 0;
  for (double size = 0x1p45; size > 0x1p-35; size /= 1.003) {
    const auto rank = magnitude_rank(-size);
    EXPECT_GE(rank, last);
    EXPECT_EQ(magnitude_rank(size), magnitude_ranks - 1 - rank);
    last = rank;
  }
}

TEST(MagnitudeGrid, ANumberIsNextToItsPoint) {
  for (double size = 0x1p-30; size < 0x1.fp40; size *= 1.0017) {
    EXPECT_LE(std::fabs(magnitude_point(magnitude_rank(size)) - size), size / 64);
  }
}

TEST(MagnitudeGrid, KnowsItsEdges) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(magnitude_point(magnitude_rank(0)), 0);
  EXPECT_EQ(magnitude_point(magnitude_rank(std::nan(""))), 0);
  EXPECT_EQ(magnitude_point(magnitude_rank(0x1p-31)), 0);
  EXPECT_EQ(magnitude_rank(infinity), magnitude_ranks - 1);
  EXPECT_EQ(magnitude_rank(-infinity), 0);
  EXPECT_EQ(magnitude_point(magnitude_ranks + 5), magnitude_point(magnitude_ranks - 1));
  EXPECT_EQ(magnitude_point(-5), magnitude_point(0));
}

}  // namespace magnitude_grid_test
}  // namespace tacet::mechanism
