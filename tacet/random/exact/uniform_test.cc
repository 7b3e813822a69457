#include "tacet/random/exact/uniform.h"

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/statistics.h"

namespace tacet::random {
namespace uniform_test {

/// Chi-square p-value of uniform_below(n) over at most 64 equal parts of its range.
double uniformity(std::uint64_t n, std::int64_t draws) {
  SeededSource source(11);
  Stream stream(source.claim(Purpose::audit, 0, n));
  const auto parts = static_cast<std::size_t>(std::min<std::uint64_t>(n, 64));
  std::vector<std::int64_t> observed(parts);
  std::vector<double> expected(parts);
  // Part i holds the values v with floor(v * parts / n) = i.
  __extension__ using Product = unsigned __int128;
  for (std::int64_t i = 0; i < draws; ++i) {
    const std::uint64_t value = uniform_below(stream, n);
    EXPECT_LT(value, n);
    ++observed[static_cast<std::size_t>(Product{value} * parts / n)];
  }
  for (std::size_t i = 0; i < parts; ++i) {
    const auto begin = static_cast<std::uint64_t>((Product{i} * n + parts - 1) / parts);
    const auto end = static_cast<std::uint64_t>((Product{i + 1} * n + parts - 1) / parts);
    expected[i] =
        static_cast<double>(draws) * static_cast<double>(end - begin) / static_cast<double>(n);
  }
  return test::chi_square_p_value(observed, expected);
}

TEST(UniformBelow, IsUniform) {
  for (const std::uint64_t n : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{10},
                                (std::uint64_t{1} << 31) + 1, (std::uint64_t{1} << 63) + 1,
                                // Here reduction modulo n would double a third of the range.
                                (std::uint64_t{3} << 62) - 1}) {
    EXPECT_GT(uniformity(n, 400000), test::false_alarm_rate) << n;
  }
}

TEST(UniformBelow, KnowsItsEdges) {
  SeededSource source(1);
  Stream stream(source.claim(Purpose::audit, 0, 0));
  EXPECT_THROW(static_cast<void>(uniform_below(stream, 0)), base::UsageError);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(uniform_below(stream, 1), 0U);
}

TEST(Bernoulli, TakesADoubleForExactlyWhatItIs) {
  SeededSource source(4);
  Stream stream(source.claim(Purpose::audit, 0, 0));
  constexpr std::int64_t draws = 400000;
  for (const double p : {0.3, 1e-4, 1 - 0x1p-53}) {
    double failures = 0;
    for (std::int64_t i = 0; i < draws; ++i) failures += bernoulli_real(stream, p) ? 0 : 1;
    const double mean = draws * (1 - p);
    EXPECT_GT(test::normal_p_value((failures - mean) / std::sqrt(std::max(mean * p, 1e-3))),
              test::false_alarm_rate);
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(bernoulli_real(stream, 0));
    EXPECT_FALSE(bernoulli_real(stream, 0x1p-1074));
    EXPECT_TRUE(bernoulli_real(stream, 1));
  }
  EXPECT_THROW(static_cast<void>(bernoulli_real(stream, -0.1)), base::UsageError);
  EXPECT_THROW(static_cast<void>(bernoulli_real(stream, std::nan(""))), base::UsageError);
}

}  // namespace uniform_test
}  // namespace tacet::random

