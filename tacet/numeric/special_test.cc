#include "tacet/numeric/special.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tacet/numeric/erfcx_each.h"
#include "tacet/numeric/roots.h"

namespace tacet::numeric {
namespace special_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_relative(double value, double expected, double tolerance, double at) {
  EXPECT_LE(std::fabs(value - expected), tolerance * std::fabs(expected))
      << "at " << at << ": " << value << " against " << expected;
}

struct Point {
  double x;
  double value;
};

// All literals: reference values computed at 50 digits.
TEST(Erfcx, AgreesWithTheReferenceTable) {
  for (const auto& [x, value] : {Point{-5, 144009798674.66104},
                                 {-1, 5.00898008076228347},
                                 {-0.25, 1.35864237010472212},
                                 {0.1, 0.896456979969126642},
                                 {0.46, 0.63678738383271304},
                                 {0.47, 0.631400516660034304},
                                 {1, 0.427583576155807004},
                                 {2, 0.255395676310505744},
                                 {3.9, 0.140314181600689733},
                                 {4, 0.13699945762506139},
                                 {4.1, 0.133834116418651983},
                                 {7, 0.0798000543291529335},
                                 {10, 0.0561409927438225859},
                                 {26, 0.0216835848505629066},
                                 {100, 0.0056416137829894329},
                                 {1e6, 5.64189583547474192e-7}}) {
    expect_relative(erfcx(x), value, 1e-15, x);
  }
  EXPECT_EQ(erfcx(infinity), 0);
  EXPECT_EQ(erfcx(-100), infinity);
}

TEST(Erfcx, SlopeHasNoCancellationInTheTail) {
  for (const auto& [x, value] : {Point{-3, 97237.0615031646153},
                                 {0, 1.12837916709551257},
                                 {0.5, 0.512688822902586699},
                                 {1.9, 0.115643547181156505},
                                 {2.1, 0.0988788490457887176},
                                 {5, 0.0213327897648263102},
                                 {9.9, 0.00567051970663362284},
                                 {10, 0.00555931221906085675},
                                 {50, 0.000225540563135323878},
                                 {1e4, 5.64189575084912745e-9}}) {
    expect_relative(erfcx_slope(x), value, 8e-15, x);
  }
}

// Whatever stands beside it: a closed form, a long chain, a short one, the ends, no number.
TEST(Erfcx, SlopesOfManyHaveTheBitsOfEach) {
  std::vector<double> points{-30,     -3,    0,
                             0.46875, 2,     std::nextafter(2.0, 3.0),
                             1e150,   1e151, std::numeric_limits<double>::quiet_NaN(),
                             infinity};
  for (double x = 0.01; x < 60; x *= 1.013) points.push_back(x);
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  for (std::size_t stride = 1; stride < 8; ++stride) {
    for (std::size_t first = 0; first < points.size(); first += 5) {
      std::array<double, 16> x;
      for (std::size_t n = 0; n < x.size(); ++n)
        x[n] = points[(first + n * stride) % points.size()];
      auto slopes = x;
      erfcx_slope_each(slopes);
      for (std::size_t n = 0; n < x.size(); ++n) {
        EXPECT_EQ(bits(slopes[n]), bits(erfcx_slope(x[n]))) << x[n];
      }
    }
  }
}

TEST(NormalDistribution, LogarithmReachesFarTails) {
  for (const auto& [x, value] : {Point{-40, -804.608442013753788},
                                 {-10, -53.2312851505124706},
                                 {-1.5, -2.70594440082388981},
                                 {-0.5, -1.17591176159361861},
                                 {0, -0.693147180559945309},
                                 {1, -0.17275377902344989},
                                 {3, -0.0013508099647481938},
                                 {9, -1.12858840595384065e-19}}) {
    expect_relative(log_normal_cdf(x), value, 2e-15, x);
    if (x > -38) {
      EXPECT_NEAR(normal_cdf(x) / std::exp(value), 1, 1e-13) << x;
    }
  }
}

TEST(NormalDistribution, IntervalsKeepRelativeAccuracy) {
  struct Interval {
    double a, b, mass;
  };
  for (const auto& [a, b, mass] : {Interval{-30, -29.999999, 1.47366824130626306e-202},
                                   {0.5, 0.500001, 3.52065238758047646e-7},
                                   {-1, 1, 0.682689492137085897},
                                   {3, 3.2, 0.000662760093714246495},
                                   {8, 8.0001, 5.05025070547746212e-19},
                                   {-0.1, 0.12, 0.0875862632976128329},
                                   {20, 35, 2.7536241186062337e-89}}) {
    expect_relative(normal_interval(a, b), mass, 1e-13, a);
    expect_relative(normal_interval(-b, -a), mass, 1e-13, -b);
  }
  EXPECT_EQ(normal_interval(2, 2), 0);
  EXPECT_EQ(normal_interval(-infinity, infinity), 1);
}

TEST(NormalDistribution, QuantileInvertsTheLogarithm) {
  expect_relative(normal_quantile_from_log(-1), -0.337474963764202455, 1e-14, -1);
  expect_relative(normal_quantile_from_log(-10), -3.91394624053189308, 1e-14, -10);
  expect_relative(normal_quantile_from_log(-700), -37.295079632647417, 1e-14, -700);
  expect_relative(normal_quantile_from_log(-5000), -99.9447481748410925, 1e-14, -5000);
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_EQ(normal_quantile(0), -infinity);
  EXPECT_EQ(normal_quantile(1), infinity);
  EXPECT_NEAR(normal_quantile(0.975), -normal_quantile(0.025), 1e-14);
  EXPECT_TRUE(std::isnan(normal_quantile(2)));
}

TEST(Logarithms, HandleBothEnds) {
  EXPECT_DOUBLE_EQ(log1mexp(-1e-20), std::log(1e-20));
  EXPECT_DOUBLE_EQ(log1mexp(-50), -std::exp(-50));
  EXPECT_EQ(log_add_exp(-infinity, 3), 3);
  EXPECT_DOUBLE_EQ(log_add_exp(1000, 1000), 1000 + std::log(2.0));
}

TEST(Roots, BisectionStaysOnTheSideThatHolds) {
  const double root = bisect_threshold(2.0, 1.0, [](double x) { return x * x >= 2; });
  EXPECT_GE(root * root, 2);
  EXPECT_LT(std::nextafter(root, 0.0) * std::nextafter(root, 0.0), 2);
}

TEST(Roots, BracketingFindsASteepRoot) {
  const auto f = [](double x) { return std::exp(20 * x) - 1000; };
  const auto [low, high] = bracket_root({0.0, f(0)}, {5.0, f(5)}, f, 1e-12, 200);
  EXPECT_LE(high - low, 1e-12);
  EXPECT_NEAR(low, std::log(1000) / 20, 1e-11);
}

}  // namespace special_test
}  // namespace tacet::numeric
