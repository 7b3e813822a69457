#include "tacet/learn/plan/step_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacet/learn/plan/noise_size.h"

namespace tacet::learn {
namespace step_rule_test {

constexpr StepFacts usual{.release_noise = 1e-4,
                          .columns = 100,
                          .norm_bound = 1,
                          .curvature = 0.25,
                          .momentum = 0.9,
                          .radius = 20,
                          .learnable = 0.4};

// The squared loss of 10,000 records in 500 columns on the ball of radius 2, slopes up to 3,
// epsilon 1, delta 1e-6, replace_one: noise of the mean gradient in 25 and in 100 steps. The table
// counts its steps by a formula of its own (25 here, then four times as many, since that stops too
// early); the step rule takes its place (docs/explanations/step-rule.md).
TEST(StepRule, NoiseOfAPathAgreesWithTheReferenceTable) {
  const auto stddev = [](std::int64_t steps) {
    return 3 / 10000.0 *
           full_batch_noise(steps, privacy::Epsilon(1), privacy::Delta(1e-6),
                            privacy::Adjacency::replace_one);
  };
  EXPECT_NEAR(stddev(25), .012674036668, 1e-11);
  EXPECT_NEAR(stddev(100), .025348073336, 1e-11);
}

TEST(StepRule, MoreNoiseMeansAShorterPath) {
  double last = std::numeric_limits<double>::infinity();
  for (double noise = 1e-7; noise < 10; noise *= 1.7) {
    auto facts = usual;
    facts.release_noise = noise;
    const auto plan = step_rule(facts);
    EXPECT_LE(plan.path_length, last * (1 + 1e-12));
    EXPECT_GE(plan.steps, 1);
    EXPECT_GT(plan.step_size, 0);
    last = plan.path_length;
  }
}

TEST(StepRule, StepsStayInsideTheRangeWhereMomentumIsStable) {
  for (const double curvature : {0.01, 0.25, 1.0, 20.0}) {
    for (const double momentum : {0.0, 0.5, 0.9, 0.99}) {
      for (const double noise : {0.0, 1e-9, 1e-4, 1.0}) {
        const auto plan = step_rule({.release_noise = noise,
                                     .columns = 50,
                                     .norm_bound = 1,
                                     .curvature = curvature,
                                     .momentum = momentum,
                                     .radius = 20,
                                     .learnable = 0.4});
        EXPECT_LT(plan.step_size * mean_curvature(curvature, 1), 2 * (1 + momentum));
      }
    }
  }
}

TEST(StepRule, PathIsWhatStepsAndStepSizeMakeIt) {
  const auto plan = step_rule(usual);
  EXPECT_NEAR(plan.path_length, static_cast<double>(plan.steps) * plan.step_size / 0.1,
              1e-9 * plan.path_length);
}

// The path minimises radius^2/(2 tau) + a^2 sqrt(2) d tau / 2 where that branch is the smaller.
TEST(StepRule, PathBalancesLearningAndNoise) {
  const auto plan = step_rule(usual);
  const double expected = 20 / (1e-4 * std::sqrt(std::sqrt(2.0) * 100));
  EXPECT_NEAR(plan.path_length, expected, 1e-6 * expected);
  EXPECT_NEAR(plan.predicted_excess, 20 * 1e-4 * std::sqrt(std::sqrt(2.0) * 100), 1e-9);
}

}  // namespace step_rule_test
}  // namespace tacet::learn
