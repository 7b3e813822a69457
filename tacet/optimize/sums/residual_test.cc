#include "tacet/optimize/sums/residual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacet/optimize/sums/joint_bound.h"

namespace tacet::optimize {
namespace residual_test {

constexpr double units = 0x1p20;

double real(std::int64_t value) { return static_cast<double>(value) / units; }

TEST(Residual, OfTwoClassesIsTheLabelLessItsProbability) {
  const Response response{.mean = MeanModel::logistic};
  for (const double eta : {-40.0, -3.0, -.2, 0.0, 1.7, 12.0}) {
    const double p = 1 / (1 + std::exp(-eta));
    for (const double label : {-1.0, 1.0}) {
      const auto found = residual_of(response, label, eta);
      EXPECT_NEAR(real(found.value), (label > 0 ? 1 : 0) - p, .51 / units);
      EXPECT_NEAR(real(found.curvature), 4 * p * (1 - p), 5 / units);
    }
  }
}

TEST(Residual, OfNumbersIsCutAndHasCurvatureWithinAlone) {
  const Response response{.mean = MeanModel::identity, .cut = .5};
  EXPECT_NEAR(real(residual_of(response, .3, .1).value), .4, 1 / units);
  EXPECT_EQ(residual_of(response, .3, .1).curvature, residual_units);
  EXPECT_EQ(residual_of(response, -.9, .1).value, -residual_units);
  EXPECT_EQ(residual_of(response, -.9, .1).curvature, 0);
}

// By the law itself: the residual's mean is 0 for every mean and cut, and its curvature is the
// derivative of the mean of min(Y, K) along the predictor.
TEST(Residual, OfCountsHasMeanZeroUnderPoissonsLaw) {
  for (const double cut : {1.0, 3.0, 11.0}) {
    for (const double eta : {-4.0, -.5, .9}) {
      const double m = std::exp(std::min(eta, std::log(cut)));
      const Response response{
          .mean = MeanModel::poisson, .cut = cut, .largest = 30, .curvature_bound = 50};
      double mean = 0;
      double probability = std::exp(-m);
      for (int y = 0; y <= 30; ++y, probability *= m / y) {
        mean += probability * real(residual_of(response, y / 30.0, eta).value);
      }
      EXPECT_NEAR(mean, 0, 2 / units);
      const auto at = [&](double x) {
        return cut_poisson(std::exp(x), static_cast<std::int64_t>(cut)).mean;
      };
      const double h = 1e-5;
      const double slope = (at(std::log(m) + h) - at(std::log(m) - h)) / (2 * h);
      EXPECT_NEAR(real(residual_of(response, 0, eta).curvature) * 50, slope, 1e-4);
    }
  }
}

TEST(Residual, OfCountsWeighsRowsOfLargeCurvatureLess) {
  const Response free{.mean = MeanModel::poisson, .cut = 20, .largest = 30, .curvature_bound = 10};
  auto bounded = free;
  bounded.curvature_bound = 1;
  const double eta = std::log(4.0);
  EXPECT_EQ(residual_of(bounded, .5, eta).curvature, residual_units);
  const double curvature = 10 * real(residual_of(free, .5, eta).curvature);
  EXPECT_NEAR(real(residual_of(bounded, .5, eta).value),
              real(residual_of(free, .5, eta).value) / curvature, 2 / units);
}

TEST(Residual, OfWhatIsNoNumberIsNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto mean :
       {MeanModel::none, MeanModel::identity, MeanModel::logistic, MeanModel::poisson}) {
    for (const auto& [label, eta] : {std::pair{nan, 0.0}, std::pair{1.0, nan}}) {
      const auto found = residual_of({.mean = mean}, label, eta);
      EXPECT_EQ(found.value, 0);
      EXPECT_EQ(found.curvature, 0);
    }
    const auto far = residual_of({.mean = mean}, 1e300, -1e300);
    EXPECT_LE(std::abs(far.value), residual_units);
    EXPECT_LE(far.curvature, residual_units);
  }
}

}  // namespace residual_test
}  // namespace tacet::optimize
