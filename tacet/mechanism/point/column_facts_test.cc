#include "tacet/mechanism/point/column_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/point/grid.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace column_facts_test {

using privacy::Adjacency;
using privacy::Delta;
using privacy::Epsilon;
using privacy::Private;
using test::Spender;
using Counts = std::map<std::string, std::int64_t>;

AnswerCost cost_of(double epsilon, double delta, Adjacency adjacency = Adjacency::add_remove,
                   std::int64_t max_values_per_unit = 1) {
  return {Epsilon(epsilon), Delta(delta), adjacency, max_values_per_unit};
}

TEST(MagnitudeGrid, PointsRiseAndAreTheirOwnNearest) {
  EXPECT_EQ(magnitude_point((magnitude_ranks - 1) / 2), 0);
  for (std::int64_t rank = 0; rank < magnitude_ranks; ++rank) {
    ASSERT_EQ(magnitude_rank(magnitude_point(rank)), rank);
    if (rank > 0) {
      ASSERT_LT(magnitude_point(rank - 1), magnitude_point(rank));
    }
  }
}

TEST(MagnitudeGrid, RanksRiseWithTheNumberAndStayInside) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> rising{-infinity, -1e300, -1e12,  -7.3, -1,    -0.25,   -1e-9,
                                   -1e-300,   0,      1e-300, 1e-9, 0.99,  0.999,   1,
                                   38,        39,     1e6,    1e12, 1e300, infinity};
  for (std::size_t i = 1; i < rising.size(); ++i) {
    EXPECT_LE(magnitude_rank(rising[i - 1]), magnitude_rank(rising[i])) << rising[i];
  }
  EXPECT_EQ(magnitude_rank(-infinity), 0);
  EXPECT_EQ(magnitude_rank(infinity), magnitude_ranks - 1);
  EXPECT_EQ(magnitude_rank(std::nan("")), magnitude_rank(0));
  for (const double value : {1e-6, 0.3, 17.0, 90.5, 123456.0}) {
    EXPECT_NEAR(magnitude_point(magnitude_rank(value)) / value, 1, 1.0 / 64);
    EXPECT_NEAR(magnitude_point(magnitude_rank(-value)) / -value, 1, 1.0 / 64);
  }
}

// Whole numbers up to 64 are points: an age of 17 becomes a bound of 17.
TEST(MagnitudeGrid, HoldsSmallWholeNumbers) {
  for (int i = -64; i <= 64; ++i) EXPECT_EQ(magnitude_point(magnitude_rank(i)), i);
}

TEST(ColumnFacts, CountsOfKindsAreNoisyByOneOverEpsilon) {
  const auto cost = cost_of(0.5, 0);
  constexpr int draws = 4000;
  Spender spender(1, cost.event(), cost.adjacency, draws);
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    const auto noisy = release_kinds(Private<KindCounts>({1000, 30, 5}), cost,
                                     {spender.next(), spender.source, spender.reservation})
                           .value();
    sum += static_cast<double>(std::abs(noisy.numbers - 1000) + std::abs(noisy.codes - 30) +
                               std::abs(noisy.prose - 5));
  }
  // E|K| = 1/sinh(1/2) for discrete Laplace noise of scale 2; its standard deviation is about 2.
  EXPECT_NEAR(sum / (3 * draws), 1 / std::sinh(0.5), 6.2 * 2 / std::sqrt(3.0 * draws));
}

TEST(ColumnFacts, CoverageIsLoweredToWhatFewValuesAllow) {
  EXPECT_EQ(attainable_coverage(0.98, 1000000, Epsilon(0.1)), 0.98);
  EXPECT_NEAR(attainable_coverage(0.98, 10000, Epsilon(0.1)), 0.8952, 1e-12);
  EXPECT_EQ(attainable_coverage(0.98, 10, Epsilon(0.1)), 0.5);
  EXPECT_EQ(attainable_coverage(0.98, -3, Epsilon(0.1)), 0.5);
  EXPECT_EQ(attainable_coverage(0.3, 10, Epsilon(0.1)), 0.3);
}

