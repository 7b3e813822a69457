#include "tacet/mechanism/select/selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "tacet/base/error.h"
#include "tacet/random/choose/exponential_choice.h"
#include "tests/support/outcome_walk.h"

namespace tacet::mechanism::internal {
namespace selection_test {

using random::Ratio;
using random::WideRatio;
using test::Walk;

static_assert(Draws<Walk>);

std::vector<double> permute_and_flip_law(const std::vector<std::int64_t>& scores, WideRatio rate) {
  Walk walk;
  const auto law =
      walk.law<std::int64_t>([&](Walk& draws) { return permute_and_flip(scores, rate, draws); });
  std::vector<double> result(scores.size());
  for (const auto& [i, p] : law) result[static_cast<std::size_t>(i)] = p;
  return result;
}

/// The law that the sampler has: proposals times acceptance, both exact.
std::vector<double> exponential_law(const std::vector<std::int64_t>& scores, WideRatio rate) {
  std::vector<random::WeightedLevel> items;
  for (const auto score : scores) items.push_back({1, -score});
  const random::ExponentialChoice choice(items, rate);
  std::vector<double> result;
  double sum = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    result.push_back(static_cast<double>(choice.proposal(i)) * choice.acceptance(i));
    sum += result.back();
  }
  for (auto& p : result) p /= sum;
  return result;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected,
                 double error) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], error) << i;
}

constexpr RationalEpsilon one{1, 1};

// Reference values computed at 14 digits.
TEST(ExponentialMechanismLaw, MatchesReferenceValues) {
  expect_near(exponential_law({3, 2, 0, 2}, score_rate(one, 1, Movement::any)),
              {0.41047676604426, 0.24896674370554, 0.091589746544666, 0.24896674370554}, 1e-14);
  // u = (-10, -8, -7.5, -12, -7) in halves.
  expect_near(exponential_law({-20, -16, -15, -24, -14}, score_rate(one, 2, Movement::any)),
              {.0829311635113, .225430274786, .289458202516, .0305086700882, .371671689099}, 1e-12);
}

TEST(PermuteAndFlipLaw, MatchesReferenceValuesByWalkingThroughAllOutcomes) {
  expect_near(permute_and_flip_law({3, 2, 0, 2}, score_rate(one, 1, Movement::any)),
              {0.4742330131054, 0.22623662567363, 0.073293735547336, 0.22623662567363}, 1e-13);
  expect_near(permute_and_flip_law({-20, -16, -15, -24, -14}, score_rate(one, 2, Movement::any)),
              {.0674593889689, .20619146345, .283826219401, .0239504396645, .418572488516}, 1e-12);
}

double expected_score(const std::vector<std::int64_t>& scores, const std::vector<double>& law) {
  double sum = 0;
  for (std::size_t i = 0; i < law.size(); ++i) sum += law[i] * static_cast<double>(scores[i]);
  return sum;
}

// What either loses on average, in units of 1: half of the best score, -14, less what is expected.
TEST(SelectionLaws, LoseWhatTheReferenceSays) {
  const std::vector<std::int64_t> halves{-20, -16, -15, -24, -14};
  const auto rate = score_rate(one, 2, Movement::any);
  const auto lost = [&](const std::vector<double>& law) {
    return (-14 - expected_score(halves, law)) / 2;
  };
  EXPECT_NEAR(lost(permute_and_flip_law(halves, rate)), .670234938379, 1e-11);
  EXPECT_NEAR(lost(exponential_law(halves, rate)), .771496217019, 1e-11);
}

std::vector<std::int64_t> random_scores(std::mt19937_64& generator, std::size_t n, int spread) {
  std::uniform_int_distribution<int> any(-spread, spread);
  std::vector<std::int64_t> scores(n);
  for (auto& score : scores) score = any(generator);
  return scores;
}

double softmax(const std::vector<std::int64_t>& scores, double rate, std::size_t i) {
  double sum = 0;
  for (const auto score : scores) {
    sum += std::exp(rate * static_cast<double>(score - scores[i]));
  }
  return 1 / sum;
}

TEST(ExponentialMechanismLaw, IsTheExponentialLawForRandomScores) {
  std::mt19937_64 generator(1);
  for (int trial = 0; trial < 500; ++trial) {
    const auto scores =
        random_scores(generator, 1 + static_cast<std::size_t>(trial) % 6, trial % 2 == 0 ? 5 : 300);
    const auto law = exponential_law(scores, {1, 4});
    for (std::size_t i = 0; i < law.size(); ++i) {
      EXPECT_NEAR(law[i] / softmax(scores, 0.25, i), 1, 1e-12);
    }
  }
}

TEST(PermuteAndFlipLaw, IsNeverWorseThanTheExponentialMechanism) {
  std::mt19937_64 generator(2);
  for (int trial = 0; trial < 300; ++trial) {
    const auto scores = random_scores(generator, 2 + static_cast<std::size_t>(trial) % 4, 6);
    const auto rate = score_rate({3, 2}, 1, Movement::any);
    EXPECT_GE(expected_score(scores, permute_and_flip_law(scores, rate)),
              expected_score(scores, exponential_law(scores, rate)) - 1e-12);
  }
}

using Law = std::function<std::vector<double>(const std::vector<std::int64_t>&)>;

