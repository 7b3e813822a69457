#include "tacet/accounting/loss/grid_level.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"

namespace tacet::accounting::pld {
namespace grid_level_test {

Component sampled_gaussian(double q, double sigma, std::int64_t steps,
                           pairs::Order order = pairs::Order::remove) {
  auto base = pairs::gaussian(1 / sigma);
  if (q == 1) return {std::move(base), steps};
  return {pairs::poisson(std::move(base), q, order), steps};
}

TEST(GridLevel, AnyTiltGivesTheSameDelta) {
  struct Case {
    double q, sigma;
    std::int64_t steps;
    double epsilon, step;
  };
  for (const auto& c : {Case{0.05, 4, 1000, 1, 2e-4}, Case{1, 10, 100, 4, 1e-2},
                        Case{0.2, 3, 50, 1, 4e-3}, Case{0.01, 2, 10000, 1, 1e-4}}) {
    const auto part = sampled_gaussian(c.q, c.sigma, c.steps);
    const auto moments = loss_moments(*part.pair, -40);
    const std::vector<Resolution> resolutions{{moments, false, 30}};
    GridLevel level(std::span(&part, 1), {c.step, -60, resolutions}, 21);
    const double saddle = level.tilt_for_mean(c.epsilon);
    EXPECT_GT(saddle, 0);
    // Half way between what round-off and wrapping may add to and take from the upper sum.
    std::vector<double> upper;
    for (const double theta : {0.5 * saddle, saddle, 2 * saddle}) {
      level.tilt(theta, {c.epsilon, c.epsilon});
      upper.push_back(level.log_delta_above(c.epsilon) - 0.5 * level.round_off_at(c.epsilon));
    }
    EXPECT_NEAR(upper[0], upper[1], 1e-6) << c.q << " " << c.steps;
    EXPECT_NEAR(upper[2], upper[1], 1e-6) << c.q << " " << c.steps;
  }
}

// Losses N(T mu^2 / 2, T mu^2): their mean under the tilt theta is (1 / 2 + theta) T mu^2.
TEST(GridLevel, TiltsToTheMean) {
  const auto part = sampled_gaussian(1, 10, 100);
  const auto moments = loss_moments(*part.pair, -40);
  const std::vector<Resolution> resolutions{{moments, false, 30}};
  const GridLevel level(std::span(&part, 1), {1e-2, -60, resolutions}, 21);
  for (const double epsilon : {0.7, 2.0, 6.0}) {
    EXPECT_NEAR(level.tilt_for_mean(epsilon), epsilon - 0.5, 1e-2 * epsilon);
  }
  EXPECT_EQ(level.tilt_for_mean(0.1), 0);
}

TEST(GridLevel, HoldsTheClosedFormOfGaussians) {
  const auto part = sampled_gaussian(1, 10, 100);
  const auto moments = loss_moments(*part.pair, -40);
  const std::vector<Resolution> resolutions{{moments, false, 30}};
  GridLevel level(std::span(&part, 1), {5e-3, -60, resolutions}, 21);
  for (const double epsilon : {0.5, 2.0, 6.0}) {
    level.tilt(level.tilt_for_mean(epsilon), {epsilon, epsilon});
    const double exact = gaussian::log_delta(1, epsilon);
    EXPECT_GE(level.log_delta_above(epsilon), exact - 1e-9) << epsilon;
    EXPECT_LE(level.log_delta_below(epsilon), exact + 1e-9) << epsilon;
    EXPECT_NEAR(level.log_delta_above(epsilon), level.log_delta_below(epsilon), 0.03) << epsilon;
    // The search for epsilon starts next to where it ends.
    EXPECT_NEAR(level.aim_at(exact).epsilon, epsilon, 0.1 * (1 + epsilon)) << epsilon;
  }
}

TEST(GridLevel, TakesLargeLossesApartOfOneLawOnly) {
  const auto rare = [] { return sampled_gaussian(1e-3, 0.8, 1000); };
  const Moments moments = loss_moments(*rare().pair, -40);
  std::vector<Component> parts;
  parts.push_back(rare());
  const std::vector<Resolution> resolutions(2, Resolution{moments, false, 20});
  GridLevel one(parts, {2e-4, -45, resolutions}, 21);
  EXPECT_TRUE(one.split(std::log(1e-5), 1e-4));
  parts.push_back(sampled_gaussian(2e-3, 0.9, 100));
  GridLevel two(parts, {2e-4, -45, resolutions}, 21);
  EXPECT_FALSE(two.split(std::log(1e-5), 1e-4));
}

}  // namespace grid_level_test
}  // namespace tacet::accounting::pld