TEST(ColumnFacts, BoundsHoldTheMiddleOfTheValues) {
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::zero_out}) {
    const auto cost = cost_of(1, 0, adjacency);
    Spender spender(1, cost.event(), cost.adjacency, 1);
    std::vector<double> values;
    for (int i = 0; i < 10000; ++i) values.push_back(100 + i % 1000);
    values.push_back(1e12);  // one record moves no bound
    const auto bounds = release_bounds(Private<std::vector<double>>(values), 0.98, cost,
                                       {spender.next(), spender.source, spender.reservation});
    EXPECT_NEAR(bounds.value().lower, 110, 12);
    EXPECT_NEAR(bounds.value().upper, 1090, 40);
    EXPECT_EQ(bounds.event(), cost.event());
  }
}

TEST(ColumnFacts, BoundsRiseEvenForConstantAndEmptyColumns) {
  const auto cost = cost_of(2, 0);
  Spender spender(4, cost.event(), cost.adjacency, 40);
  for (int i = 0; i < 20; ++i) {
    for (const auto& values : {std::vector<double>(500, 7.0), std::vector<double>{}}) {
      NoiseAddress address = spender.next();
      const auto bounds = release_bounds(Private<std::vector<double>>(values), 0.9, cost,
                                         {address, spender.source, spender.reservation})
                              .value();
      EXPECT_LT(bounds.lower, bounds.upper);
      if (!values.empty()) {
        EXPECT_LE(bounds.lower, 7.3);
        EXPECT_GE(bounds.upper, 6.8);
      }
    }
  }
}

TEST(ColumnFacts, FrequentTextsAreReleasedAndRareOnesAreNot) {
  const auto cost = cost_of(1, 1e-6);
  Spender spender(1, cost.event(), cost.adjacency, 1);
  Counts counts{{"common", 5000}, {"frequent", 900}};
  for (int i = 0; i < 1000; ++i) counts["person " + std::to_string(i)] = 1;
  const auto released = release_frequent(Private<Counts>(counts), cost,
                                         {spender.next(), spender.source, spender.reservation});
  ASSERT_EQ(released.value().size(), 2u);
  EXPECT_EQ(released.value()[0].text, "common");
  EXPECT_EQ(released.value()[1].text, "frequent");
  EXPECT_EQ(released.event(), privacy::Event(privacy::ApproximateDp{1, 1e-6, cost.adjacency}));
}

/// P(K >= k) of discrete Laplace noise of scale 1/epsilon.
double upper_tail(std::int64_t k, double epsilon) {
  const double q = std::exp(-epsilon);
  return k > 0 ? std::pow(q, static_cast<double>(k)) / (1 + q)
               : 1 - std::pow(q, static_cast<double>(1 - k)) / (1 + q);
}

// Exactly: the probability that a text of a single record is shown is at most delta, and the
// threshold is no more than two counts above the smallest one with that property.
TEST(ColumnFacts, ThresholdKeepsTheTextOfASingleRecordSecret) {
  for (const double epsilon : {0.05, 0.5, 1.0, 4.0}) {
    for (const double delta : {1e-3, 1e-6, 1e-12}) {
      const auto threshold = frequency_threshold(cost_of(epsilon, delta));
      EXPECT_LE(upper_tail(threshold - 1, epsilon), delta);
      EXPECT_GT(upper_tail(threshold - 4, epsilon), delta * std::exp(-epsilon) / 3);
    }
  }
}

