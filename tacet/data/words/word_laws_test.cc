#include "tacet/data/words/word_laws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/statistics.h"

namespace tacet::data {
namespace word_laws_test {

const Vocabulary& counted() {
  static const Vocabulary words({"the", "of", "never", "king", "owl"}, {100'000, 20'000, 0, 50, 1});
  return words;
}

void expect_law(const NegativeLaw& law, const std::vector<double>& expected) {
  constexpr int draws = 200'000;
  RandomDraws random_draws(17);
  std::vector<std::int64_t> counts(expected.size());
  for (int k = 0; k < draws; ++k) ++counts[static_cast<std::size_t>(law.draw(random_draws))];
  std::vector<std::int64_t> observed;
  std::vector<double> expectations;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(law.probability(static_cast<std::int32_t>(k)), expected[k], 1e-9);
    if (expected[k] == 0) {
      EXPECT_EQ(counts[k], 0);
      continue;
    }
    observed.push_back(counts[k]);
    expectations.push_back(draws * expected[k]);
  }
  EXPECT_GE(test::chi_square_p_value(observed, expectations), test::false_alarm_rate);
}

TEST(NegativeLaw, IsUniform) { expect_law(NegativeLaw::uniform(counted()), {.2, .2, .2, .2, .2}); }

TEST(NegativeLaw, FollowsPublicCountsToThePowerOfThreeQuarters) {
  std::vector<double> shares;
  double sum = 0;
  for (const auto count : counted().counts()) {
    shares.push_back(std::pow(static_cast<double>(count), 0.75));
    sum += shares.back();
  }
  for (auto& share : shares) share /= sum;
  expect_law(NegativeLaw::by_counts(counted()), shares);
}

TEST(NegativeLaw, NeedsPublicCounts) {
  EXPECT_THROW(static_cast<void>(NegativeLaw::by_counts(Vocabulary({"a", "b"}))), base::UsageError);
  EXPECT_THROW(static_cast<void>(NegativeLaw::by_counts(Vocabulary({"a", "b"}, {1, 0}))),
               base::UsageError);
}

// min(1, sqrt(t / f) + t / f) with f the share of all counts.
TEST(KeepThresholds, AreThoseOfWord2vec) {
  const auto thresholds = keep_thresholds(counted(), 1e-3);
  const double total = 120'051;
  const double ratio = 1e-3 * total / 100'000;
  EXPECT_NEAR(static_cast<double>(thresholds[0]) * 0x1p-64, std::sqrt(ratio) + ratio, 1e-12);
  EXPECT_EQ(thresholds[2], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(thresholds[3], std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW(static_cast<void>(keep_thresholds(Vocabulary({"a", "b"}), 1e-3)), base::UsageError);
  EXPECT_THROW(static_cast<void>(keep_thresholds(counted(), 0)), base::UsageError);
  EXPECT_THROW(static_cast<void>(keep_thresholds(counted(), std::nan(""))), base::UsageError);
}

}  // namespace word_laws_test
}  // namespace tacet::data
