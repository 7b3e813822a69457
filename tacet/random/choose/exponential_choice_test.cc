#include "tacet/random/choose/exponential_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/statistics.h"

namespace tacet::random {
namespace exponential_choice_test {

std::vector<double> law(const std::vector<WeightedLevel>& items, WideRatio rate) {
  const ExponentialChoice choice(items, rate);
  std::vector<double> result;
  double sum = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    result.push_back(static_cast<double>(choice.proposal(i)) * choice.acceptance(i));
    sum += result.back();
  }
  for (auto& p : result) p /= sum;
  return result;
}

TEST(ExponentialChoice, WeighsCountsAndLevels) {
  const auto p = law({{3, 0}, {0, -5}, {1000, 7}, {1, -2}}, {1, 2});
  const double sum = 3 + 1000 * std::exp(-3.5) + std::exp(1.0);
  EXPECT_NEAR(p[0], 3 / sum, 1e-14);
  EXPECT_EQ(p[1], 0);
  EXPECT_NEAR(p[2], 1000 * std::exp(-3.5) / sum, 1e-14);
  EXPECT_NEAR(p[3], std::exp(1.0) / sum, 1e-14);
}

// Sampling by sums of doubles would give the far item probability 0: no pure privacy.
TEST(ExponentialChoice, KeepsFarItemsWithFullRelativePrecision) {
  const auto p = law({{1, 0}, {1, 60}, {5, 600}}, {1, 1});
  EXPECT_NEAR(p[1] / std::exp(-60.0), 1, 1e-12);
  EXPECT_NEAR(p[2] / (5 * std::exp(-600.0)), 1, 1e-12);
  EXPECT_GE(
      ExponentialChoice(std::vector<WeightedLevel>{{1, 0}, {1, 1'000'000}}, {1, 1}).proposal(1),
      1u);
}

TEST(ExponentialChoice, CountsOutweighLevels) {
  const std::uint64_t many = std::uint64_t{1} << 63;
  const auto p = law({{1, 0}, {many, 43}}, {1, 1});
  const double ratio = std::ldexp(std::exp(-43.0), 63);
  EXPECT_NEAR(p[0], 1 / (1 + ratio), 1e-13);
  EXPECT_NEAR(p[1], ratio / (1 + ratio), 1e-13);
}

TEST(ExponentialChoice, AcceptsWithProbabilitiesUpToOne) {
  std::vector<WeightedLevel> items;
  for (int i = 0; i < 2000; ++i) {
    items.push_back({static_cast<std::uint64_t>(1 + i * i % 97), (i * 7919) % 523 - 200});
  }
  const ExponentialChoice choice(items, {3, 7});
  double accepted = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_LE(choice.acceptance(i), 1);
    accepted += static_cast<double>(choice.proposal(i)) * choice.acceptance(i);
  }
  EXPECT_GT(accepted / static_cast<double>(choice.proposals()), 0.999);
}

// Levels at the ends of 64 bits, where differences need more.
TEST(ExponentialChoice, HoldsForExtremeLevels) {
  const std::int64_t far = std::int64_t{1} << 62;
  const auto p = law({{1, -far}, {1, far}, {1, -far + 4}}, {1, 4});
  EXPECT_NEAR(p[0], 1 / (1 + std::exp(-1.0)), 1e-14);
  EXPECT_EQ(p[1], 0);
}

TEST(ExponentialChoice, DrawsItsLaw) {
  const std::vector<WeightedLevel> items{{4, 3}, {1, 0}, {2, 1}, {0, 0}, {100, 9}};
  const auto expected = law(items, {1, 2});
  SeededSource source(3);
  Stream stream(source.claim(Purpose::selection, 0, 0));
  const ExponentialChoice choice(items, {1, 2});
  constexpr int draws = 100000;
  std::vector<std::int64_t> seen(items.size());
  for (int i = 0; i < draws; ++i) ++seen[choice.draw(stream)];
  EXPECT_EQ(seen[3], 0);
  std::vector<std::int64_t> observed;
  std::vector<double> counts;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == 3) continue;
    observed.push_back(seen[i]);
    counts.push_back(expected[i] * draws);
  }
  EXPECT_GT(test::chi_square_p_value(observed, counts), test::false_alarm_rate);
}

TEST(ExponentialChoice, RefusesNothingToChoose) {
  const std::vector<WeightedLevel> none;
  EXPECT_THROW(ExponentialChoice(none, {1, 1}), base::UsageError);
  const std::vector<WeightedLevel> empty{{0, 1}};
  EXPECT_THROW(ExponentialChoice(empty, {1, 1}), base::UsageError);
  const std::vector<WeightedLevel> one{{1, 1}};
  EXPECT_THROW(ExponentialChoice(one, {1, 0}), base::UsageError);
}

}  // namespace exponential_choice_test
}  // namespace tacet::random
