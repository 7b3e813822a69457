#include "tacet/random/choose/crossings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tests/support/statistics.h"

namespace tacet::random {
namespace crossings_test {

using Digits = boost::multiprecision::cpp_bin_float_100;

Digits upper_tail(const Digits& x) {
  return boost::math::erfc(Digits(x / boost::multiprecision::sqrt(Digits(2)))) / 2;
}

/// P(K >= threshold) from the bounds, to many digits.
Digits probability(const Crossing& crossing) {
  constexpr int p = 400;
  const auto miss = crossing.miss_bracket(p);
  EXPECT_LE(miss.high - miss.low, 16);
  return 1 - ldexp(Digits(miss.low), -p);
}

void expect_relative(const Digits& value, const Digits& expected) {
  EXPECT_LT(abs(value / expected - 1), Digits(1e-30));
}

TEST(Crossing, GaussianChancesAreTailsOfTheRoundedLaw) {
  for (const double sigma : {0.7, 4.0, 1024.0, 1048576.5, 0x1p32}) {
    for (const double z : {-8.0, -0.3, 0.0, 0.4, 3.0, 9.0}) {
      const auto threshold = static_cast<std::int64_t>(std::floor(z * sigma));
      const Digits x = (Digits(threshold) - Digits(0.5)) / sigma;
      expect_relative(probability(Crossing::of_rounded_gaussian(sigma, threshold)), upper_tail(x));
    }
  }
}

// Phi(-threshold / sigma) is the continuous law's tail. At 3 sigma it misses the touched rows' law
// by 1.6e-6 for sigma = 2^20, by 1.6e-3 for 2^10 and by a half for 4: over many rows and steps
// that shows which rows were touched.
TEST(Crossing, TheContinuousTailIsAnotherLaw) {
  for (const auto& [sigma, gap] : {std::pair{0x1p20, 1.6e-6}, {0x1p10, 1.6e-3}, {4.0, 0.5}}) {
    const auto crossing =
        Crossing::of_rounded_gaussian(sigma, static_cast<std::int64_t>(3 * sigma));
    const auto found =
        static_cast<double>(Digits(probability(crossing) / upper_tail(Digits(3)) - 1));
    EXPECT_NEAR(found, gap, 0.06 * gap) << sigma;
  }
}

TEST(Crossing, LaplaceChancesAreSumsOfTheLaw) {
  for (const Ratio scale :
       {Ratio{1, 3}, Ratio{7, 2}, Ratio{1000, 1}, Ratio{std::uint64_t{1} << 40, 1}}) {
    const Digits q = exp(-Digits(scale.denominator) / Digits(scale.numerator));
    for (const std::int64_t threshold : {-40, -1, 0, 1, 2, 25}) {
      const Digits tail = threshold >= 1 ? Digits(pow(q, threshold) / (1 + q))
                                         : Digits(1 - pow(q, 1 - threshold) / (1 + q));
      expect_relative(probability(Crossing::of_discrete_laplace(scale, threshold)), tail);
    }
  }
}

using LongReal = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
    900, boost::multiprecision::digit_base_2, void, std::int32_t, -16000, 16000>>;

template <class Real>
void expect_rate(const Crossing& crossing, double tolerance) {
  constexpr int p = 760;
  const auto miss = crossing.miss_bracket(p);
  const Real rate = -log(ldexp(Real(miss.low + miss.high) / 2, -p));
  EXPECT_LT(abs(Real(crossing.rate()) / rate - 1), Real(tolerance)) << crossing.rate();
}

TEST(Crossing, RatesAreLogarithmsOfTheChanceToMiss) {
  for (const double z : {-30.0, -9.0, -1.0, -0.1, 0.0, 0.1, 1.0, 7.0, 20.0}) {
    const double sigma = 3000;
    const auto crossing =
        Crossing::of_rounded_gaussian(sigma, static_cast<std::int64_t>(z * sigma));
    expect_rate<LongReal>(crossing, 0x1p-46);
  }
  for (const Ratio scale : {Ratio{1, 3}, Ratio{7, 2}, Ratio{1000, 1}, Ratio{987654321, 1000}}) {
    const double units =
        static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
    for (const double x : {-400.0, -30.0, -1.0, 0.0, 0.5, 1.0, 7.0, 60.0, 400.0}) {
      const auto threshold = static_cast<std::int64_t>(std::ceil(x * units));
      expect_rate<LongReal>(Crossing::of_discrete_laplace(scale, threshold), 0x1p-41);
    }
  }
  EXPECT_EQ(Crossing::of_discrete_laplace({1, 1}, 500).rate(), 0);
  EXPECT_EQ(Crossing::of_rounded_gaussian(1, 1000).rate(), 0);
  EXPECT_EQ(Crossing::of_rounded_gaussian(1, -1000).rate(),
            std::numeric_limits<double>::infinity());
}

std::uint64_t continuation(int i) { return i % 2 == 0 ? 0x0123456789abcdefU : 0xfedcba9876543210U; }

std::int64_t misses(const Crossing& crossing, std::uint64_t word,
                    std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  internal::LazyUniform uniform(word, continuation);
  return crossing.misses(uniform, most);
}

TEST(Crossing, GapsAreThoseOfArithmeticWithEightHundredBits) {
  using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
      900, boost::multiprecision::digit_base_2, void, std::int32_t, -16000, 16000>>;
  SeededSource source(3);
  Stream stream(source.claim(Purpose::audit, 0, 0));
  for (const double z : {-3.0, -0.7, 0.2, 2.5, 6.0, 8.9}) {
    const auto crossing = Crossing::of_rounded_gaussian(500, static_cast<std::int64_t>(500 * z));
    constexpr int p = 700;
    const auto miss = crossing.miss_bracket(p);
    const Real log_miss = log(ldexp(Real(miss.low + miss.high) / 2, -p));
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t word = i % 3 == 0   ? stream.next()
                                 : i % 3 == 1 ? stream.next() >> (i % 60)
                                              : ~(stream.next() >> (i % 60));
      Real u = ldexp(Real(word), -64);
      for (int k = 0; k < 8; ++k) u += ldexp(Real(continuation(k)), -64 * (k + 2));
      // The largest g with u < miss^g.
      const Real quotient = log(u) / log_miss;
      const auto expected = static_cast<std::int64_t>(Real(ceil(quotient)) - 1);
      EXPECT_EQ(misses(crossing, word), expected) << z << " " << word;
    }
  }
}

// floor(ln U / ln(1 - probability)) with a U of 53 bits reaches only every eleventh gap at 1e-17.
TEST(Crossing, EveryGapCanOccurHoweverSmallTheProbability) {
  const auto crossing = Crossing::of_rounded_gaussian(0x1p20, 8907800);  // 8.495 sigma
  const auto rate = static_cast<double>(probability(crossing));
  ASSERT_NEAR(rate, 1e-17, 1e-18);
  std::set<std::int64_t> found;
  for (std::uint64_t i = 0; i < 7000; ++i) found.insert(misses(crossing, ~(3 * i)));
  for (std::int64_t gap = 0; gap <= 100; ++gap) EXPECT_TRUE(found.contains(gap)) << gap;
}

TEST(Crossing, GapsEndAtTheLastTrial) {
  const auto never = Crossing::of_rounded_gaussian(1, 1000);
  EXPECT_EQ(misses(never, 12345, 77), 77);
  EXPECT_EQ(misses(never, 12345, 0), 0);
  const auto always = Crossing::of_rounded_gaussian(1, -1000);
  EXPECT_EQ(misses(always, 12345, 77), 0);
  EXPECT_EQ(misses(always, 0, 77), 0);
  const auto half = Crossing::of_discrete_laplace({1, 1000}, 1);  // never: scale 1/1000
  EXPECT_EQ(misses(half, 0x8000000000000000U, 5), 5);
}

/// p-value of the sets of crossings among 5 candidates, some of them listed, against the exact
/// law.
double fit_of_sets(const std::vector<ScoredCandidate>& listed, std::uint64_t draws) {
  constexpr double sigma = 2.5;
  constexpr std::int64_t threshold = 3;
  constexpr std::int64_t population = 5;
  const std::vector<std::int64_t> scores = {0, 4, 0, -1, 0};
  SeededSource source(12);
  std::vector<std::int64_t> counts(1U << population);
  for (std::uint64_t i = 0; i < draws; ++i) {
    std::size_t set = 0;
    for (const auto c : gaussian_crossings(source.claim(Purpose::selection, 0, i), population,
                                           listed, sigma, threshold)) {
      set |= std::size_t{1} << c;
    }
    ++counts[set];
  }
  std::vector<double> expected;
  for (std::size_t set = 0; set < counts.size(); ++set) {
    double p = 1;
    for (std::size_t c = 0; c < scores.size(); ++c) {
      const double boundary = static_cast<double>(threshold - scores[c]) - 0.5;
      const double hit = std::erfc(boundary / sigma / std::numbers::sqrt2) / 2;
      p *= ((set >> c) & 1) != 0 ? hit : 1 - hit;
    }
    expected.push_back(p * static_cast<double>(draws));
  }
  return test::chi_square_p_value(counts, expected);
}

const std::vector<ScoredCandidate> touched = {{1, 4}, {3, -1}};
// Listed or not is a private fact: who has score 0 must not be told apart.
const std::vector<ScoredCandidate> all = {{0, 0}, {1, 4}, {2, 0}, {3, -1}, {4, 0}};
const std::vector<ScoredCandidate> some = {{1, 4}, {2, 0}, {3, -1}};

TEST(GaussianCrossings, SetsFollowTheProductLaw) {
  for (const auto& listed : {touched, all, some}) {
    EXPECT_GT(fit_of_sets(listed, 20000), test::false_alarm_rate);
  }
}

TEST(GaussianCrossingsLong, SetsFollowTheProductLaw) {
  for (const auto& listed : {touched, all, some}) {
    EXPECT_GT(fit_of_sets(listed, 3000000), test::false_alarm_rate);
  }
}

TEST(GaussianCrossings, ListedCandidatesFallAsTheSameNoiseOnTheWholeVectorSays) {
  SeededSource source(5);
  SeededSource again(5);
  std::vector<ScoredCandidate> listed;
  std::vector<std::int64_t> dense;
  for (std::int64_t i = 0; i < 1000; ++i) {
    dense.push_back(i % 17 - 3);
    listed.push_back({i, dense.back()});
  }
  const auto found =
      gaussian_crossings(source.claim(Purpose::selection, 0, 0), 1000, listed, 6.5, 9);
  add_rounded_gaussian(again.claim(Purpose::selection, 0, 0), 6.5, dense);
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < 1000; ++i) {
    if (dense[static_cast<std::size_t>(i)] >= 9) expected.push_back(i);
  }
  EXPECT_EQ(found, expected);
}