/// The largest |log ratio| between the laws of neighbours over random scores.
double worst_ratio(const Law& law, int sensitivity, Movement movement, int trials) {
  std::mt19937_64 generator(3);
  std::uniform_int_distribution<int> any(-sensitivity, sensitivity);
  std::bernoulli_distribution extreme(0.5);
  double worst = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto scores = random_scores(generator, 2 + static_cast<std::size_t>(trial) % 3, 8);
    auto neighbour = scores;
    for (auto& score : neighbour) {
      int move = extreme(generator) ? any(generator) : (any(generator) > 0 ? 1 : -1) * sensitivity;
      if (movement == Movement::one_way) move = std::abs(move);
      if (movement == Movement::one_way && extreme(generator)) move = 0;
      score += move;
    }
    const auto a = law(scores);
    const auto b = law(neighbour);
    for (std::size_t i = 0; i < a.size(); ++i) {
      worst = std::max(worst, std::fabs(std::log(a[i] / b[i])));
    }
  }
  return worst;
}

void check_laws(int neighbours) {
  for (const auto movement : {Movement::any, Movement::one_way}) {
    const auto rate = score_rate({3, 2}, 2, movement);
    const double exponential = worst_ratio(
        [&](const auto& scores) { return exponential_law(scores, rate); }, 2, movement, neighbours);
    EXPECT_LE(exponential, 1.5 + 1e-12);
    EXPECT_GT(exponential, 0.9);
    const double flip =
        worst_ratio([&](const auto& scores) { return permute_and_flip_law(scores, rate); }, 2,
                    movement, neighbours);
    EXPECT_LE(flip, 1.5 + 1e-12);
    EXPECT_GT(flip, 1.2);
  }
}

TEST(SelectionLaws, RandomNeighboursNeverBeatEpsilon) { check_laws(2000); }
TEST(SelectionLawsLong, TenThousandRandomNeighboursNeverBeatEpsilon) { check_laws(10000); }

// Differences of losses move both ways: the noise for scores that move one way would be too small.
TEST(SelectionLaws, NeighboursCatchTheWrongSensitivity) {
  const auto one_way = score_rate({3, 2}, 2, Movement::one_way);
  EXPECT_GT(worst_ratio([&](const auto& s) { return permute_and_flip_law(s, one_way); }, 2,
                        Movement::any, 1000),
            1.6);
  EXPECT_GT(worst_ratio([&](const auto& s) { return exponential_law(s, one_way); }, 2,
                        Movement::any, 1000),
            1.6);
}

std::vector<double> noisy_max_law(const std::vector<std::int64_t>& scores, Ratio scale) {
  Walk walk;
  const auto law =
      walk.law<std::int64_t>([&](Walk& draws) { return laplace_noisy_max(scores, scale, draws); });
  std::vector<double> result(scores.size());
  for (const auto& [i, p] : law) result[static_cast<std::size_t>(i)] = p;
  return result;
}

TEST(LaplaceNoisyMaxLaw, NeighboursNeverBeatEpsilon) {
  // Sensitivity 1, epsilon 1.5: scale 4/3, or 2/3 where scores move one way.
  const double any = worst_ratio(
      [](const auto& s) {
        return noisy_max_law({s[0], s[1]}, {4, 3});
      },
      1, Movement::any, 300);
  EXPECT_LE(any, 1.5 * 1.001);
  const double wrong = worst_ratio(
      [](const auto& s) {
        return noisy_max_law({s[0], s[1]}, {2, 3});
      },
      1, Movement::any, 300);
  EXPECT_GT(wrong, 1.7);
}

TEST(LaplaceScale, IsExactAndRefusesWhatCannotBeDrawn) {
  const auto scale = laplace_scale(7, 6, {3, 2});
  EXPECT_EQ(scale.numerator, 84u);
  EXPECT_EQ(scale.denominator, 3u);
  EXPECT_THROW((void)laplace_scale(std::int64_t{1} << 40, 2, one), base::UsageError);
  EXPECT_THROW((void)laplace_scale(std::int64_t{1} << 40, std::int64_t{1} << 40, {1, 1u << 20}),
               base::UsageError);
}

// Numerators of 2^40 times scores of 2^62 must not wrap.
TEST(ScoreRate, HoldsForLargeScoresAndFineEpsilons) {
  const std::int64_t large = std::int64_t{1} << 33;
  const RationalEpsilon fine{(std::uint64_t{1} << 40) - 1, std::uint64_t{1} << 20};
  const std::int64_t sensitivity = std::int64_t{1} << 40;
  const auto rate = score_rate(fine, sensitivity, Movement::any);
  EXPECT_NEAR(test::value(rate), 0x1p20 / 0x1p41, 1e-12);
  // The second of two candidates lies 2^33 behind: exp(-2^12).
  Walk walk;
  const std::vector<std::int64_t> scores{large << 20, 0};
  const auto law =
      walk.law<std::int64_t>([&](Walk& draws) { return permute_and_flip(scores, rate, draws); });
  EXPECT_EQ(law.at(1), 0);
  const std::vector<std::int64_t> near{large, large - (std::int64_t{1} << 21)};
  const auto shares = exponential_law(near, rate);
  EXPECT_NEAR(shares[1], 1 / (1 + std::exp(1.0)), 1e-6);
}

}  // namespace selection_test
}  // namespace tacet::mechanism::internal
