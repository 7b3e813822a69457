#include "tacet/numeric/rounding.h"

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <limits>
#include <random>

namespace tacet::numeric {
namespace rounding_test {

using boost::multiprecision::cpp_rational;

constexpr double smallest = std::numeric_limits<double>::denorm_min();

TEST(Rounding, WhatIsAboveNothingNeverRoundsToNothing) {
  EXPECT_EQ(multiply_up(1e-200, 1e-200), smallest);
  EXPECT_EQ(multiply_up(smallest, .25), smallest);
  EXPECT_EQ(divide_up(1e-200, 1e200), smallest);
  EXPECT_EQ(multiply_up(0, 1e300), 0);
  EXPECT_EQ(multiply_up(infinity, 0), 0);
  EXPECT_EQ(divide_up(1, infinity), 0);
  EXPECT_EQ(multiply_up(.5, .25), .125);
  // 1.5 times the smallest double lies half way between two of them and must not go down.
  EXPECT_GE(multiply_up(5 * smallest, .5), 3 * smallest);
  EXPECT_GE(multiply_up(3 * smallest, .5), 2 * smallest);
  EXPECT_GE(divide_up(3 * smallest, 2), 2 * smallest);
  EXPECT_EQ(divide_down(smallest, 4), 0);
  EXPECT_LE(divide_down(3 * smallest, 2), smallest);
}

// Held against exact rational numbers: on the safe side, and by less than one unit of the last
// place, so that what is a double stays as it is.
TEST(Rounding, StaysNextToTheExactResult) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0.001, 1000);
  const auto above = [](double x) { return std::nextafter(x, infinity); };
  const auto below = [](double x) { return std::nextafter(x, 0.0); };
  for (int i = 0; i < 1000; ++i) {
    const double a = uniform(random);
    const double b = i % 7 == 0 ? 0.25 : uniform(random);
    const cpp_rational x(a);
    const cpp_rational y(b);
    ASSERT_GE(cpp_rational(add_up(a, b)), x + y);
    ASSERT_LT(cpp_rational(below(add_up(a, b))), x + y);
    ASSERT_GE(cpp_rational(multiply_up(a, b)), x * y);
    ASSERT_LT(cpp_rational(below(multiply_up(a, b))), x * y);
    ASSERT_LE(cpp_rational(multiply_down(a, b)), x * y);
    ASSERT_GT(cpp_rational(above(multiply_down(a, b))), x * y);
    ASSERT_GE(cpp_rational(divide_up(a, b)) * y, x);
    ASSERT_LT(cpp_rational(below(divide_up(a, b))) * y, x);
    ASSERT_LE(cpp_rational(divide_down(a, b)) * y, x);
    ASSERT_GT(cpp_rational(above(divide_down(a, b))) * y, x);
    const cpp_rational root(sqrt_up(a));
    ASSERT_GE(root * root, x);
    const cpp_rational less(below(sqrt_up(a)));
    ASSERT_LT(less * less, x);
  }
}

// The smallest doubles are 2^-1074 apart: 5e-324 is one of them, e^-745 is 4.99e-324.
TEST(Rounding, TinyBoundsLeaveRoomForTheStepsBetweenTheSmallestDoubles) {
  EXPECT_EQ(raise_tiny(1.5), 1.5);
  EXPECT_EQ(raise_tiny(0), 2 * smallest);
  EXPECT_EQ(raise_tiny(10 * smallest), 12 * smallest);
  EXPECT_EQ(lower_tiny(1.5), 1.5);
  EXPECT_EQ(lower_tiny(10 * smallest), 8 * smallest);
  EXPECT_EQ(lower_tiny(smallest), 0);
  EXPECT_EQ(exp_of_upper(-HUGE_VAL), 0);
  EXPECT_GT(exp_of_upper(-1e300), 0);
  EXPECT_EQ(exp_of_lower(-1e300), 0);
  for (const double x : {-690.9, -700.0, -720.0, -735.3, -740.1, -744.0, -745.0}) {
    const long double truth = std::exp(static_cast<long double>(x));  // has the range for it
    EXPECT_GE(static_cast<long double>(exp_of_upper(x)), truth) << x;
    EXPECT_LE(static_cast<long double>(exp_of_lower(x)), truth) << x;
  }
}

TEST(Rounding, CountsAboveTwoTo53AreNeverTooSmall) {
  EXPECT_EQ(count_up(std::int64_t{1} << 53), 0x1p53);
  EXPECT_GE(count_up((std::int64_t{1} << 53) + 1), 0x1p53 + 2);
  EXPECT_GE(count_up(std::numeric_limits<std::int64_t>::max()), 0x1p63);
}

}  // namespace rounding_test
}  // namespace tacet::numeric
