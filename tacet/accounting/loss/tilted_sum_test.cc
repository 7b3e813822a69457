#include "tacet/accounting/loss/tilted_sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"

namespace tacet::accounting::pld {
namespace tilted_sum_test {

/// What a pure mechanism gives to a loss of +step.
double usual(double step) { return 1 / (1 + std::exp(-step)); }

/// `count` losses of +-step, of which +step has probability `up`.
GridSum draws(double step, std::int64_t count, double up) {
  LossGrid grid;
  grid.step = step;
  grid.index = {-1, 1};
  grid.mass = {1 - up, up};
  return GridSum({{grid, count}});
}

/// Binomial masses of the number of losses of +step.
double binomial(std::int64_t count, std::int64_t up, double log_p, double log_q) {
  const auto n = static_cast<double>(count);
  const auto k = static_cast<double>(up);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * log_p +
                  (n - k) * log_q);
}

/// sum of p (1 - e^{epsilon - loss}) over the losses above epsilon.
double exact_delta(double step, std::int64_t count, double p, double epsilon) {
  const double log_p = std::log(p);
  const double log_q = std::log1p(-p);
  double sum = 0;
  for (std::int64_t up = 0; up <= count; ++up) {
    const double loss = static_cast<double>(2 * up - count) * step;
    if (loss > epsilon) sum -= binomial(count, up, log_p, log_q) * std::expm1(epsilon - loss);
  }
  return sum;
}

/// The tilt under which the sum's mean is epsilon.
double tilt_to(const GridSum& sum, double epsilon) {
  double low = 0;
  double high = 100;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (sum.cumulants(middle).mean < epsilon ? low : high) = middle;
  }
  return low;
}

// At any tilt and threshold the ends hold the binomial sum; at its own they lie next to it.
TEST(TwinTransform, HoldsTheBinomialSum) {
  constexpr double step = 0.05;
  constexpr std::int64_t count = 200;
  const auto sum = draws(step, count, usual(step));
  TwinTransform twin(sum, sum);
  for (const double epsilon : {0.0, 0.51, 2.0, 5.02}) {
    const double exact = std::log(exact_delta(step, count, usual(step), epsilon));
    const double own = tilt_to(sum, epsilon);
    for (const double theta : {0.0, 1.0, 4.0, own}) {
      twin.run(theta, {epsilon, epsilon}, 20);
      for (const auto* law : {&twin.first(), &twin.second()}) {
        const double above = law->log_delta_above(epsilon);
        const double below = law->log_delta_below(epsilon);
        EXPECT_GE(above, exact - 1e-11) << epsilon << " " << theta;
        EXPECT_LE(below, exact + 1e-11) << epsilon << " " << theta;
        if (theta == own) {
          EXPECT_NEAR(above, exact, 1e-5) << epsilon;
          EXPECT_NEAR(below, exact, 1e-5) << epsilon;
        }
      }
    }
  }
}

// The real and the imaginary part of one transform are two laws.
TEST(TwinTransform, KeepsItsTwoSumsApart) {
  const auto first = draws(0.1, 50, usual(0.1));
  const auto second = draws(0.1, 50, 0.65);
  TwinTransform twin(first, second);
  twin.run(1.5, {1, 1}, 20);
  EXPECT_NEAR(twin.first().log_delta_above(1), std::log(exact_delta(0.1, 50, usual(0.1), 1)), 1e-4);
  EXPECT_NEAR(twin.second().log_delta_above(1), std::log(exact_delta(0.1, 50, 0.65, 1)), 1e-4);
}

TEST(TwinTransform, TheWholeLawIsTheTiltedBinomial) {
  constexpr double step = 0.2;
  constexpr std::int64_t count = 25;
  constexpr double theta = 0.7;
  const auto sum = draws(step, count, usual(step));
  TwinTransform twin(sum, sum);
  twin.run_whole(theta, -80, 20);
  const auto& law = twin.first();
  const double log_p = -std::log1p(std::exp(-step)) + theta * step;
  const double log_q = -std::log1p(std::exp(step)) - theta * step;
  for (std::int64_t up = 0; up <= count; ++up) {
    const auto place = 2 * up - count - law.low;
    ASSERT_GE(place, 0);
    ASSERT_LT(place, static_cast<std::int64_t>(law.coefficients.size()));
    const double mass = binomial(count, up, log_p, log_q) * std::exp(-law.log_mass);
    EXPECT_NEAR(law.coefficients[static_cast<std::size_t>(place)], mass,
                law.round_off + 1e-13 * mass)
        << up;
  }
  EXPECT_LE(law.round_off, 1e-13);
}

TEST(TwinTransform, RefusesWhatIsLongerThanAllowed) {
  const auto sum = draws(0.05, 4000, 0.5);
  TwinTransform twin(sum, sum);
  EXPECT_THROW(twin.run_whole(0, -60, 6), base::NumericError);
}

}  // namespace tilted_sum_test
}  // namespace tacet::accounting::pld
