#include "tacet/mechanism/select/rational_epsilon.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "tacet/base/error.h"

namespace tacet::mechanism {
namespace rational_epsilon_test {

using Integer = boost::multiprecision::cpp_int;
using privacy::Epsilon;

/// numerator / denominator <= value, without rounding.
bool is_below(RationalEpsilon r, double value) {
  int exponent = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  const Integer left = Integer(r.numerator) << 120;
  const Integer right = (Integer(mantissa) << (120 + exponent - 53)) * r.denominator;
  return left <= right;
}

TEST(RationalEpsilon, IsTheNumberItselfWhereThatIsAFraction) {
  EXPECT_EQ(round_down(Epsilon(1)), (RationalEpsilon{1, 1}));
  EXPECT_EQ(round_down(Epsilon(0.5)), (RationalEpsilon{1, 2}));
  EXPECT_EQ(round_down(Epsilon(2.75)), (RationalEpsilon{11, 4}));
  EXPECT_EQ(round_down(Epsilon(0x1p-20)), (RationalEpsilon{1, 1u << 20}));
  EXPECT_EQ(round_down(Epsilon(0x1p20)), (RationalEpsilon{1u << 20, 1}));
  // The double next to 1/10 lies above it.
  EXPECT_EQ(round_down(Epsilon(0.1)), (RationalEpsilon{1, 10}));
}

TEST(RationalEpsilon, IsNeverAboveAndLosesNextToNothing) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> exponent(-20, 20);
  for (int i = 0; i < 20000; ++i) {
    const double epsilon = std::exp2(exponent(generator));
    const RationalEpsilon r = round_down(Epsilon(epsilon));
    EXPECT_TRUE(is_below(r, epsilon)) << epsilon;
    EXPECT_LE(r.denominator, largest_epsilon_denominator);
    EXPECT_LE(r.numerator, std::uint64_t{1} << 40);
    EXPECT_GE(r.value(), epsilon - 0x1p-20);
  }
  // 0.3 as a double lies below 3/10, which therefore is too much.
  const RationalEpsilon r = round_down(Epsilon(0.3));
  EXPECT_TRUE(is_below(r, 0.3));
  EXPECT_GT(r.value(), 0.3 - 0x1p-20 / 9);
}

TEST(RationalEpsilon, RefusesWhatIsTooSmallOrTooLarge) {
  for (const double epsilon : {0.0, 1e-7, 2e6, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW((void)round_down(Epsilon(epsilon)), base::UsageError) << epsilon;
  }
}

}  // namespace rational_epsilon_test
}  // namespace tacet::mechanism
