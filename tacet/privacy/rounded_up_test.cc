#include "tacet/privacy/rounded_up.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

namespace tacet::privacy {
namespace rounded_up_test {

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

}  // namespace rounded_up_test
}  // namespace tacet::privacy