namespace tacet::random::internal {
namespace uniform_test {

using boost::multiprecision::cpp_int;
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
    800, boost::multiprecision::digit_base_2, void, std::int32_t, -16000, 16000>>;

Real real(const Fraction& x) { return Real(x.numerator) / Real(x.denominator); }

void expect_tight_bounds(const Bracket& bound, const Real& value, int p) {
  const Real scaled = ldexp(value, p);
  EXPECT_LE(Real(bound.low), scaled);
  EXPECT_GE(Real(bound.high), scaled);
  EXPECT_LE(bound.high - bound.low, 8);
}

TEST(LazyUniform, ExponentialBracketsHoldTheValue) {
  for (const Fraction& x : {Fraction{0, 1}, Fraction{1, 1000000007}, Fraction{1, 3}, Fraction{1, 2},
                            Fraction{1, 1}, Fraction{22, 7}, Fraction{35500, 1001},
                            Fraction{1999, 1}, Fraction{1, cpp_int(1) << 900}}) {
    for (const int p : {64, 80, 144, 560}) {
      expect_tight_bounds(exp_bracket(x, p), exp(-real(x)), p);
    }
  }
  EXPECT_EQ(exp_bracket({3000, 1}, 500).high, 1);
}

TEST(LazyUniform, TheExponentialInDoublesKeepsItsBound) {
  for (int i = 0; i <= 1400; ++i) {
    const double x = i * 0.4999983 + (i % 7) * 0x1p-40;
    if (x > 700) break;
    const Real exact = exp(-Real(x));
    const Real error = abs(Real(certain_exp(x)) / exact - 1);
    ASSERT_LT(error, certain_exp_error) << x;
  }
  EXPECT_EQ(certain_exp(0), 1.0);
}

TEST(LazyUniform, DoublesAreTakenExactly) {
  for (const double x : {1.0, 0.1, 0x1p-1074, 1e300, 12345.678, 0x1p40}) {
    EXPECT_EQ(real(exact_fraction(x)), Real(x));
    EXPECT_NEAR(approximate(exact_fraction(x)) / x, 1, 1e-15);
    EXPECT_NEAR(approximate(exact_fraction(-x)) / x, -1, 1e-15);
  }
}

std::vector<std::uint64_t> words() {
  SeededSource source(31);
  Stream stream(source.claim(Purpose::audit, 0, 0));
  std::vector<std::uint64_t> result = {0, 1, 2, ~std::uint64_t{0}, ~std::uint64_t{0} - 1};
  for (int i = 0; i < 50; ++i) result.push_back(stream.next());
  for (int octave = 1; octave < 64; ++octave) {
    result.push_back(stream.next() >> octave);
    result.push_back(~(stream.next() >> octave));
  }
  return result;
}

std::uint64_t continuation(int i) { return i % 2 == 0 ? 0x0123456789abcdefU : 0xfedcba9876543210U; }

/// U of a word and its continuation, to more bits than any comparison reads here.
Real full_value(std::uint64_t word) {
  Real u = ldexp(Real(word), -64);
  for (int i = 0; i < 8; ++i) u += ldexp(Real(continuation(i)), -64 * (i + 2));
  return u;
}

TEST(LazyUniform, ComparesLikeTheWholeNumber) {
  for (const std::uint64_t word : words()) {
    for (const Fraction& x :
         {Fraction{1, 1000}, Fraction{3, 5}, Fraction{7, 1}, Fraction{44, 1}, Fraction{900, 1}}) {
      const Real value = exp(-real(x));
      const auto exact = [&](int p) { return exp_bracket(x, p); };
      LazyUniform fast(word, continuation);
      LazyUniform slow(word, continuation);
      const double approximation = static_cast<double>(value);
      EXPECT_EQ(fast.below(approximation, 1e-12, exact), full_value(word) < value);
      EXPECT_EQ(slow.below(approximation, 1.0, exact), full_value(word) < value);
    }
  }
}

TEST(LazyUniform, RoundsTransformsLikeArithmeticWithEightHundredBits) {
  for (const double scale : {0.3, 7.7, 1048576.5, 0x1p38}) {
    for (const std::uint64_t word : words()) {
      const Real u = full_value(word);
      const Real e = -log(u);
      const Fraction exact = exact_fraction(scale);
      LazyUniform a(word, continuation);
      LazyUniform b(word, continuation);
      EXPECT_EQ(cpp_int(round_exponential(a, scale, exact, false)), cpp_int(floor(scale * e)));
      EXPECT_EQ(cpp_int(round_exponential(b, scale, exact, true)), cpp_int(floor(scale * e + 0.5)));
    }
  }
}

TEST(LazyUniform, ABrokenGeneratorIsNoticed) {
  LazyUniform uniform(0, [](int) { return std::uint64_t{0}; });
  EXPECT_THROW(static_cast<void>(uniform.below(0, 0,
                                               [](int) {
                                                 return Bracket{0, 1};
                                               })),
               base::InternalError);
}

}  // namespace uniform_test
}  // namespace tacet::random::internal
