#include "tacet/mechanism/selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "tacet/base/error.h"
#include "tacet/random/exponential_choice.h"

namespace tacet::mechanism::internal {
namespace {

using random::Ratio;
using random::WideRatio;

double value(WideRatio x) {
  return static_cast<double>(x.numerator) / static_cast<double>(x.denominator);
}

/// Decisions that walk through every outcome: each run follows a path of choices, and carries its
/// probability. Discrete Laplace noise is cut off at `reach` scales.
class Walk {
 public:
  explicit Walk(double reach = 31) : reach_(reach) {}

  std::uint64_t below(std::uint64_t n) {
    return choose(n, [n](std::uint64_t) { return 1 / static_cast<double>(n); });
  }
  bool exp_decision(WideRatio x) {
    const double p = std::exp(-value(x));
    if (p == 1) return true;
    return choose(2, [p](std::uint64_t i) { return i == 1 ? p : 1 - p; }) == 1;
  }
  std::int64_t laplace(Ratio scale) {
    const double t = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
    const auto reach = static_cast<std::uint64_t>(std::ceil(reach_ * t));
    const double factor = std::tanh(0.5 / t);  // (1 - e^(-1/t)) / (1 + e^(-1/t))
    const auto place = choose(2 * reach + 1, [&](std::uint64_t i) {
      const double k = static_cast<double>(i) - static_cast<double>(reach);
      return factor * std::exp(-std::fabs(k) / t);
    });
    return static_cast<std::int64_t>(place) - static_cast<std::int64_t>(reach);
  }

  /// Runs `once` for every path; adds up the probability of each result.
  template <typename Result>
  std::map<Result, double> law(const std::function<Result(Walk&)>& once) {
    std::map<Result, double> result;
    path_.clear();
    do {
      place_ = 0;
      probability_ = 1;
      const Result outcome = once(*this);
      result[outcome] += probability_;
    } while (advance());
    return result;
  }

 private:
  struct Step {
    std::uint64_t choice;
    std::uint64_t choices;
  };

  template <typename Probability>
  std::uint64_t choose(std::uint64_t n, const Probability& probability) {
    if (place_ == path_.size()) path_.push_back({0, n});
    const std::uint64_t choice = path_[place_++].choice;
    probability_ *= probability(choice);
    return choice;
  }

  bool advance() {
    while (!path_.empty() && path_.back().choice + 1 == path_.back().choices) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().choice;
    return true;
  }

