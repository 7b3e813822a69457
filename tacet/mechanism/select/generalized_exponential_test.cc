#include "tacet/mechanism/select/generalized_exponential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/random/choose/exponential_choice.h"

namespace tacet::mechanism {
namespace generalized_exponential_test {

using privacy::Adjacency;
using privacy::Epsilon;

// Reference values computed at 12 digits; the grid of 2^-20 moves them in the sixth.
TEST(GeneralizedScores, MatchReferenceValues) {
  const std::array<double, 5> errors{120, 80, 60, 58, 57.5};
  const std::array<double, 5> sensitivities{1, 2, 5, 17, 65};
  const auto scores =
      generalized_scores(errors, sensitivities, Epsilon(1), 0.1, Adjacency::replace_one);
  const std::array<double, 5> expected{10.7253179964, 0, .496019718938, 5.01898369278,
                                       7.02111789081};
  const auto access = AccessKeys::key();
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(-static_cast<double>(scores.open(access)[i]) * 0x1p-20, expected[i], 2e-5);
  }
  EXPECT_EQ(scores.sensitivity(), 1 << 20);
}

// Of the exponential mechanism on these scores, by the sampler's own exact numbers.
TEST(GeneralizedScores, ChooseByTheReferenceLaw) {
  const auto scores = generalized_scores(std::array<double, 5>{120, 80, 60, 58, 57.5},
                                         std::array<double, 5>{1, 2, 5, 17, 65}, Epsilon(1), 0.1,
                                         Adjacency::replace_one);
  std::vector<random::WeightedLevel> items;
  for (const auto score : scores.open(AccessKeys::key())) items.push_back({1, -score});
  const random::ExponentialChoice choice(
      items, internal::score_rate({1, 1}, scores.sensitivity(), scores.movement()));
  const std::array<double, 5> expected{.00247249645561, .527362068257, .411528176202, .042879570603,
                                       .0157576884824};
  double sum = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    sum += static_cast<double>(choice.proposal(i)) * choice.acceptance(i);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    const double law = static_cast<double>(choice.proposal(i)) * choice.acceptance(i) / sum;
    EXPECT_NEAR(law / expected[i], 1, 1e-5) << i;
  }
}

TEST(GeneralizedScores, TwentyThousandNeighboursMoveByOneAtMost) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> any(-100, 100);
  std::uniform_real_distribution<double> part(-1, 1);
  const auto access = AccessKeys::key();
  std::int64_t furthest = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(trial) % 4;
    std::vector<double> errors(n);
    std::vector<double> sensitivities(n);
    std::vector<double> neighbour(n);
    for (std::size_t i = 0; i < n; ++i) {
      errors[i] = any(generator);
      sensitivities[i] = std::exp2(any(generator) / 20);
      const double move = trial % 2 == 0 ? part(generator) : std::copysign(1, part(generator));
      neighbour[i] = errors[i] + sensitivities[i] * move;
    }
    const auto a =
        generalized_scores(errors, sensitivities, Epsilon(1), 0.1, Adjacency::replace_one);
    const auto b =
        generalized_scores(neighbour, sensitivities, Epsilon(1), 0.1, Adjacency::replace_one);
    for (std::size_t i = 0; i < n; ++i) {
      furthest = std::max(furthest, std::abs(a.open(access)[i] - b.open(access)[i]));
    }
  }
  EXPECT_LE(furthest, 1 << 20);
  EXPECT_GT(furthest, 0.999 * (1 << 20));
}

TEST(GeneralizedScores, RefuseWhatMakesNoSense) {
  const auto make = [](std::vector<double> errors, std::vector<double> sensitivities,
                       double failure) {
    (void)generalized_scores(errors, sensitivities, Epsilon(1), failure, Adjacency::replace_one);
  };
  EXPECT_THROW(make({}, {}, 0.1), base::UsageError);
  EXPECT_THROW(make({1}, {1, 2}, 0.1), base::UsageError);
  EXPECT_THROW(make({1}, {0}, 0.1), base::UsageError);
  EXPECT_THROW(make({1, 2}, {1, 1e9}, 0.1), base::UsageError);
  EXPECT_THROW(make({1}, {1}, 1), base::UsageError);
  EXPECT_THROW(make({std::nan("")}, {1}, 0.1), base::NumericError);
}

}  // namespace generalized_exponential_test
}  // namespace tacet::mechanism
