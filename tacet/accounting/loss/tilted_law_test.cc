#include "tacet/accounting/loss/tilted_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/loss/tilted_sum.h"

namespace tacet::accounting::pld {
namespace tilted_law_test {

/// Losses of three sizes and a rare infinite one.
GridSum few_losses(double infinite, std::int64_t count) {
  LossGrid grid;
  grid.step = 0.5;
  grid.offset = 0.125;
  grid.index = {-2, 0, 3};
  grid.mass = {0.3, 0.3, 0.4 - infinite};
  grid.infinite = infinite;
  return GridSum({{grid, count}});
}

/// delta of two such losses, by all nine outcomes.
double of_two(double infinite, double epsilon) {
  const double losses[] = {0.125 - 1, 0.125, 0.125 + 1.5};
  const double masses[] = {0.3, 0.3, 0.4 - infinite};
  double sum = infinite * (2 - infinite);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double loss = losses[i] + losses[j];
      if (loss > epsilon) sum -= masses[i] * masses[j] * std::expm1(epsilon - loss);
    }
  }
  return sum;
}

TEST(TiltedLaw, EndsHoldTheSumOverAllOutcomes) {
  for (const double infinite : {0.0, 1e-3}) {
    const auto sum = few_losses(infinite, 2);
    TwinTransform twin(sum, sum);
    for (const double theta : {0.0, 0.3, 2.0}) {
      for (const double epsilon : {-1.0, 0.0, 0.7, 1.6, 3.1}) {
        twin.run(theta, {epsilon, epsilon}, 12);
        const double exact = std::log(of_two(infinite, epsilon));
        EXPECT_GE(twin.first().log_delta_above(epsilon), exact - 1e-12) << theta << " " << epsilon;
        EXPECT_LE(twin.first().log_delta_below(epsilon), exact + 1e-12) << theta << " " << epsilon;
        if (epsilon < 0) continue;
        EXPECT_NEAR(twin.first().log_delta_above(epsilon), exact, 1e-3) << theta << " " << epsilon;
      }
    }
  }
}

// An index counts steps from the sum of the offsets on; masses are relative to e^log_mass.
TEST(TiltedLaw, CoefficientsAreTheTiltedMasses) {
  constexpr double theta = 0.4;
  const auto sum = few_losses(0, 2);
  TwinTransform twin(sum, sum);
  twin.run_whole(theta, -60, 12);
  const auto& law = twin.first();
  EXPECT_EQ(law.offset, 0.25);
  EXPECT_EQ(law.step, 0.5);
  const auto at = [&](std::int64_t index) {
    const double tilt = std::exp(theta * 0.5 * static_cast<double>(index));
    return law.coefficients[static_cast<std::size_t>(index - law.low)] * std::exp(law.log_mass) /
           tilt;
  };
  EXPECT_NEAR(at(-4), 0.09, 1e-14);
  EXPECT_NEAR(at(-2), 0.18, 1e-14);
  EXPECT_NEAR(at(0), 0.09, 1e-14);
  EXPECT_NEAR(at(1), 0.24, 1e-14);
  EXPECT_NEAR(at(3), 0.24, 1e-14);
  EXPECT_NEAR(at(6), 0.16, 1e-14);
  EXPECT_NEAR(at(-3), 0, 1e-14);
  EXPECT_LE(law.total_round_off, 1e-12);
}

}  // namespace tilted_law_test
}  // namespace tacet::accounting::pld
