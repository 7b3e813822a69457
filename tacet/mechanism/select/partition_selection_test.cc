#include "tacet/mechanism/select/partition_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace partition_selection_test {

using privacy::Adjacency;
using privacy::NoiseMultiplier;
using privacy::PartitionCounts;
using test::Spender;

constexpr std::int64_t norm = std::int64_t{1} << 20;

PartitionCounts counts_of(const std::vector<std::string>& names, std::vector<std::int64_t> counts,
                          std::int64_t max_per_unit = 1) {
  return PartitionCounts::from_certified(privacy::Certifier::clipped(), names, std::move(counts),
                                         norm, max_per_unit);
}

double upper_tail(double stddevs) { return std::erfc(stddevs / std::numbers::sqrt2) / 2; }

/// The probability that any of t words is released which one unit alone has, 1/sqrt(t) in each.
double probability_of_any(double threshold, double noise, std::int64_t t) {
  const auto words = static_cast<double>(t);
  const double tail = upper_tail((threshold - 1 / std::sqrt(words)) / noise);
  return -std::expm1(words * std::log1p(-tail));
}

// Of an independent program.
TEST(PartitionSelection, ThresholdsAreThoseOfTheFormula) {
  const auto at = [](double noise, double delta, std::int64_t most) {
    return partition_threshold({NoiseMultiplier(noise), delta, most});
  };
  EXPECT_NEAR(at(5, 1e-6, 8), 26.142059541880425, 1e-9);
  EXPECT_NEAR(at(0.5, 1e-6, 8), 3.3767121544113, 1e-8);
  EXPECT_NEAR(at(0.1, 1e-5, 8), 1.4264890793922826, 1e-9);
  EXPECT_NEAR(at(0.05, 1e-5, 100), 1.2132445396961413, 1e-9);
}

// A unit may hold any number of words that no other unit holds. Where the noise is small, one such
// word is the worst case; where it is large, all of them are.
TEST(PartitionSelection, WordsOfOneUnitAloneHardlyEverAppear) {
  for (const double noise : {0.05, 0.5, 5.0, 50.0}) {
    for (const double delta : {1e-4, 1e-9}) {
      constexpr std::int64_t most = 30;
      const double threshold = partition_threshold({NoiseMultiplier(noise), delta, most});
      double worst = 0;
      for (std::int64_t t = 1; t <= most; ++t) {
        worst = std::max(worst, probability_of_any(threshold, noise, t));
      }
      EXPECT_LE(worst, delta);
      EXPECT_GE(worst, delta * 0.99);
      // A threshold made for a single word, or for all of them alone, would be too low.
      const double one = partition_threshold({NoiseMultiplier(noise), delta, 1});
      const double all = threshold - (1 - 1 / std::sqrt(static_cast<double>(most)));
      EXPECT_TRUE(probability_of_any(one, noise, most) > delta ||
                  probability_of_any(all, noise, 1) > delta);
    }
  }
}

TEST(PartitionSelection, NoisyCountsFollowTheirLaw) {
  constexpr int draws = 4000;
  const PartitionRule rule{NoiseMultiplier(0.5), 1e-2, 1};
  const std::vector<std::string> names{"a", "b", "c"};
  const double threshold = partition_threshold(rule);  // 1 + .5 * 2.326
  Spender spender(5, partition_selection_event(rule, Adjacency::add_remove), Adjacency::add_remove,
                  draws);
  std::vector<std::int64_t> seen(8);
  for (int i = 0; i < draws; ++i) {
    const auto found =
        select_partitions(counts_of(names, {2 * norm, norm, 3 * norm}), rule, Adjacency::add_remove,
                          {spender.next(), spender.source, spender.reservation});
    std::size_t set = 0;
    for (const auto& word : found.value()) {
      set |= std::size_t{1} << static_cast<std::size_t>(word.name[0] - 'a');
      EXPECT_GE(word.count, threshold);
    }
    EXPECT_TRUE(std::ranges::is_sorted(found.value(), std::greater{}, &NoisyThing::count));
    ++seen[set];
  }
  std::vector<double> expected;
  const double means[] = {2, 1, 3};
  for (std::size_t set = 0; set < 8; ++set) {
    double p = draws;
    for (std::size_t j = 0; j < 3; ++j) {
      const double hit = upper_tail((threshold - means[j]) / 0.5);
      p *= ((set >> j) & 1) != 0 ? hit : 1 - hit;
    }
    expected.push_back(p);
  }
  // What only "b" tells is rare: sets with it are one cell.
  std::vector<std::int64_t> cells{0, 0, 0, 0, 0};
  std::vector<double> wanted{0, 0, 0, 0, 0};
  for (std::size_t set = 0; set < 8; ++set) {
    const std::size_t cell = (set & 2) != 0 ? 4 : (set & 1) + (set >> 2) * 2;
    cells[cell] += seen[set];
    wanted[cell] += expected[set];
  }
  EXPECT_GT(test::chi_square_p_value(cells, wanted), test::false_alarm_rate);
}

