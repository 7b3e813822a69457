#include "tacet/accounting/calibration_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"

namespace tacet::accounting::internal {
namespace calibration_search_test {

constexpr auto add_remove = Adjacency::add_remove;

double between(double dear, double x, double cheap) { return std::clamp(x, dear, cheap); }

/// The log of a noise multiplier between e^low and e^high.
Unknown noise_of(std::function<Event(double)> event, double low, double high) {
  return {.event = std::move(event),
          .dearest = low,
          .cheapest = high,
          .start = 0.5 * (low + high),
          .snap = between,
          .enough = [](double) { return 1e-3; }};
}

Event gaussian_noise(double x) { return Gaussian{std::exp(x)}; }

TEST(CalibrationSearch, EndsJustInsideTheTarget) {
  for (const double target : {0.1, 1.0, 8.0}) {
    for (const double delta : {1e-3, 1e-9}) {
      const auto unknown = noise_of(gaussian_noise, -8, 12);
      const auto threshold = cheapest_within(unknown, {Epsilon(target), Delta(delta), add_remove});
      ASSERT_TRUE(threshold.found);
      EXPECT_FALSE(threshold.at_end);
      const double noise = std::exp(threshold.safe);
      EXPECT_LE(accounting::gaussian::epsilon(1 / noise, Delta(delta)), target);
      const double exact = accounting::gaussian::sigma_for(1, Epsilon(target), Delta(delta));
      EXPECT_NEAR(noise / exact, 1, 1e-3) << target << " " << delta;
    }
  }
}

// The result is what the default options say of it, whoever asks again.
TEST(CalibrationSearch, WhatItReturnsWasAccountedAndHolds) {
  const auto sampled = [](double x) {
    return Event(Repeated{100, PoissonSampled{0.05, Gaussian{std::exp(x)}}});
  };
  const auto threshold =
      cheapest_within(noise_of(sampled, -3, 5), {Epsilon(2), Delta(1e-6), add_remove});
  ASSERT_TRUE(threshold.found);
  const auto at = [&](double x) {
    return epsilon_interval(sampled(x), add_remove, Delta(1e-6)).upper;
  };
  EXPECT_LE(at(threshold.safe), 2);
  EXPECT_GE(at(threshold.safe), 2 * (1 - 2.5e-3));
}

TEST(CalibrationSearch, SaysWhereNoneOrAnyIsEnough) {
  const CalibrationTarget target{Epsilon(1), Delta(1e-6), add_remove};
  EXPECT_FALSE(cheapest_within(noise_of(gaussian_noise, -3, 0.5), target).found);
  const auto any = cheapest_within(noise_of(gaussian_noise, 3, 9), target);
  EXPECT_TRUE(any.found);
  EXPECT_TRUE(any.at_end);
  EXPECT_EQ(any.safe, 3);
}

// Whole numbers of releases of pure epsilon 1/4: exactly 16 keep 4, and none is tried in between.
TEST(CalibrationSearch, KeepsToTheValuesThatTheUnknownCanTake) {
  const auto steps_at = [](double x) { return static_cast<std::int64_t>(std::llround(-x)); };
  const Unknown steps{.event =
                          [&](double x) {
                            return Event(Repeated{steps_at(x), Laplace{4}});
                          },
                      .dearest = -1000,
                      .cheapest = -1,
                      .start = -500,
                      .snap =
                          [](double dear, double x, double cheap) {
                            const double low = dear == -1000 ? dear : dear + 1;
                            const double high = cheap == -1 ? cheap : cheap - 1;
                            return low > high ? cheap : std::clamp(std::round(x), low, high);
                          },
                      .enough = [](double) { return 0.0; }};
  const auto threshold = cheapest_within(steps, {Epsilon(4), Delta(0), add_remove});
  ASSERT_TRUE(threshold.found);
  EXPECT_EQ(threshold.safe, -16);
}

}  // namespace calibration_search_test
}  // namespace tacet::accounting::internal
