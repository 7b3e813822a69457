#include "tacet/mechanism/point/grid_choice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/mechanism/point/level_sets.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism::internal {
namespace grid_choice_test {

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

}  // namespace grid_choice_test
}  // namespace tacet::mechanism::internal
