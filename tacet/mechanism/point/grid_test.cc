#include "tacet/mechanism/point/grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/mechanism/point/level_sets.h"
#include "tests/support/statistics.h"

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
  EXPECT_EQ(magnitude_point(magnitude_rank(0)), 0);
  EXPECT_EQ(magnitude_point(magnitude_rank(std::nan(""))), 0);
  EXPECT_EQ(magnitude_point(magnitude_rank(0x1p-31)), 0);
  EXPECT_EQ(magnitude_rank(infinity), magnitude_ranks - 1);
  EXPECT_EQ(magnitude_rank(-infinity), 0);
  EXPECT_EQ(magnitude_point(magnitude_ranks + 5), magnitude_point(magnitude_ranks - 1));
  EXPECT_EQ(magnitude_point(-5), magnitude_point(0));
}

}  // namespace grid_test

}  // namespace tacet::mechanism

namespace tacet::mechanism::internal {
namespace grid_test {

using random::WeightedLevel;

// Every point of a run is as likely as the others, and e^-(epsilon / (2 D)) less a level.
TEST(GridChoice, DrawsItsLaw) {
  constexpr int draws = 60000;
  const std::vector<WeightedLevel> runs{{3, 2}, {1, 0}, {0, 1}, {2, 1}, {4, 5}};
  const RationalEpsilon epsilon{3, 2};
  const std::int64_t sensitivity = 2;
  std::vector<double> expected;
  double sum = 0;
  for (const auto& run : runs) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      expected.push_back(std::exp(-1.5 * static_cast<double>(run.level) / 4));
      sum += expected.back();
    }
  }
  for (auto& p : expected) p *= draws / sum;
  std::vector<std::int64_t> seen(expected.size());
  random::SeededSource source(5);
  random::Stream stream(source.claim(random::Purpose::selection, 0, 0));
  for (int i = 0; i < draws; ++i) {
    const auto point = choose_point(runs, epsilon, sensitivity, stream);
    ASSERT_GE(point, 0);
    ASSERT_LT(point, static_cast<std::int64_t>(seen.size()));
    ++seen[static_cast<std::size_t>(point)];
  }
  EXPECT_GT(test::chi_square_p_value(seen, expected), test::false_alarm_rate);
}

// The sampler's own law, from the integers it decides by, against sums of 10^6 neighbours' levels.
TEST(GridChoice, FarPointsKeepTheirProbability) {
  // 4000 values at one point: the others lie 2000 levels away, e^-2000 below at epsilon 2, where
  // weights in doubles are 0 and a ratio of two of them is none at all.
  std::vector<Key> keys(4001, key_at(3));
  const auto runs =
      level_runs({.left_pull = -2000, .right_pull = 2001, .keys = keys, .weights = {}}, {7, 0});
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].level, 2001);
  EXPECT_EQ(runs[1].level, 0);
  const random::ExponentialChoice choice(runs, {1, 1});
  EXPECT_GE(choice.proposal(0), 1u);
  EXPECT_GE(choice.proposal(2), 1u);
}

}  // namespace grid_test
}  // namespace tacet::mechanism::internal
