#include "tacet/numeric/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tacet::numeric {
namespace elementary_test {

TEST(Elementary, ExpAgreesWithLongDoubleArithmetic) {
  for (int i = -74400; i <= 70970; ++i) {
    const double x = 0.01 * i + 1e-5 * (i % 17);
    const auto truth = static_cast<double>(std::exp(static_cast<long double>(x)));
    const double scale = std::max(truth, std::numeric_limits<double>::min());
    EXPECT_LE(std::fabs(exp(x) - truth), 0x1p-51 * scale) << x;
  }
}

TEST(Elementary, ExpAtTheEdges) {
  EXPECT_EQ(exp(0), 1);
  EXPECT_EQ(exp(-0.0), 1);
  EXPECT_EQ(exp(-1e300), 0);
  EXPECT_EQ(exp(-746), 0);
  EXPECT_EQ(exp(710), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(exp(709.78)));
  EXPECT_TRUE(std::isnan(exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Elementary, LogAgreesWithLongDoubleArithmetic) {
  for (int i = 1; i < 200000; ++i) {
    const double x = std::pow(1.0023, i - 100000) + 1e-310;
    if (!std::isfinite(x)) break;
    const auto truth = static_cast<double>(std::log(static_cast<long double>(x)));
    EXPECT_LE(std::fabs(log(x) - truth), 0x1p-51 * std::max(1.0, std::fabs(truth))) << x;
  }
  EXPECT_EQ(log(1), 0);
  EXPECT_TRUE(std::isnan(log(-1)));
  EXPECT_EQ(log(0), -std::numeric_limits<double>::infinity());
}

TEST(Elementary, SigmoidAndSoftplusStayAccurateInBothTails) {
  for (double x = -700; x <= 700; x += 0.37) {
    const long double e = std::exp(static_cast<long double>(-x));
    const auto s = static_cast<double>(1 / (1 + e));
    const auto l = static_cast<double>(std::log1p(std::exp(static_cast<long double>(x))));
    EXPECT_NEAR(sigmoid(x), s, 1e-15 * s) << x;
    EXPECT_NEAR(softplus(x), l, 1e-15 * std::max(1.0, l)) << x;
  }
}

TEST(Elementary, SineAndCosineAgreeWithLongDoubleArithmetic) {
  const long double turn = 2 * std::acos(-1.0L);
  for (int i = -20000; i <= 20000; ++i) {
    const double turns = i / 997.0;
    const auto place = static_cast<long double>(std::remainder(turns, 1.0));
    const auto [sine, cosine] = sine_cosine(turns);
    EXPECT_LE(std::fabs(sine - static_cast<double>(std::sin(turn * place))), 0x1p-51) << turns;
    EXPECT_LE(std::fabs(cosine - static_cast<double>(std::cos(turn * place))), 0x1p-51) << turns;
  }
}

TEST(Elementary, QuartersOfATurnAreExact) {
  const double sines[] = {0, 1, 0, -1};
  for (int quarter = -40; quarter <= 40; ++quarter) {
    const auto [sine, cosine] = sine_cosine(quarter / 4.0);
    EXPECT_EQ(sine, sines[(quarter + 40) % 4]) << quarter;
    EXPECT_EQ(cosine, sines[(quarter + 41) % 4]) << quarter;
  }
  EXPECT_EQ(sine_cosine(1e300).cosine, 1);
}

}  // namespace elementary_test
}  // namespace tacet::numeric
