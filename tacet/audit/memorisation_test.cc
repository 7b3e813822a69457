#include "tacet/audit/memorisation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::audit {
namespace memorisation_test {

// Table 2 of the paper, its distances and p-values of a thousand ranks.
TEST(Memorisation, PValuesAreThoseOfTheReference) {
  const double distances[] = {.007, .005, .004, .010, .011, .026, .002};
  const double p_values[] = {.6371, .8343, .9114, .3505, .2757, .00204, .9915};
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(chi_square_9_tail(1000 * distances[i]), p_values[i], 1e-4) << i;
  }
}

TEST(Memorisation, RanksAreCountedInTenBins) {
  const std::vector<std::int64_t> ranks{0,     999,   1000,  5000,  9999,
                                        10000, 10000, 10000, 10000, 10000};
  const auto test = test_ranks(ranks, 10000);
  EXPECT_DOUBLE_EQ(test.shares[0], 0.2);
  EXPECT_DOUBLE_EQ(test.shares[1], 0.1);
  EXPECT_DOUBLE_EQ(test.shares[5], 0.1);
  EXPECT_DOUBLE_EQ(test.shares[9], 0.6);
  EXPECT_NEAR(test.distance, (.01 + .25 + 6 * .01) / .1, 1e-12);
  EXPECT_LT(test.p_value, 1);
  // Five at the top have log2(10000) bits of exposure each.
  EXPECT_GT(test.mean_exposure, 5 * 13.28 / 10);
  EXPECT_THROW((void)test_ranks({}, 10), base::UsageError);
  EXPECT_THROW((void)test_ranks(std::vector<std::int64_t>{11}, 10), base::UsageError);
}

// Uniform ranks are hardly ever refuted: of 300 tests at a twentieth 15 are expected, and more than
// 40 with a probability below 1e-8.
TEST(Memorisation, UniformRanksPass) {
  std::mt19937_64 bits(4);
  int refuted = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::int64_t> ranks(1000);
    for (auto& rank : ranks) rank = static_cast<std::int64_t>(bits() % 10001);
    refuted += test_ranks(ranks, 10000).p_value < 0.05 ? 1 : 0;
  }
  EXPECT_LE(refuted, 40);
  EXPECT_GE(refuted, 1);
}

}  // namespace memorisation_test
}  // namespace tacet::audit
