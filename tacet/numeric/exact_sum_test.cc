#include "tacet/numeric/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::numeric {
namespace exact_sum_test {

using boost::multiprecision::cpp_rational;

ExactSum sum_of(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum;
}

TEST(ExactSum, SixtyFourPartsFillTheWholeAndFiftyRoundedPartsDoNot) {
  EXPECT_EQ(sum_of(std::vector<double>(64, 1.0 / 64)).rounded_up(), 1.0);
  // 1/50 is rounded up to a double, so that fifty of them are more than 1.
  EXPECT_GT(sum_of(std::vector<double>(50, 1.0 / 50)).rounded_up(), 1.0);
}

void check_tiny_costs(std::size_t count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-60, 0);
  std::vector<double> values(count);
  for (double& value : values) value = std::exp2(exponent(random));
  // The rational oracle: halves of mantissas are summed for each power of two by themselves.
  std::map<int, std::array<std::uint64_t, 2>> halves;
  for (const double value : values) {
    int power = 0;
    const double fraction = std::frexp(value, &power);
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    halves[power][0] += mantissa & 0xffffffff;
    halves[power][1] += mantissa >> 32;
  }
  boost::multiprecision::cpp_int exact = 0;  // in 2^-160
  for (const auto& [power, sums] : halves) {
    exact += ((boost::multiprecision::cpp_int(sums[1]) << 32) + sums[0]) << (power - 53 + 160);
  }
  const cpp_rational oracle(exact, boost::multiprecision::cpp_int(1) << 160);
  const auto forwards = sum_of(values);
  const double up = forwards.rounded_up();
  EXPECT_GE(cpp_rational(up), oracle);
  EXPECT_LT(cpp_rational(std::nextafter(up, 0.0)), oracle);
  std::sort(values.begin(), values.end());
  const auto sorted = sum_of(values);
  EXPECT_EQ(sorted.rounded_up(), up);
  EXPECT_TRUE(sorted <= forwards && forwards <= sorted);
}

TEST(ExactSum, ManyTinyCostsGiveTheRationalSumRoundedUpOnce) { check_tiny_costs(100000); }
TEST(ExactSumLong, AMillionTinyCostsGiveTheRationalSumRoundedUpOnce) { check_tiny_costs(1000000); }

TEST(ExactSum, KeepsWhatADoubleWouldLose) {
  const auto sum = sum_of({1.0, 1e-300, 5e-324});
  EXPECT_EQ(sum.rounded_up(), std::nextafter(1.0, 2.0));
  ExactSum one;
  one.add(1);
  EXPECT_TRUE(one <= sum);
  EXPECT_FALSE(sum <= one);
  EXPECT_EQ(one.minus(sum).rounded_down(), 0.0);
  EXPECT_EQ(sum_of({3.0}).minus(sum).rounded_down(), std::nextafter(2.0, 0.0));
}

TEST(ExactSum, ProductsAreExactAtBothEndsOfTheRange) {
  ExactSum tiny;
  tiny.add_product(5e-324, 5e-324);
  EXPECT_EQ(tiny.rounded_up(), 5e-324);
  ExactSum root;
  root.add_product(0.1, 0.1);
  const cpp_rational exact = cpp_rational(0.1) * cpp_rational(0.1);
  EXPECT_GE(cpp_rational(root.rounded_up()), exact);
  EXPECT_LT(cpp_rational(std::nextafter(root.rounded_up(), 0.0)), exact);
  ExactSum huge;
  huge.add_product(1e300, 1e300);
  EXPECT_EQ(huge.rounded_up(), infinity);
  EXPECT_FALSE(huge.infinite());
}

TEST(ExactSum, InfinityStaysAndNonsenseIsRefused) {
  auto sum = sum_of({1.0, infinity});
  EXPECT_EQ(sum.rounded_up(), infinity);
  EXPECT_FALSE(sum <= sum_of({1e308}));
  EXPECT_THROW(sum.add(-1), base::InternalError);
  EXPECT_THROW(sum.add(std::nan("")), base::InternalError);
}

TEST(ExactSum, DecimalsAddUpAsTheyArePrinted) {
  ExactSum tenths;
  for (int i = 0; i < 10; ++i) tenths.add_decimal(0.1);
  EXPECT_EQ(tenths, sum_of({1.0}));
  EXPECT_EQ(tenths.rounded_up(), 1.0);
  EXPECT_EQ(tenths.as_decimal(), 1.0);
  // The double 0.1 is above the decimal, the double 0.3 below it.
  ExactSum tenth;
  tenth.add_decimal(0.1);
  EXPECT_TRUE(tenth <= sum_of({0.1}));
  EXPECT_FALSE(sum_of({0.1}) <= tenth);
  EXPECT_EQ(tenth.rounded_up(), 0.1);
  EXPECT_EQ(tenth.rounded_down(), std::nextafter(0.1, 0.0));
  ExactSum thirds;
  for (int i = 0; i < 3; ++i) thirds.add_decimal(0.1);
  EXPECT_FALSE(thirds <= sum_of({0.3}));
  EXPECT_EQ(thirds.as_decimal(), 0.3);
  EXPECT_FALSE(sum_of({0.1}).as_decimal());
  EXPECT_EQ(sum_of({0.25}).as_decimal(), 0.25);
}

TEST(ExactSum, DecimalsAreExactFromTheSmallestToTheLargestDouble) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-1074, 1023);
  std::vector<double> values{0,     5e-324,        2.2250738585072014e-308,
                             1e22,  123456789e-20, std::numeric_limits<double>::max(),
                             1e-320};
  for (int i = 0; i < 500; ++i) values.push_back(std::exp2(exponent(random)));
  for (const double value : values) {
    ExactSum sum;
    sum.add_decimal(value);
    ASSERT_EQ(sum.as_decimal(), value);
    ASSERT_LE(sum.rounded_down(), value);
    ASSERT_GE(sum.rounded_up(), value);
    // No decimal is as far from its double as the next double.
    ASSERT_TRUE(sum.rounded_down() == value || sum.rounded_up() == value) << value;
    ASSERT_EQ(ExactSum::from_text(sum.text()), sum);
  }
}

TEST(ExactSum, WhatWasAddedCanBeTakenBack) {
  auto sum = sum_of({0.1, infinity, 3});
  ExactSum part;
  part.add_decimal(0.7);
  auto more = sum;
  more.add_decimal(0.7);
  more.subtract(part);
  EXPECT_EQ(more, sum);
  sum.subtract(sum_of({infinity}));
  EXPECT_EQ(sum, sum_of({3, 0.1}));
  EXPECT_THROW(sum.subtract(sum_of({4})), base::InternalError);
  EXPECT_THROW(sum.subtract(sum_of({infinity})), base::InternalError);
  EXPECT_EQ(ExactSum::from_text(sum.text()), sum);
  for (const auto* text : {"", "0", "0+", "+1", "-1+1", "0+xyz", "0+1 ", "1.5+1"}) {
    EXPECT_THROW(static_cast<void>(ExactSum::from_text(text)), base::DataError) << text;
  }
}

}  // namespace exact_sum_test
}  // namespace tacet::numeric