// The hockey-stick divergence of the exact law of one count, with and without one record.
TEST(ColumnFacts, FrequentTextsKeepEpsilonAndDeltaExactly) {
  const double epsilon = 0.5;
  const double delta = 1e-3;
  const auto threshold = frequency_threshold(cost_of(epsilon, delta));
  const auto law = [&](std::int64_t count, std::int64_t shown) {
    const double t = std::tanh(epsilon / 2);
    return count == 0 ? 0 : t * std::exp(-epsilon * std::fabs(static_cast<double>(shown - count)));
  };
  const auto silent = [&](std::int64_t count) {
    return count == 0 ? 1.0 : 1 - upper_tail(threshold - count, epsilon);
  };
  for (const std::int64_t count : {0, 1, 2, 10, 14, 15, 40}) {
    for (const auto& [more, less] : {std::pair{count + 1, count}, {count, count + 1}}) {
      double divergence = std::max(0.0, silent(more) - std::exp(epsilon) * silent(less));
      for (std::int64_t shown = threshold; shown < threshold + 400; ++shown) {
        divergence += std::max(0.0, law(more, shown) - std::exp(epsilon) * law(less, shown));
      }
      EXPECT_LE(divergence, delta + 1e-12) << more << " " << less;
    }
  }
}

/// The largest probability that a text of one unit alone is shown, over all ways to give `values`
/// values: texts with counts t_1 >= t_2 >= ..., each at most `most`.
double worst_sight(std::int64_t values, std::int64_t most, std::int64_t threshold, double epsilon) {
  double worst = 0;
  for (std::int64_t t = std::min(values, most); t >= 1; --t) {
    worst = std::max(
        worst, upper_tail(threshold - t, epsilon) + worst_sight(values - t, t, threshold, epsilon));
  }
  return worst;
}

// Over all partitions of a unit's values into texts that nobody else has.
TEST(ColumnFacts, ThresholdKeepsAllTextsOfASingleUnitSecret) {
  for (const std::int64_t values : {1, 2, 3, 7, 20}) {
    for (const double epsilon : {0.05, 0.5, 4.0, 30.0}) {
      for (const double delta : {1e-3, 1e-9}) {
        const double each = epsilon / static_cast<double>(values);
        const auto threshold =
            frequency_threshold(cost_of(epsilon, delta, Adjacency::add_remove, values));
        EXPECT_LE(worst_sight(values, values, threshold, each), delta);
        EXPECT_GT(worst_sight(values, values, threshold - 3, each), delta * std::exp(-each) / 3);
      }
    }
  }
}

/// The law of what is shown of one text: index 0 for nothing, then the noisy counts from the
/// threshold on, the last one for all beyond.
std::vector<double> shown_law(std::int64_t count, std::int64_t threshold, double epsilon) {
  constexpr std::int64_t far = 150;
  std::vector<double> law(far + 2, 0.0);
  if (count == 0) {
    law[0] = 1;
    return law;
  }
  for (std::int64_t k = 0; k <= far; ++k) {
    const std::int64_t at_least = threshold + k - count;
    law[static_cast<std::size_t>(k) + 1] =
        upper_tail(at_least, epsilon) - (k < far ? upper_tail(at_least + 1, epsilon) : 0.0);
  }
  law[0] = 1 - upper_tail(threshold - count, epsilon);
  return law;
}

