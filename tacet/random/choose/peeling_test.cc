#include "tacet/random/choose/peeling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/statistics.h"

namespace tacet::random {
namespace peeling_test {

// The law of exponential_race: weight 2 and scores (0, .9, 0, 0, .35, 0, 1), in twentieths.
TEST(ProposedChoices, FollowPlackettAndLuce) {
  constexpr int draws = 60000;
  constexpr std::size_t p = 7;
  const std::vector<ScoredCandidate> listed{{1, 18}, {4, 7}, {6, 20}};
  const std::array<double, p> u{0, .9, 0, 0, .35, 0, 1};
  SeededSource source(3);
  std::map<std::vector<std::int64_t>, std::int64_t> seen;
  for (std::uint64_t i = 0; i < draws; ++i) {
    ++seen[proposed_choices(source.claim(Purpose::selection, i, 0), {p, listed, 20}, {1, 10}, 3)];
  }
  // All 210 ordered triples; the exact probabilities of three of them are known references.
  double all = 0;
  for (const double x : u) all += std::exp(2 * x);
  std::vector<std::int64_t> observed;
  std::vector<double> expected;
  std::map<std::size_t, double> laws;
  for (std::size_t a = 0; a < p; ++a) {
    for (std::size_t b = 0; b < p; ++b) {
      for (std::size_t c = 0; c < p; ++c) {
        if (a == b || b == c || a == c) continue;
        const double wa = std::exp(2 * u[a]);
        const double wb = std::exp(2 * u[b]);
        const double law = wa / all * wb / (all - wa) * std::exp(2 * u[c]) / (all - wa - wb);
        laws[100 * a + 10 * b + c] = law;
        observed.push_back(seen[{static_cast<std::int64_t>(a), static_cast<std::int64_t>(b),
                                 static_cast<std::int64_t>(c)}]);
        expected.push_back(law * draws);
      }
    }
  }
  EXPECT_NEAR(laws[614], 0.063787476418403, 1e-14);
  EXPECT_NEAR(laws[164], 0.05741288002424279, 1e-14);
  EXPECT_NEAR(laws[641], 0.038170703039311894, 1e-14);
  EXPECT_GT(test::chi_square_p_value(observed, expected), test::false_alarm_rate);
}

TEST(ProposedChoices, TakeNoTimeForWhatIsNotListed) {
  SeededSource source(3);
  const std::vector<ScoredCandidate> listed{{99999999, 1 << 20}};
  const auto chosen = proposed_choices(source.claim(Purpose::selection, 0, 0),
                                       {100000000, listed, 1 << 20}, {1, 1 << 20}, 1000);
  EXPECT_EQ(chosen.size(), 1000U);
  auto sorted = chosen;
  std::ranges::sort(sorted);
  EXPECT_TRUE(std::ranges::adjacent_find(sorted) == sorted.end());
}

TEST(ProposedChoices, AllCandidatesComeOnce) {
  SeededSource source(3);
  auto all = proposed_choices(source.claim(Purpose::selection, 0, 0), {5, {}, 1}, {1, 1}, 5);
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(ProposedChoices, RefuseScoresBeyondTheirBound) {
  SeededSource source(3);
  std::uint64_t step = 0;
  const auto choose = [&](std::vector<ScoredCandidate> listed, WideRatio weight,
                          std::int64_t score_bound, std::int64_t count) {
    (void)proposed_choices(source.claim(Purpose::selection, step++, 0), {10, listed, score_bound},
                           weight, count);
  };
  EXPECT_THROW(choose({{1, 6}}, {1, 1}, 5, 1), base::UsageError);
  EXPECT_THROW(choose({{1, -1}}, {1, 1}, 5, 1), base::UsageError);
  EXPECT_THROW(choose({{1, 1}}, {1, 0}, 5, 1), base::UsageError);
  EXPECT_THROW(choose({{1, 1}}, {static_cast<Wide>(1) << 126, 1}, 5, 1), base::UsageError);
  EXPECT_THROW(choose({}, {1, 1}, 5, 11), base::UsageError);
}

}  // namespace peeling_test
}  // namespace tacet::random
