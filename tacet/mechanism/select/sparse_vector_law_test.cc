// The exact law of the sparse vector technique, by walking through every outcome.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tacet/mechanism/select/selection.h"
#include "tests/support/outcome_walk.h"

namespace tacet::mechanism::internal {
namespace sparse_vector_law_test {

using random::Ratio;
using random::ScoredCandidate;
using test::Walk;

using Found = std::vector<std::int64_t>;

std::map<Found, double> sparse_law(const std::vector<std::int64_t>& queries,
                                   const SparseVectorScales& scales, std::int64_t most,
                                   ThresholdNoise noise, double reach) {
  Walk walk(reach);
  return walk.law<Found>([&](Walk& draws) {
    Found found;
    ThresholdRun run({0, scales, most, noise, Compared::query}, draws);
    for (const auto& positive : above_threshold(queries, run)) {
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
  return walk.law<std::pair<std::int64_t, std::int64_t>>([&](Walk& draws) {
    const std::vector<std::int64_t> queries{query};
    ThresholdRun run({0, scales, 1, ThresholdNoise::drawn_once, Compared::query}, draws);
    const auto found = above_threshold(queries, run);
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

/// What is found among `population` scores that are 0 where none is listed.
std::map<Found, double> law_of_sparse(std::int64_t population,
                                      const std::vector<ScoredCandidate>& listed,
                                      const SparseVectorScales& scales, std::int64_t most,
                                      ThresholdNoise noise) {
  Walk walk(6);
  return walk.law<Found>([&](Walk& draws) {
    Found found;
    ThresholdRun run({1, scales, most, noise, Compared::query}, draws);
    for (const auto& positive : sparse_above_threshold(population, listed, run)) {
      found.push_back(positive.index);
    }
    return found;
  });
}

// Scores of 0 are skipped by geometric gaps; wherever touched ones lie, the law of the whole is
// that of a draw for each. Both cut the noise off at the same place.
TEST(SparseVectorLaw, SkippingZerosDoesNotChangeIt) {
  const SparseVectorScales scales{{1, 2}, {1, 2}, std::nullopt};
  for (const auto noise : {ThresholdNoise::drawn_once, ThresholdNoise::redrawn_each_time}) {
    for (const std::int64_t most : {1, 2, 3}) {
      for (const std::vector<ScoredCandidate>& listed : {std::vector<ScoredCandidate>{},
                                                         {{0, 2}},
                                                         {{2, -1}},
                                                         {{1, 1}, {2, 0}},
                                                         {{0, 0}, {1, 1}, {2, -1}}}) {
        Walk walk(6);
        std::vector<std::int64_t> dense(3);
        for (const auto& item : listed) dense[static_cast<std::size_t>(item.index)] = item.score;
        const auto expected = walk.law<Found>([&](Walk& draws) {
          Found found;
          ThresholdRun run({1, scales, most, noise, Compared::query}, draws);
          for (const auto& positive : above_threshold(dense, run)) {
            found.push_back(positive.index);
          }
          return found;
        });
        auto law = law_of_sparse(3, listed, scales, most, noise);
        double total = 0;
        for (const auto& [found, p] : expected) {
          EXPECT_NEAR(law[found], p, 1e-12);
          total += p;
        }
        for (const auto& [found, p] : law) total -= p;
        EXPECT_NEAR(total, 0, 1e-12);
      }
    }
  }
}

// Where scores lie in [0, most], listed ones are skipped as well, and those that may be positive
// get the noise that they must have for it.
TEST(SparseVectorLaw, SkippingBoundedScoresDoesNotChangeIt) {
  const SparseVectorScales scales{{1, 4}, {1, 2}, std::nullopt};
  for (const auto noise : {ThresholdNoise::drawn_once, ThresholdNoise::redrawn_each_time}) {
    for (const std::vector<ScoredCandidate>& listed :
         {std::vector<ScoredCandidate>{{0, 1}}, {{0, 1}, {1, 0}}, {{1, 1}, {2, 1}}}) {
      const auto law = [&](std::int64_t max_score) {
        Walk walk(31);
        return walk.law<Found>([&](Walk& draws) {
          Found found;
          ThresholdRun run({3, scales, 2, noise, Compared::query}, draws);
          for (const auto& positive : sparse_above_threshold(3, listed, run, max_score)) {
            found.push_back(positive.index);
          }
          return found;
        });
      };
      auto skipped = law(1);
      const auto asked = law(std::int64_t{1} << 61);
      ASSERT_EQ(skipped.size(), asked.size());
      for (const auto& [found, p] : asked) EXPECT_NEAR(skipped[found], p, 1e-11);
    }
  }
}

}  // namespace sparse_vector_law_test
}  // namespace tacet::mechanism::internal
