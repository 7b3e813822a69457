#include "tacet/random/noise/rounded_gaussian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/statistics.h"

namespace tacet::random {
namespace rounded_gaussian_test {

double upper_tail(double x) { return std::erfc(x / std::numbers::sqrt2) / 2; }

/// P(low <= K <= high), without cancellation in the tails.
double probability(std::int64_t low, std::int64_t high, double sigma) {
  const double a = (static_cast<double>(low) - 0.5) / sigma;
  const double b = (static_cast<double>(high) + 0.5) / sigma;
  return a > 0 ? upper_tail(a) - upper_tail(b) : upper_tail(-b) - upper_tail(-a);
}

std::vector<std::int64_t> draw(double sigma, std::size_t count, std::uint64_t seed) {
  SeededSource source(seed);
  std::vector<std::int64_t> values(count);
  add_rounded_gaussian(source.claim(Purpose::noise, 0, 0), sigma, values);
  return values;
}

/// Chi-square p-value of draws in bins of `width` integers out to 4.5 sigma, and the rest.
double goodness_of_fit(double sigma, std::size_t count, std::int64_t width) {
  const auto bins = static_cast<std::int64_t>(4.5 * sigma) / width + 1;
  std::vector<std::int64_t> observed;
  std::vector<double> expected;
  const auto n = static_cast<double>(count);
  double inside = 0;
  for (std::int64_t bin = -bins; bin <= bins; ++bin) {
    const double p = probability(bin * width - width / 2, bin * width + width / 2, sigma);
    expected.push_back(n * p);
    inside += p;
  }
  observed.resize(expected.size() + 1);
  expected.push_back(n * (1 - inside));
  for (const std::int64_t value : draw(sigma, count, 5)) {
    const std::int64_t shifted = value + bins * width + width / 2;
    const bool in = shifted >= 0 && shifted / width < 2 * bins + 1;
    ++observed[in ? static_cast<std::size_t>(shifted / width) : observed.size() - 1];
  }
  // Cells that expect too little join their neighbour towards the end.
  std::vector<std::int64_t> merged_observed(1);
  std::vector<double> merged_expected(1);
  for (std::size_t i = 0; i < observed.size(); ++i) {
    merged_observed.back() += observed[i];
    merged_expected.back() += expected[i];
    const double rest =
        std::accumulate(expected.begin() + static_cast<long>(i) + 1, expected.end(), 0.0);
    if (merged_expected.back() >= 20 && rest >= 20) {
      merged_observed.push_back(0);
      merged_expected.push_back(0);
    }
  }
  return test::chi_square_p_value(merged_observed, merged_expected);
}

TEST(RoundedGaussian, ProbabilitiesFollowTheOracles) {
  // Reference values of the core specification's pmf, computed at 40 digits.
  EXPECT_NEAR(probability(0, 0, 0.8), 0.4680289419026, 1e-13);
  EXPECT_NEAR(probability(1, 1, 0.8), 0.23558916728344, 1e-13);
  EXPECT_NEAR(probability(5, 5, 0.8), 9.2722992416091e-9, 1e-20);
  EXPECT_NEAR(probability(0, 0, 3.7), 0.10749496886474, 1e-13);
  EXPECT_NEAR(probability(5, 5, 3.7), 0.043376039634511, 1e-13);
  EXPECT_NEAR(probability(0, 0, 0x1p20), 3.8046100654737e-7, 1e-16);
}

TEST(RoundedGaussian, DrawsFollowTheExactProbabilities) {
  constexpr std::size_t count = 500000;
  EXPECT_GT(goodness_of_fit(0.3, count, 1), test::false_alarm_rate);
  EXPECT_GT(goodness_of_fit(0.8, count, 1), test::false_alarm_rate);
  EXPECT_GT(goodness_of_fit(3.7, count, 1), test::false_alarm_rate);
  EXPECT_GT(goodness_of_fit(100, count, 1), test::false_alarm_rate);
  EXPECT_GT(goodness_of_fit(0x1p20, count, 20971), test::false_alarm_rate);
}

TEST(RoundedGaussianLong, DrawsFollowTheExactProbabilities) {
  constexpr std::size_t count = 10000000;
  EXPECT_GT(goodness_of_fit(0.3, count, 1), test::false_alarm_rate);
  EXPECT_GT(goodness_of_fit(0.8, count, 1), test::false_alarm_rate);
  EXPECT_GT(goodness_of_fit(3.7, count, 1), test::false_alarm_rate);
  EXPECT_GT(goodness_of_fit(100, count, 1), test::false_alarm_rate);
  EXPECT_GT(goodness_of_fit(0x1p20, count, 2097), test::false_alarm_rate);
}

TEST(RoundedGaussian, AddingToAValueShiftsTheSample) {
  SeededSource plain_source(8);
  SeededSource shifted_source(8);
  std::vector<std::int64_t> plain(3000);
  std::vector<std::int64_t> shifted(3000);
  for (std::size_t j = 0; j < shifted.size(); ++j) {
    shifted[j] = static_cast<std::int64_t>(j * j) * 977 - 1000000007;
  }
  auto expected = shifted;
  add_rounded_gaussian(plain_source.claim(Purpose::noise, 1, 2), 12345.678, plain);
  add_rounded_gaussian(shifted_source.claim(Purpose::noise, 1, 2), 12345.678, shifted);
  for (std::size_t j = 0; j < plain.size(); ++j) expected[j] += plain[j];
  EXPECT_EQ(shifted, expected);
}

TEST(RoundedGaussian, PiecesOfAVectorGetTheSameIntegersAsTheWhole) {
  constexpr double sigma = 0x1.8p31;
  const auto whole = draw(sigma, 10000, 13);
  SeededSource source(13);
  const KeystreamBlock block(source.claim(Purpose::noise, 0, 0));
  std::vector<std::int64_t> pieces(whole.size());
  std::size_t begin = 0;
  for (const std::size_t size : {1U, 2U, 4095U, 17U, 3000U, 2885U}) {
    internal::add_rounded_gaussian(block, sigma, std::span(pieces).subspan(begin, size), begin);
    begin += size;
  }
  ASSERT_EQ(begin, whole.size());
  EXPECT_EQ(pieces, whole);
}

TEST(RoundedGaussian, ScalesFromTheSmallestToTheLargestWork) {
  for (const double sigma : {std::numeric_limits<double>::denorm_min(), 1e-300, 1e-3}) {
    for (const std::int64_t value : draw(sigma, 100, 3)) EXPECT_EQ(value, 0);
  }
  const auto large = draw(largest_gaussian_sigma, 1000, 3);
  EXPECT_GT(*std::max_element(large.begin(), large.end()), std::int64_t{1} << 33);
}

TEST(RoundedGaussian, RefusesScalesOutsideItsRange) {
  std::vector<std::int64_t> values(3);
  SeededSource source(1);
  std::uint64_t index = 0;
  for (const double sigma : {0.0, -1.0, std::nan(""), HUGE_VAL, 0x1.0000000000001p32}) {
    EXPECT_THROW(add_rounded_gaussian(source.claim(Purpose::noise, 0, index++), sigma, values),
                 base::UsageError);
  }
}

TEST(RoundedGaussian, NothingToDoIsFine) {
  SeededSource source(1);
  add_rounded_gaussian(source.claim(Purpose::noise, 0, 0), 1.0, {});
}

}  // namespace rounded_gaussian_test
}  // namespace tacet::random
