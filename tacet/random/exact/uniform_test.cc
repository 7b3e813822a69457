#include "tacet/random/exact/uniform.h"

#include <gtest/gtest.h>

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