  double reach_;
  std::vector<Step> path_;
  std::size_t place_ = 0;
  double probability_ = 1;
};

static_assert(Chance<Walk>);

std::vector<double> permute_and_flip_law(const std::vector<std::int64_t>& scores, WideRatio rate) {
  Walk walk;
  const auto law =
      walk.law<std::int64_t>([&](Walk& chance) { return permute_and_flip(scores, rate, chance); });
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

double expected_score(const std::vector<std::int64_t>& scores, const std::vector<double>& law) {
  double sum = 0;
  for (std::size_t i = 0; i < law.size(); ++i) sum += law[i] * static_cast<double>(scores[i]);
  return sum;
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

TEST(SelectionLaws, TenThousandRandomNeighboursNeverBeatEpsilon) {
  for (const auto movement : {Movement::any, Movement::one_way}) {
    const auto rate = score_rate({3, 2}, 2, movement);
    const double exponential = worst_ratio(
        [&](const auto& scores) { return exponential_law(scores, rate); }, 2, movement, 10000);
    EXPECT_LE(exponential, 1.5 + 1e-12);
    EXPECT_GT(exponential, 0.9);
    const double flip = worst_ratio(
        [&](const auto& scores) { return permute_and_flip_law(scores, rate); }, 2, movement, 10000);
    EXPECT_LE(flip, 1.5 + 1e-12);
    EXPECT_GT(flip, 1.2);
  }
}

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
  const auto law = walk.law<std::int64_t>(
      [&](Walk& chance) { return laplace_noisy_max(scores, scale, chance); });
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

using Found = std::vector<std::int64_t>;

std::map<Found, double> sparse_law(const std::vector<std::int64_t>& queries,
                                   const SparseVectorScales& scales, std::int64_t most,
                                   ThresholdNoise noise, double reach) {
  Walk walk(reach);
  return walk.law<Found>([&](Walk& chance) {
    Found found;
    for (const auto& positive : above_threshold(queries, 0, scales, most, noise, chance)) {
      found.push_back(positive.index);
    }
    return found;
  });
}

/// P(K >= k) of discrete Laplace noise of scale t.
double upper_tail(std::int64_t k, double t) {
  const double e = std::exp(-1 / t);
  if (k > 0) return std::pow(e, static_cast<double>(k)) / (1 + e);
  return 1 - std::pow(e, static_cast<double>(1 - k)) / (1 + e);
}

// The formula of the law, with the threshold's noise summed over.
TEST(SparseVectorLaw, IsTheStatedOneForOneThreshold) {
  const std::vector<std::int64_t> queries{-1, 1};
  const SparseVectorScales scales{{1, 1}, {3, 2}, std::nullopt};
  const auto law = sparse_law(queries, scales, 1, ThresholdNoise::drawn_once, 31);
  double first = 0;
  double second = 0;
  for (int r = -60; r <= 60; ++r) {
    const double p = std::tanh(0.5) * std::exp(-std::abs(r));
    first += p * upper_tail(r + 1, 1.5);
    second += p * (1 - upper_tail(r + 1, 1.5)) * upper_tail(r - 1, 1.5);
  }
  EXPECT_NEAR(law.at({0}), first, 1e-12);
  EXPECT_NEAR(law.at({1}), second, 1e-12);
  EXPECT_NEAR(law.at({}), 1 - first - second, 1e-12);
}

double worst_sparse_ratio(const SparseVectorScales& scales, std::int64_t most, ThresholdNoise noise,
                          Movement movement) {
  double worst = 0;
  constexpr double reach = 10;
  for (const std::int64_t a : {-2, 0, 2}) {
    for (int moves = 0; moves < 4; ++moves) {
      const std::int64_t down = movement == Movement::any ? -1 : 0;
      const std::vector<std::int64_t> queries{a, 0};
      const std::vector<std::int64_t> neighbour{a + ((moves & 1) != 0 ? 1 : down),
                                                0 + ((moves & 2) != 0 ? 1 : down)};
      const auto p = sparse_law(queries, scales, most, noise, reach);
      const auto q = sparse_law(neighbour, scales, most, noise, reach);
      for (const auto& [found, mass] : p) {
        const auto other = q.find(found);
        // An output that only one of two neighbours has gives it away.
        worst = other == q.end() ? double{INFINITY}
                                 : std::max(worst, std::fabs(std::log(mass / other->second)));
      }
    }
  }
  return worst;
}

TEST(SparseVectorLaw, NeighboursNeverBeatEpsilon) {
  // e1 = 1, e2 = 1 with one positive: scales 1 and 2, or 1 where queries move one way.
  EXPECT_LE(worst_sparse_ratio({{1, 1}, {2, 1}, {}}, 1, ThresholdNoise::drawn_once, Movement::any),
            2.001);
  EXPECT_LE(
      worst_sparse_ratio({{1, 1}, {1, 1}, {}}, 1, ThresholdNoise::drawn_once, Movement::one_way),
      2.001);
  // Two positives under one threshold: query noise doubles.
  EXPECT_LE(worst_sparse_ratio({{1, 1}, {4, 1}, {}}, 2, ThresholdNoise::drawn_once, Movement::any),
            2.001);
}

/// The joint law of what is found and of the values released with it.
std::map<std::pair<std::int64_t, std::int64_t>, double> value_law(
    std::int64_t query, const SparseVectorScales& scales) {
  Walk walk(14);
  return walk.law<std::pair<std::int64_t, std::int64_t>>([&](Walk& chance) {
    const std::vector<std::int64_t> queries{query};
    const auto found = above_threshold(queries, 0, scales, 1, ThresholdNoise::drawn_once, chance);
    if (found.empty()) return std::pair<std::int64_t, std::int64_t>{-1, 0};
    return std::pair<std::int64_t, std::int64_t>{0, found[0].value.value()};
  });
}

// Threshold, query and value at scales 1, 2 and 1: epsilon 1 + 1 + 1. Values up to the edge of the
// cut-off noise are compared.
TEST(SparseVectorLaw, ReleasedValuesCostNoMoreThanStated) {
  const SparseVectorScales scales{{1, 1}, {2, 1}, Ratio{1, 1}};
  for (const std::int64_t query : {-2, 0, 3}) {
    const auto p = value_law(query, scales);
    const auto q = value_law(query + 1, scales);
    for (const auto& [outcome, mass] : p) {
      if (std::abs(outcome.second - query) > 13) continue;
      const auto other = q.find(outcome);
      ASSERT_NE(other, q.end());
      EXPECT_LE(std::fabs(std::log(mass / other->second)), 3);
    }
  }
}

TEST(SparseVectorLaw, PlantedFaultsAreCaught) {
  // Hardly any query noise.
  EXPECT_GT(worst_sparse_ratio({{1, 1}, {1, 10}, {}}, 1, ThresholdNoise::drawn_once, Movement::any),
            2.2);
}

/// The probability of `negatives` queries below at `low`, then `positives` above at `high`, with
/// noise scales bt and bq: the law of above_threshold summed over the threshold's noise.
double log_pattern(int negatives, std::int64_t low, int positives, std::int64_t high, double bt,
                   double bq) {
  double sum = 0;
  for (int r = -400; r <= 400; ++r) {
    sum += std::exp(-std::abs(r) / bt) * std::pow(1 - upper_tail(r - low, bq), negatives) *
           std::pow(upper_tail(r - high, bq), positives);
  }
  return std::log(sum);
}

double worst_pattern_ratio(int positives, double bt, double bq) {
  double worst = 0;
  for (const int negatives : {1, 30, 300}) {
    for (const int offset : {0, 4, 12}) {
      const double left = log_pattern(negatives, 0, positives, offset, bt, bq);
      const double right = log_pattern(negatives, 1, positives, offset - 1, bt, bq);
      worst = std::max(worst, std::fabs(left - right));
    }
  }
  return worst;
}

// Ten positives under one threshold at e1 = e2 = 1 and sensitivity 1: scales 1 and 20.
TEST(SparseVectorLaw, NoiseThatDoesNotGrowWithThePositivesIsCaught) {
  EXPECT_LE(worst_pattern_ratio(10, 1, 20), 2 + 1e-9);
  EXPECT_GT(worst_pattern_ratio(10, 1, 2), 2.5);
  EXPECT_LE(worst_pattern_ratio(1, 1, 2), 2 + 1e-9);  // attained
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
  EXPECT_NEAR(value(rate), 0x1p20 / 0x1p41, 1e-12);
  // The second of two candidates lies 2^33 behind: exp(-2^12).
  Walk walk;
  const std::vector<std::int64_t> scores{large << 20, 0};
  const auto law =
      walk.law<std::int64_t>([&](Walk& chance) { return permute_and_flip(scores, rate, chance); });
  EXPECT_EQ(law.at(1), 0);
  const std::vector<std::int64_t> near{large, large - (std::int64_t{1} << 21)};
  const auto shares = exponential_law(near, rate);
  EXPECT_NEAR(shares[1], 1 / (1 + std::exp(1.0)), 1e-6);
}

}  // namespace
}  // namespace tacet::mechanism::internal
