#include "tacet/data/encode/hat_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <numbers>

#include "tacet/data/schema/curves.h"

namespace tacet::data {
namespace hat_moments_test {

double pair_at(std::size_t pair, double sign, double z) {
  const auto knot = static_cast<std::int64_t>(pair);
  return (CurveFunctions::hat(knot, z) + sign * CurveFunctions::hat(Curves::hats - 1 - knot, z)) *
         (std::numbers::sqrt2 / 2);
}

/// The mean of a product over two normal numbers with this correlation, by a grid in both.
double product_mean(std::size_t a, std::size_t b, double sign, double correlation) {
  constexpr double step = 1.0 / 24;
  constexpr int reach = 6 * 24;
  const double rest = std::sqrt(1 - correlation * correlation);
  double sum = 0;
  for (int i = -reach; i <= reach; ++i) {
    for (int j = -reach; j <= reach; ++j) {
      const double x = i * step;
      const double y = j * step;
      const double beside = (y - correlation * x) / rest;
      sum += std::exp(-(x * x + beside * beside) / 2) * pair_at(a, sign, x) * pair_at(b, sign, y);
    }
  }
  return sum * step * step / (2 * std::numbers::pi * rest);
}

TEST(HatMoments, OfTwoCorrelatedNumbersAreThoseOfTheirLaw) {
  const HatMoments moments;
  for (const double correlation : {-0.8, 0.0, 0.3, 0.7}) {
    const auto products = moments.of_two(correlation);
    for (const std::size_t a : std::initializer_list<std::size_t>{0, 2, 7}) {
      for (const std::size_t b : std::initializer_list<std::size_t>{0, 5, 7}) {
        EXPECT_NEAR(products.even[a][b], product_mean(a, b, 1, correlation), 2e-4);
        EXPECT_NEAR(products.odd[a][b], product_mean(a, b, -1, correlation), 2e-4);
      }
    }
  }
}

// Near correlation 1 the series is cut: what is left out is no more than functions of one number
// have, and never makes a square negative.
TEST(HatMoments, OfTwoNumbersStayBelowThoseOfOne) {
  const HatMoments moments;
  const auto products = moments.of_two(1);
  for (std::size_t a = 0; a < HatMoments::half_hats; ++a) {
    EXPECT_LT(products.even[a][a], moments.of_one().even[a][a]);
    EXPECT_GT(products.even[a][a], 0.4 * moments.of_one().even[a][a]);
    EXPECT_LT(products.odd[a][a], moments.of_one().odd[a][a]);
    EXPECT_GT(products.odd[a][a], 0.4 * moments.of_one().odd[a][a]);
  }
}

}  // namespace hat_moments_test
}  // namespace tacet::data
