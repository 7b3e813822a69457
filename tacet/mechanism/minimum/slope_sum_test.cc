#include "tacet/mechanism/minimum/slope_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"

namespace tacet::mechanism {
namespace slope_sum_test {

using privacy::Adjacency;

SlopeSum sum_of(const std::vector<double>& slopes, const SlopeRange& range) {
  const auto at = [slopes](double, std::int64_t first, std::span<double> out) {
    std::copy_n(slopes.begin() + first, out.size(), out.begin());
  };
  return {static_cast<std::int64_t>(slopes.size()), at, range};
}

SlopeRange range_of(double steepest, double width) {
  return {steepest, width, [steepest](double) { return steepest; }};
}

// Records may say anything: what is no number, out of range, infinite.
double any_slope(std::mt19937_64& bits) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double wild[] = {infinity, -infinity, std::nan(""), 1e300, -1e300, 0.0, 1.0, -1.0};
  std::uniform_real_distribution<double> slope(-1.5, 1.5);
  return bits() % 3 == 0 ? wild[bits() % std::size(wild)] : slope(bits);
}

TEST(SlopeSum, ANeighbourMovesItByNoMoreThanItsSensitivity) {
  std::mt19937_64 bits(1);
  const auto access = AccessKeys::key();
  for (const double width : {2.0, 0.7}) {
    const auto range = range_of(1, width);
    for (int trial = 0; trial < 3000; ++trial) {
      std::vector<double> slopes(1 + bits() % 5);
      for (double& slope : slopes) slope = any_slope(bits);
      const auto sum = sum_of(slopes, range);
      auto replaced = slopes;
      replaced.back() = any_slope(bits);
      EXPECT_LE(std::abs(sum.open(access, 0) - sum_of(replaced, range).open(access, 0)),
                sum.sensitivity(Adjacency::replace_one));
      auto without = slopes;
      without.pop_back();
      EXPECT_LE(std::abs(sum.open(access, 0) - sum_of(without, range).open(access, 0)),
                sum.sensitivity(Adjacency::add_remove));
    }
  }
}

TEST(SlopeSum, TheSensitivityIsThatOfLegalSlopesUpToAFewUnits) {
  const auto sum = sum_of({1, -1}, range_of(1, 0.7));
  EXPECT_NEAR(static_cast<double>(sum.sensitivity(Adjacency::replace_one)) * sum.unit(), 0.7, 1e-8);
  EXPECT_NEAR(static_cast<double>(sum.sensitivity(Adjacency::zero_out)) * sum.unit(), 1, 1e-8);
}

// More records than one piece of the pass holds, legal slopes: their sum, to a unit each.
TEST(SlopeSum, AddsWhatLegalRecordsSay) {
  std::mt19937_64 bits(2);
  std::uniform_real_distribution<double> slope(-1, 1);
  std::vector<double> slopes(5000);
  double truth = 0;
  for (double& s : slopes) truth += s = slope(bits);
  const auto sum = sum_of(slopes, range_of(1, 2));
  EXPECT_NEAR(static_cast<double>(sum.open(AccessKeys::key(), 0)) * sum.unit(), truth,
              5000 * sum.unit());
  EXPECT_EQ(sum.max_fall(), 5000);
  EXPECT_EQ(sum_of({}, range_of(1, 2)).open(AccessKeys::key(), 0), 0);
}

TEST(SlopeSum, RefusesRangesThatBoundNothing) {
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW((void)sum_of({1}, range_of(bad, 1)), base::UsageError);
    EXPECT_THROW((void)sum_of({1}, range_of(1, bad)), base::UsageError);
  }
  EXPECT_THROW((void)sum_of({1}, range_of(1, 2.5)), base::UsageError);
}

}  // namespace slope_sum_test
}  // namespace tacet::mechanism
