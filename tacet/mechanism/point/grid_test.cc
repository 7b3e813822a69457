#include "tacet/mechanism/point/grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"

namespace tacet::mechanism {
namespace grid_test {

const double infinity = std::numeric_limits<double>::infinity();

TEST(Grid, HasTheBoundsAsPointsWhereStepsFit) {
  const Grid tenths(0, 1, 0.1);
  EXPECT_EQ(tenths.last(), 10);
  EXPECT_EQ(tenths.nearest(0.3), 3);
  EXPECT_EQ(tenths.nearest(0.34), 3);
  const Grid fine(0, 120);
  EXPECT_EQ(fine.step(), 0x1p-33);
  EXPECT_EQ(fine.point(fine.nearest(37)), 37);
  EXPECT_EQ(fine.point(fine.last()), 120);
}

TEST(Grid, GivesTheNearestOfItsPoints) {
  for (const double step : {0.1, 0.25, 1.0 / 3, 1.0}) {
    const Grid grid(-1.5, 2.5, step);
    for (int i = -300; i <= 300; ++i) {
      const double value = i / 97.0;
      double least = infinity;
      for (std::int64_t j = 0; j <= grid.last(); ++j) {
        least = std::min(least, std::fabs(grid.point(j) - value));
      }
      EXPECT_NEAR(std::fabs(grid.point(grid.nearest(value)) - value), least, 1e-12) << value;
    }
    EXPECT_LE(grid.point(grid.last()), 2.5 + 1e-12);
    EXPECT_GT(grid.point(grid.last() + 1), 2.5);
  }
}

TEST(Grid, TakesAnyNumberToAPoint) {
  const Grid grid(-4, 4);
  EXPECT_EQ(grid.nearest(-infinity), 0);
  EXPECT_EQ(grid.nearest(-5), 0);
  EXPECT_EQ(grid.nearest(std::nan("")), 0);
  EXPECT_EQ(grid.nearest(5), grid.last());
  EXPECT_EQ(grid.nearest(infinity), grid.last());
}

// Bounds are public, the records are not: the step without a wish follows from the width alone.
TEST(Grid, HasThePowerOfTwoNextAboveTheWidthsShare) {
  for (const double width : {1.0, 1.5, 2.0, 1000.0, 0x1p-300, 0x1.8p300}) {
    const Grid grid(0, width);
    EXPECT_GE(grid.step(), std::ldexp(width, -40));
    EXPECT_LT(grid.step() / 2, std::ldexp(width, -40));
    int exponent = 0;
    EXPECT_EQ(std::frexp(grid.step(), &exponent), 0.5);
  }
}

TEST(Grid, RefusesBoundsAndStepsThatMakeNone) {
  const auto refused = [](double lower, double upper, std::optional<double> step) {
    EXPECT_THROW((void)Grid(lower, upper, step), base::UsageError) << lower << " " << upper;
  };
  refused(1, 1, {});
  refused(2, 1, {});
  refused(0, infinity, {});
  refused(std::nan(""), 1, {});
  refused(-1e308, 1e308, {});
  refused(0, 1, 0);
  refused(0, 1, -0.1);
  refused(0, 1, 1.5);
  refused(0, 1, 0x1p-46);
  refused(0, 1, std::nan(""));
  EXPECT_EQ(Grid(0, 1, 0x1p-45).last(), std::int64_t{1} << 45);
}

}  // namespace grid_test
}  // namespace tacet::mechanism