// The hockey-stick divergence of the exact joint law of two counts, with and without a unit of two
// values: its own texts, the texts of others, or one of each.
TEST(ColumnFacts, FrequentTextsOfAUnitKeepEpsilonAndDeltaExactly) {
  const double epsilon = 1;
  const double delta = 1e-2;
  const auto threshold = frequency_threshold(cost_of(epsilon, delta, Adjacency::add_remove, 2));
  using Pair = std::pair<std::int64_t, std::int64_t>;
  const std::vector<std::pair<Pair, Pair>> neighbours{
      {{1, 1}, {0, 0}},     {{2, 0}, {0, 0}},   {{1, 9}, {0, 8}},
      {{2, 9}, {0, 9}},     {{3, 4}, {2, 3}},   {{12, 0}, {10, 0}},
      {{14, 14}, {13, 13}}, {{11, 1}, {10, 0}}, {{15, 5}, {13, 5}}};
  for (const auto& [with, without] : neighbours) {
    const auto joint = [&](const Pair& counts) {
      return std::pair(shown_law(counts.first, threshold, epsilon / 2),
                       shown_law(counts.second, threshold, epsilon / 2));
    };
    const auto [p1, p2] = joint(with);
    const auto [q1, q2] = joint(without);
    double forth = 0;
    double back = 0;
    for (std::size_t i = 0; i < p1.size(); ++i) {
      for (std::size_t j = 0; j < p2.size(); ++j) {
        const double p = p1[i] * p2[j];
        const double q = q1[i] * q2[j];
        forth += std::max(0.0, p - std::exp(epsilon) * q);
        back += std::max(0.0, q - std::exp(epsilon) * p);
      }
    }
    EXPECT_LE(forth, delta + 1e-12) << with.first << " " << with.second;
    EXPECT_LE(back, delta + 1e-12) << with.first << " " << with.second;
  }
}

// N values of a unit at epsilon are one value at epsilon / N: the same draws, the same answers.
TEST(ColumnFacts, NoiseIsForAllValuesOfAUnit) {
  const auto single = cost_of(0.25, 1e-6);
  const auto several = cost_of(1, 1e-6, Adjacency::add_remove, 4);
  EXPECT_EQ(several.epsilon_per_value().value(), 0.25);
  Spender one(7, single.event(), single.adjacency, 2);
  Spender four(7, several.event(), several.adjacency, 2);
  const Private<KindCounts> kinds({1000, 30, 5});
  const auto a = release_kinds(kinds, single, {{}, one.source, one.reservation}).value();
  const auto b = release_kinds(kinds, several, {{}, four.source, four.reservation}).value();
  EXPECT_EQ(a.numbers, b.numbers);
  EXPECT_EQ(a.codes, b.codes);
  EXPECT_EQ(a.prose, b.prose);
  std::vector<double> numbers;
  for (int i = 0; i < 200; ++i) numbers.push_back(i);
  const Private<std::vector<double>> values(numbers);
  const NoiseAddress next{.step = 1};
  const auto c = release_bounds(values, 0.8, single, {next, one.source, one.reservation}).value();
  const auto d =
      release_bounds(values, 0.8, several, {next, four.source, four.reservation}).value();
  EXPECT_EQ(c.lower, d.lower);
  EXPECT_EQ(c.upper, d.upper);
  EXPECT_GE(frequency_threshold(several), frequency_threshold(single));
}

TEST(ColumnFacts, RefuseWhatHasNoProof) {
  EXPECT_THROW((void)cost_of(1, 0, Adjacency::add_remove, 0).event(), base::UsageError);
  EXPECT_THROW((void)cost_of(0.5, 0, Adjacency::add_remove, 1 << 20).event(), base::UsageError);
  Spender spender(1, cost_of(1, 0).event(), Adjacency::add_remove, 1);
  const Private<Counts> counts(Counts{{"a", 100}});
  EXPECT_THROW((void)release_frequent(counts, cost_of(1, 0),
                                      {spender.next(), spender.source, spender.reservation}),
               base::UsageError);
  const Private<std::vector<double>> values(std::vector<double>{1, 2});
  for (const double coverage : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_THROW((void)release_bounds(values, coverage, cost_of(1, 0),
                                      {spender.next(), spender.source, spender.reservation}),
                 base::UsageError);
  }
  EXPECT_THROW((void)release_bounds(values, 0.9, cost_of(1, 0, Adjacency::replace_one),
                                    {spender.next(), spender.source, spender.reservation}),
               base::UsageError);
  EXPECT_THROW(
      (void)release_kinds(Private<KindCounts>({1, 1, 1}), cost_of(1, 0, Adjacency::replace_one),
                          {spender.next(), spender.source, spender.reservation}),
      base::UsageError);
}

}  // namespace column_facts_test
}  // namespace tacet::mechanism