TEST(GaussianCrossings, TenToTheFifteenCandidatesCostNoMoreThanThoseFound) {
  SeededSource source(9);
  const std::int64_t population = 1'000'000'000'000'000;
  constexpr double sigma = 0x1p20;
  std::vector<ScoredCandidate> listed;
  for (std::int64_t i = 0; i < 1000; ++i) listed.push_back({i * 999'999'999, i % 50});
  // 10^15 P(Z > 7.3) is about 144.
  const auto threshold = static_cast<std::int64_t>(7.3 * sigma);
  const auto found = gaussian_crossings(source.claim(Purpose::selection, 0, 0), population, listed,
                                        sigma, threshold);
  const double mean = 1e15 * std::erfc(7.3 / std::numbers::sqrt2) / 2;
  EXPECT_NEAR(static_cast<double>(found.size()), mean, 6.2 * std::sqrt(mean));
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
  EXPECT_GE(found.front(), 0);
  EXPECT_LT(found.back(), population);
}

TEST(GaussianCrossings, NoneAllAndEmptyPopulationsWork) {
  SeededSource source(4);
  auto run = [&, step = std::uint64_t{0}](std::int64_t population,
                                          const std::vector<ScoredCandidate>& listed,
                                          std::int64_t threshold) mutable {
    return gaussian_crossings(source.claim(Purpose::selection, step++, 0), population, listed, 3,
                              threshold);
  };
  EXPECT_TRUE(run(1'000'000, touched, 100000).empty());
  EXPECT_EQ(run(5, touched, -100000), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(run(5, all, -100000), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(run(6, {{5, 1000}}, 500), (std::vector<std::int64_t>{5}));
  EXPECT_EQ(run(6, {{0, 1000}}, 500), (std::vector<std::int64_t>{0}));
  EXPECT_TRUE(run(0, {}, -100000).empty());
}

TEST(GaussianCrossings, RefusesWhatMakesNoSense) {
  SeededSource source(4);
  auto run = [&, step = std::uint64_t{0}](std::int64_t population,
                                          const std::vector<ScoredCandidate>& listed, double sigma,
                                          std::int64_t threshold) mutable {
    static_cast<void>(gaussian_crossings(source.claim(Purpose::selection, step++, 0), population,
                                         listed, sigma, threshold));
  };
  EXPECT_THROW(run(-1, {}, 1, 0), base::UsageError);
  EXPECT_THROW(run(3, {{3, 1}}, 1, 0), base::UsageError);
  EXPECT_THROW(run(3, {{-1, 1}}, 1, 0), base::UsageError);
  EXPECT_THROW(run(3, {{1, 1}, {1, 1}}, 1, 0), base::UsageError);
  EXPECT_THROW(run(3, {{2, 1}, {1, 1}}, 1, 0), base::UsageError);
  EXPECT_THROW(run(3, {{1, std::int64_t{1} << 61}}, 1, 0), base::UsageError);
  EXPECT_THROW(run(3, {}, 1, std::int64_t{1} << 61), base::UsageError);
  for (const double sigma : {0.0, -1.0, std::nan(""), 0x1p33}) {
    EXPECT_THROW(run(3, {}, sigma, 0), base::UsageError);
  }
  EXPECT_THROW(static_cast<void>(Crossing::of_discrete_laplace({0, 1}, 1)), base::UsageError);
}

}  // namespace crossings_test
}  // namespace tacet::random
