#include "tacet/random/noise/vector_laplace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/random/noise/discrete.h"
#include "tests/support/statistics.h"

namespace tacet::random {
namespace vector_laplace_test {

constexpr double grid = 65536;

/// Chi-square p-value of real values against a distribution function, in 40 equal cells.
double goodness_of_fit(const std::vector<double>& values,
                       const std::function<double(double)>& cdf) {
  std::vector<std::int64_t> observed(40);
  for (const double value : values) {
    const auto cell = static_cast<std::size_t>(std::clamp(cdf(value), 0.0, 0.999999) * 40);
    ++observed[cell];
  }
  return test::chi_square_p_value(observed,
                                  std::vector<double>(40, static_cast<double>(values.size()) / 40));
}

double norm(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += std::pow(static_cast<double>(value), 2);
  return std::sqrt(sum);
}

struct Sample {
  std::vector<double> radii;
  std::vector<double> first_coordinates;
};

Sample draw(std::size_t dimension, double scale, std::uint64_t count) {
  SeededSource source(14);
  Sample sample;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::vector<std::int64_t> values(dimension);
    add_rounded_l2_laplace(source.claim(Purpose::noise, i, 0), scale * grid, values);
    sample.radii.push_back(norm(values) / grid);
    sample.first_coordinates.push_back(static_cast<double>(values[dimension / 2]) / grid);
  }
  return sample;
}

TEST(RoundedL2Laplace, TheRadiusIsGamma) {
  for (const std::size_t d : {1U, 2U, 10U, 100U}) {
    const auto shape = static_cast<double>(d);
    const Sample sample = draw(d, 2.0, 10000);
    EXPECT_GT(
        goodness_of_fit(sample.radii, [&](double r) { return boost::math::gamma_p(shape, r / 2); }),
        test::false_alarm_rate)
        << d;
  }
}

TEST(RoundedL2Laplace, TheRadiusHasTheOraclesMedian) {
  // Reference values of the core specification: d = 10, scale 2, median 19.337429229428; d = 1000,
  // scale 1/2, median 499.83334321348.
  EXPECT_NEAR(boost::math::gamma_p(10.0, 19.337429229428 / 2), 0.5, 1e-12);
  EXPECT_NEAR(boost::math::gamma_p(1000.0, 499.83334321348 * 2), 0.5, 1e-11);
  const Sample sample = draw(1000, 0.5, 200);
  const auto below = static_cast<double>(std::count_if(
      sample.radii.begin(), sample.radii.end(), [](double r) { return r < 499.83334321348; }));
  EXPECT_GT(test::normal_p_value((below - 100) / std::sqrt(50.0)), test::false_alarm_rate);
}

TEST(RoundedL2Laplace, MarginalsAreThoseOfTheLaw) {
  // d = 1: Laplace; d = 3: 1 - exp(-x/b)(1 + x/(2b))/2 above 0.
  const double b = 3.0;
  EXPECT_GT(goodness_of_fit(draw(1, b, 20000).first_coordinates,
                            [&](double x) {
                              const double tail = std::exp(-std::fabs(x) / b) / 2;
                              return x > 0 ? 1 - tail : tail;
                            }),
            test::false_alarm_rate);
  EXPECT_GT(goodness_of_fit(draw(3, b, 20000).first_coordinates,
                            [&](double x) {
                              const double y = std::fabs(x) / b;
                              const double tail = std::exp(-y) * (1 + y / 2) / 2;
                              return x > 0 ? 1 - tail : tail;
                            }),
            test::false_alarm_rate);
}

TEST(RoundedL2Laplace, ForcedExactArithmeticGivesTheSameIntegers) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const double scale : {0.7, 0x1p22}) {
      SeededSource rough_source(seed);
      SeededSource exact_source(seed);
      Stream rough_stream(rough_source.claim(Purpose::noise, 0, 0));
      Stream exact_stream(exact_source.claim(Purpose::noise, 0, 0));
      std::vector<std::int64_t> rough(5);
      std::vector<std::int64_t> exact(5);
      internal::draw_rounded_l2_laplace(rough_stream, scale, rough,
                                        internal::Arithmetic::doubles_first);
      internal::draw_rounded_l2_laplace(exact_stream, scale, exact,
                                        internal::Arithmetic::exact_only);
      EXPECT_EQ(rough, exact);
    }
  }
}

TEST(RoundedL2Laplace, RefusesScalesOutsideTheirRange) {
  SeededSource source(17);
  std::vector<std::int64_t> values(2);
  std::uint64_t index = 0;
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL, 0x1.1p40}) {
    EXPECT_THROW(add_rounded_l2_laplace(source.claim(Purpose::noise, 0, index++), scale, values),
                 base::UsageError);
  }
}

}  // namespace vector_laplace_test
}  // namespace tacet::random