// A unit's texts hold more words than it may count in: those have a name and no count, and there is
// no bound on how many. Noise alone would lift 1,700 of these over the threshold.
TEST(PartitionSelection, NoiseAloneReleasesNothing) {
  const PartitionRule rule{NoiseMultiplier(5), 1e-2, 1};
  std::vector<std::string> names;
  for (int i = 0; i < 300000; ++i) names.push_back(std::to_string(i));
  ASSERT_GT(300000 * upper_tail(partition_threshold(rule) / 5), 1000);
  std::vector<std::int64_t> counts(names.size(), 0);
  counts[7] = 100 * norm;
  Spender spender(9, partition_selection_event(rule, Adjacency::add_remove), Adjacency::add_remove,
                  1);
  const auto found = select_partitions(counts_of(names, counts), rule, Adjacency::add_remove,
                                       {spender.next(), spender.source, spender.reservation});
  ASSERT_EQ(found.value().size(), 1U);
  EXPECT_EQ(found.value()[0].name, "7");
}

// Where counts are equal and noise is next to none, the order is that of the names, not of the
// file.
TEST(PartitionSelection, OrderTellsNothingOfTheFile) {
  const PartitionRule rule{NoiseMultiplier(1e-9), 1e-3, 1};
  Spender spender(3, partition_selection_event(rule, Adjacency::add_remove), Adjacency::add_remove,
                  2);
  const auto released = [&](const std::vector<std::string>& names) {
    return select_partitions(counts_of(names, {9 * norm, 9 * norm, 9 * norm}), rule,
                             Adjacency::add_remove,
                             {spender.next(), spender.source, spender.reservation})
        .value();
  };
  const auto one = released({"x", "a", "m"});
  ASSERT_EQ(one.size(), 3U);
  EXPECT_EQ(one, released({"m", "x", "a"}));
  EXPECT_EQ(one[0].name, "a");
}

TEST(PartitionSelection, CostsNoiseAndWhatOneUnitAloneMayShow) {
  const PartitionRule rule{NoiseMultiplier(2), 1e-6, 4};
  const privacy::Event cost = privacy::Composed{
      {privacy::Gaussian{2}, privacy::ApproximateDp{0, 1e-6, Adjacency::replace_one}}};
  EXPECT_EQ(partition_selection_event(rule, Adjacency::replace_one), cost);
  Spender spender(3, cost, Adjacency::replace_one, 1);
  const std::vector<std::string> names{"a"};
  const auto released = select_partitions(counts_of(names, {norm}, 4), rule, Adjacency::replace_one,
                                          {spender.next(), spender.source, spender.reservation});
  EXPECT_EQ(released.event(), cost);
  EXPECT_THROW((void)select_partitions(counts_of(names, {norm}, 4), rule, Adjacency::replace_one,
                                       {spender.next(), spender.source, spender.reservation}),
               base::BudgetError);
}

TEST(PartitionSelection, RefuseWhatHasNoMeaning) {
  const std::vector<std::string> names{"a"};
  for (const double delta : {0.0, -1.0, 0.5, 1.0, std::nan("")}) {
    EXPECT_THROW((void)partition_threshold({NoiseMultiplier(1), delta, 1}), base::UsageError);
  }
  EXPECT_THROW((void)partition_threshold({NoiseMultiplier(1), 1e-6, 0}), base::UsageError);
  EXPECT_THROW((void)counts_of(names, {-1}), base::UsageError);
  EXPECT_THROW((void)counts_of(names, {1, 2}), base::UsageError);
  // Units that count in more things than the threshold is made for.
  const PartitionRule rule{NoiseMultiplier(1), 1e-6, 3};
  Spender spender(3, partition_selection_event(rule, Adjacency::add_remove), Adjacency::add_remove,
                  1);
  EXPECT_THROW((void)select_partitions(counts_of(names, {norm}, 4), rule, Adjacency::add_remove,
                                       {spender.next(), spender.source, spender.reservation}),
               base::UsageError);
}

}  // namespace partition_selection_test
}  // namespace tacet::mechanism
