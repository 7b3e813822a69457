#include "tacet/privacy/decimal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace decimal_test {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

/// The decimal that fmt prints for a double, as a fraction.
cpp_rational printed(double value) {
  std::string shortest = fmt::format("{}", value);
  int power = 0;
  if (const auto mark = shortest.find('e'); mark != std::string::npos) {
    power = std::stoi(shortest.substr(mark + 1));
    shortest.erase(mark);
  }
  if (const auto point = shortest.find('.'); point != std::string::npos) {
    power -= static_cast<int>(shortest.size() - point - 1);
    shortest.erase(point, 1);
  }
  shortest.erase(0, std::min(shortest.find_first_not_of('0'), shortest.size() - 1));
  const cpp_int scale = pow(cpp_int(10), static_cast<unsigned>(std::abs(power)));
  const cpp_int digits(shortest);
  return power < 0 ? cpp_rational(digits, scale) : cpp_rational(digits * scale);
}

TEST(DecimalDown, IsTheDoubleItselfOrTheOneBelow) {
  EXPECT_EQ(decimal_down(0), 0);
  EXPECT_EQ(decimal_down(1), 1);
  EXPECT_EQ(decimal_down(0.3), 0.3);  // 0.299999999999999988898
  EXPECT_EQ(decimal_down(0.1), std::nextafter(0.1, 0.0));
  EXPECT_EQ(decimal_down(0.2), std::nextafter(0.2, 0.0));
  EXPECT_EQ(decimal_down(1e23), 1e23);  // 9.9999999999999991611e22: another power of ten
  EXPECT_EQ(decimal_down(std::numeric_limits<double>::infinity()),
            std::numeric_limits<double>::infinity());
  EXPECT_THROW(static_cast<void>(decimal_down(-1)), base::InternalError);
  EXPECT_THROW(static_cast<void>(decimal_down(std::nan(""))), base::InternalError);
}

TEST(DecimalDown, IsTheLargestDoubleNotAboveTheDecimal) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    // All of the range, and numbers of few digits, of which half lie below their double.
    const double value = i % 2 == 0 ? std::bit_cast<double>(random() >> 2)
                                    : static_cast<double>(random() % 1000) * std::pow(10, -(i % 7));
    if (!std::isfinite(value)) continue;
    const auto decimal = printed(value);
    const double down = decimal_down(value);
    EXPECT_LE(cpp_rational(down), decimal) << value;
    EXPECT_GT(cpp_rational(std::nextafter(down, HUGE_VAL)), decimal) << value;
  }
}

TEST(DecimalUp, IsTheSmallestDoubleWhoseDecimalIsNotBelow) {
  EXPECT_EQ(decimal_up(0), 0);
  EXPECT_EQ(decimal_up(0.3), 0.3);  // below 0.3
  EXPECT_EQ(decimal_up(0.1), std::nextafter(0.1, 1.0));
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(i % 90) - 100);
    const double up = decimal_up(value);
    EXPECT_GE(printed(up), cpp_rational(value)) << value;
    EXPECT_TRUE(up == value ||
                (up == std::nextafter(value, HUGE_VAL) && printed(value) < cpp_rational(value)))
        << value;
  }
}

TEST(DecimalSum, IsTheSumOfWhatIsPrinted) {
  EXPECT_EQ(decimal_sum(0.1, 0.2), 0.3);
  EXPECT_EQ(decimal_sum(2, 1), 3);
  EXPECT_EQ(decimal_sum(1e-5, 1e-6), 1.1e-5);
  EXPECT_EQ(decimal_sum(0, 0.7), 0.7);
  EXPECT_EQ(decimal_sum(1, std::numeric_limits<double>::infinity()),
            std::numeric_limits<double>::infinity());
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> digits(1, 99999);
  for (int i = 0; i < 2000; ++i) {
    const double a = digits(random) / 1e4;
    const double b = digits(random) / 1e4;
    EXPECT_EQ(printed(decimal_sum(a, b)), printed(a) + printed(b)) << a << " " << b;
  }
}

// Of more digits than a double has: not below the doubles' own sum.
TEST(DecimalSum, OfManyDigitsIsRoundedUp) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> any(0, 4);
  for (int i = 0; i < 2000; ++i) {
    const double a = any(random);
    const double b = any(random) * 1e-3;
    EXPECT_GE(decimal_sum(a, b), (a + b) * (1 - 0x1p-50));
    EXPECT_LE(decimal_sum(a, b), (a + b) * (1 + 0x1p-50));
  }
}

TEST(Rounded, NumbersOfFewDigitsAreThemselves) {
  for (const double value : {1.0, 0.1, 0.3, 3.0, 20.0, 1e-6, 1e-5, 0.001, 7e-9, 1e6}) {
    EXPECT_EQ(std::strtod(rounded_down(value, 6).c_str(), nullptr), value);
    EXPECT_EQ(std::strtod(rounded_up(value, 6).c_str(), nullptr), value);
  }
  EXPECT_EQ(rounded_down(1, 6), "1");
}

TEST(Rounded, EndsLieOnTheirSidesAndSixDigitsAway) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-12, 6);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::pow(10, exponent(random));
    const double down = std::strtod(rounded_down(value, 6).c_str(), nullptr);
    const double up = std::strtod(rounded_up(value, 6).c_str(), nullptr);
    EXPECT_LE(down, value);
    EXPECT_GE(up, value);
    EXPECT_GE(down, value * (1 - 1.1e-5));
    EXPECT_LE(up, value * (1 + 1.1e-5));
  }
}

}  // namespace decimal_test

}  // namespace tacet::privacy
