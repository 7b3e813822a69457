#include "tacet/random/exact/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/statistics.h"

namespace tacet::random {
namespace race_test {

using Triple = std::vector<std::int64_t>;

// The wide-model specification's example: p = 7, k = 3, eta = 2, u = (0, .9, 0, 0, .35, 0, 1), here
// in units of 1/20.
constexpr double weight = 0.1;
const std::vector<ScoredCandidate> listed = {{1, 18}, {4, 7}, {6, 20}};
const std::vector<double> scores = {0, 18, 0, 0, 7, 0, 20};

/// Probability of drawing these candidates in this order (Plackett 1975).
double plackett_luce(const Triple& order) {
  double left = 0;
  for (const double score : scores) left += std::exp(weight * score);
  double p = 1;
  for (const std::int64_t i : order) {
    const double w = std::exp(weight * scores[static_cast<std::size_t>(i)]);
    p *= w / left;
    left -= w;
  }
  return p;
}

TEST(ExponentialRace, ProbabilitiesFollowTheOracles) {
  EXPECT_NEAR(plackett_luce({6, 1, 4}), 0.063787476418403, 1e-14);
  EXPECT_NEAR(plackett_luce({1, 6, 4}), 0.05741288002424279, 1e-14);
  EXPECT_NEAR(plackett_luce({6, 4, 1}), 0.038170703039311894, 1e-14);
}

double fit_to_plackett_luce(const std::vector<ScoredCandidate>& candidates, std::uint64_t draws) {
  SeededSource source(8);
  std::map<Triple, std::int64_t> counts;
  for (std::uint64_t i = 0; i < draws; ++i) {
    ++counts[exponential_race(source.claim(Purpose::selection, 0, i), 7, candidates, weight, 3)];
  }
  std::vector<std::int64_t> observed;
  std::vector<double> expected;
  for (std::int64_t a = 0; a < 7; ++a) {
    for (std::int64_t b = 0; b < 7; ++b) {
      for (std::int64_t c = 0; c < 7; ++c) {
        if (a == b || b == c || a == c) continue;
        observed.push_back(counts[{a, b, c}]);
        expected.push_back(static_cast<double>(draws) * plackett_luce({a, b, c}));
      }
    }
  }
  return test::chi_square_p_value(observed, expected);
}

TEST(ExponentialRace, OrderedChoicesFollowPlackettLuce) {
  EXPECT_GT(fit_to_plackett_luce(listed, 20000), test::false_alarm_rate);
}

// Listed or not is a private fact: candidates of score 0 that are listed must not be told apart.
TEST(ExponentialRace, ListingACandidateOfScoreZeroDoesNotChangeTheLaw) {
  const std::vector<ScoredCandidate> all = {{0, 0}, {1, 18}, {2, 0}, {3, 0},
                                            {4, 7}, {5, 0},  {6, 20}};
  const std::vector<ScoredCandidate> some = {{1, 18}, {3, 0}, {4, 7}, {5, 0}, {6, 20}};
  EXPECT_GT(fit_to_plackett_luce(all, 10000), test::false_alarm_rate);
  EXPECT_GT(fit_to_plackett_luce(some, 10000), test::false_alarm_rate);
}

TEST(ExponentialRaceLong, OrderedChoicesFollowPlackettLuce) {
  EXPECT_GT(fit_to_plackett_luce(listed, 2000000), test::false_alarm_rate);
}

TEST(ExponentialRace, AHundredMillionCandidatesCostNoMoreThanTheListedOnes) {
  SeededSource source(9);
  std::vector<ScoredCandidate> many;
  for (std::int64_t i = 0; i < 1000; ++i) many.push_back({i * 99991, i % 50});
  const std::int64_t population = 100000000;
  const auto chosen =
      exponential_race(source.claim(Purpose::selection, 0, 0), population, many, 0.3, 100);
  ASSERT_EQ(chosen.size(), 100U);
  auto sorted = chosen;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_GE(sorted.front(), 0);
  EXPECT_LT(sorted.back(), population);
  const auto is_listed = [&](std::int64_t index) { return index % 99991 == 0 && index < 99991000; };
  // The listed weigh about twice as much as the 10^8 others together: both kinds are chosen.
  EXPECT_GT(std::count_if(chosen.begin(), chosen.end(), is_listed), 20);
  EXPECT_LT(std::count_if(chosen.begin(), chosen.end(), is_listed), 95);
}

TEST(ExponentialRace, HugeWeightsGiveTheOrderOfTheScores) {
  SeededSource source(10);
  EXPECT_EQ(
      exponential_race(source.claim(Purpose::selection, 0, 0), 1000000,
                       std::vector<ScoredCandidate>{{5, 3}, {77, 9}, {78, -4}, {900, 7}}, 1e6, 3),
      (std::vector<std::int64_t>{77, 900, 5}));
}

TEST(ExponentialRace, ForcedExactArithmeticGivesTheSameOrder) {
  std::vector<ScoredCandidate> some;
  for (std::int64_t i = 0; i < 12; ++i) some.push_back({3 * i, i % 4 - 1});
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    SeededSource rough_source(seed);
    SeededSource exact_source(seed);
    Stream rough(rough_source.claim(Purpose::selection, 0, 0));
    Stream exact(exact_source.claim(Purpose::selection, 0, 0));
    EXPECT_EQ(
        internal::race_order(rough, {some, 0.8, 30, 10}, 10, internal::Arithmetic::doubles_first),
        internal::race_order(exact, {some, 0.8, 30, 10}, 10, internal::Arithmetic::exact_only));
  }
}

TEST(ExponentialRace, NegativeScoresAndWholePopulationsWork) {
  SeededSource source(11);
  auto all = exponential_race(source.claim(Purpose::selection, 0, 0), 6,
                              std::vector<ScoredCandidate>{{0, -5}, {3, 2}}, 0.7, 6);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(exponential_race(source.claim(Purpose::selection, 0, 1), 6, {}, 1.0, 0).empty());
  EXPECT_TRUE(exponential_race(source.claim(Purpose::selection, 0, 2), 0, {}, 1.0, 0).empty());
}

TEST(ExponentialRace, RefusesWhatMakesNoSense) {
  SeededSource source(12);
  std::uint64_t index = 0;
  const auto run = [&](std::int64_t population, const std::vector<ScoredCandidate>& candidates,
                       double w, std::int64_t count) {
    static_cast<void>(exponential_race(source.claim(Purpose::selection, 0, index++), population,
                                       candidates, w, count));
  };
  EXPECT_THROW(run(3, {}, 1, 4), base::UsageError);
  EXPECT_THROW(run(3, {}, 1, -1), base::UsageError);
  EXPECT_THROW(run(3, {{3, 1}}, 1, 1), base::UsageError);
  EXPECT_THROW(run(3, {{2, 1}, {1, 1}}, 1, 1), base::UsageError);
  EXPECT_THROW(run(3, {{1, 1}, {1, 1}}, 1, 1), base::UsageError);
  EXPECT_THROW(run(3, {{1, 1}}, std::nan(""), 1), base::UsageError);
  EXPECT_THROW(run(3, {{1, 1}}, HUGE_VAL, 1), base::UsageError);
  EXPECT_THROW(run(3, {{1, 1}}, -1, 1), base::UsageError);
  EXPECT_THROW(run(3, {{1, 1}}, 0x1.1p64, 1), base::UsageError);
  EXPECT_THROW(run(3, {{1, 1}}, 0x1p600, 1), base::UsageError);
}

// Equal scores whose weights differ from the others' beyond all doubles are told apart by their
// noise alone, which 512 bits still show beside them.
TEST(ExponentialRace, DecidesTheHeaviestScores) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const std::vector<ScoredCandidate> candidates{{1, most}, {3, most}, {5, -most}, {6, -most}};
  std::vector<std::int64_t> firsts(8);
  for (std::uint64_t i = 0; i < 100; ++i) {
    SeededSource source(i);
    const auto order =
        exponential_race(source.claim(Purpose::selection, 0, 0), 8, candidates, 0x1p64, 8);
    EXPECT_EQ(order[0] + order[1], 4);
    EXPECT_EQ(order[6] + order[7], 11);
    ++firsts[static_cast<std::size_t>(order[0])];
  }
  // Fair random draws: 6.2 standard deviations of sqrt(100) / 2, false alarm 1e-9.
  EXPECT_NEAR(static_cast<double>(firsts[1]), 50, 31);
}

}  // namespace race_test
}  // namespace tacet::random
