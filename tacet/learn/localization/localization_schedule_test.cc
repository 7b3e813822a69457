#include "tacet/learn/localization/localization_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/single_phase.h"

namespace tacet::learn {
namespace localization_schedule_test {

LocalFacts facts_of(std::int64_t rows, std::int64_t columns, double epsilon, double delta) {
  return {.rows = rows,
          .columns = columns,
          .lipschitz = 1,
          .gradient_diameter = 2,
          .diameter = 2,
          .epsilon = epsilon,
          .delta = delta};
}

void expect_relative(double value, double expected) {
  EXPECT_NEAR(value / expected, 1, 1e-8) << value << " for " << expected;
}

// The literal numbers of this file come from an independent computation (SciPy).
TEST(LadderPlan, ReproducesTheIndependentSchedules) {
  const LadderOptions even{.ratio = 2, .front = 0};
  const auto pure = ladder_schedule(facts_of(10000, 5, 1, 0), even);
  ASSERT_EQ(pure.size(), 20U);
  expect_relative(pure[0].mean_l2, 1.914213562373e-2);
  expect_relative(pure[0].sensitivity, 1.044815499855e-2);
  expect_relative(pure[0].noise, 0.2089630999710);
  expect_relative(pure.back().mean_l2, 1.003599200189e4);
  expect_relative(pure.back().noise, 3.985654830379e-7);

  const auto blocks =
      ladder_schedule(facts_of(10000, 5, 1, 0), {.ratio = 2, .use = RecordUse::disjoint});
  ASSERT_EQ(blocks.size(), 20U);
  EXPECT_EQ(blocks[0].records(), 500);
  expect_relative(blocks[0].sensitivity, 0.2089630999710);
  expect_relative(blocks[0].noise, 0.2089630999710);

  const auto gaussian = ladder_schedule(facts_of(10000, 5, 1, 1e-6), even);
  ASSERT_EQ(gaussian.size(), 19U);
  expect_relative(gaussian[0].mean_l2, 1.082331797724e-2);
  expect_relative(gaussian[0].noise, 0.3402828667920);
  expect_relative(gaussian.back().noise, 1.298076121491e-6);

  const auto third =
      ladder_schedule(facts_of(100000, 20, 0.5, 1e-8), {.ratio = 2, .min_growth = 3, .front = 0});
  ASSERT_EQ(third.size(), 16U);
  expect_relative(third[0].mean_l2, 4.076437436001e-3);
  expect_relative(third[0].noise, 0.1935716458507);
}

TEST(LadderPlan, PartsOfTheBudgetAddUpAndNoneIsLessThanHalfOfAnEqualOne) {
  for (const double delta : {0.0, 1e-6}) {
    const auto phases = ladder_schedule(facts_of(10000, 5, 1, delta));
    const auto even = ladder_schedule(facts_of(10000, 5, 1, delta), {.front = 0});
    ASSERT_EQ(phases.size(), even.size());
    double total = 0;
    for (std::size_t t = 0; t < phases.size(); ++t) {
      total += phases[t].budget;
      EXPECT_NEAR(even[t].budget * static_cast<double>(even.size()), 1, 1e-12);
      EXPECT_GT(phases[t].budget, even[t].budget / 2);
      if (t > 0) {
        EXPECT_LT(phases[t].budget, phases[t - 1].budget);
      }
      // Noise over sensitivity follows the budget: 1 / b when pure, 1 / sqrt(b) otherwise.
      const double level = phases[t].noise / phases[t].sensitivity;
      const double whole =
          delta == 0 ? level * phases[t].budget : level * std::sqrt(phases[t].budget);
      EXPECT_NEAR(whole, delta == 0 ? 1 : 4.224678889, 1e-8);
    }
    EXPECT_NEAR(total, 1, 1e-12);
    EXPECT_LT(phases[0].noise * phases[0].mean_l2,
              even[0].noise * even[0].mean_l2 / (delta == 0 ? 2 : 1.4));
  }
}

TEST(LadderPlan, BlocksAreDisjointCoverAllRecordsAndAreAtLeastAsLargeAsTheNoiseAssumes) {
  for (const std::int64_t rows : {1000, 1001, 1013, 99999}) {
    const auto phases = ladder_schedule(facts_of(rows, 3, 1, 0), {.use = RecordUse::disjoint});
    std::int64_t next = 0;
    for (const auto& phase : phases) {
      EXPECT_EQ(phase.first, next);
      next = phase.last;
      // What was assumed: sensitivity = diameter / (m l2).
      EXPECT_GE(static_cast<double>(phase.records()) * (1 + 1e-12),
                2 / (phase.sensitivity * phase.mean_l2));
    }
    EXPECT_EQ(next, rows);
  }
}

/// argmin of |x|^kappa / kappa + (l2 / 2) (x - centre)^2 on [-1, 1].
double step_of_ladder(double kappa, double l2, double centre) {
  double low = 0;
  double high = std::min(1.0, std::fabs(centre));
  for (int i = 0; i < 60; ++i) {
    const double x = (low + high) / 2;
    (std::pow(x, kappa - 1) + l2 * (x - std::fabs(centre)) < 0 ? low : high) = x;
  }
  return std::copysign(low, centre);
}

// Theorem P of docs/proofs/ladder.md against noise of the largest size it allows, of random signs
// and always outwards. For chains that end early its last term is needed: the first one alone,
// which is all that a rate shows, is exceeded.
TEST(LadderPlan, ErrorsStayBelowTheTheoremForEveryGrowthExponent) {
  bool last_term_needed = false;
  for (const double kappa : {1.1, 1.5, 2.0, 3.0}) {
    for (const auto& [ratio, front] : {std::pair{2.0, 0.0}, {4.0, 0.0}, {3.0, 0.5}, {2.0, 0.9}}) {
      for (std::int64_t phases = 1; phases <= 25; phases += 3) {
        const auto facts = facts_of(1'000'000, 1, 1, 0);
        const auto plan =
            ladder_schedule(facts, {.ratio = ratio, .phases = phases, .front = front});
        std::vector<double> noise;  // C_t
        for (const auto& phase : plan) {
          noise.push_back(std::max(3 * phase.noise * phase.mean_l2,
                                   plan[0].mean_l2 * facts.diameter / (2 * ratio)));
        }
        double rate = 0;
        for (std::size_t t = 0; t < plan.size() && rate == 0; ++t) {
          const double square = 2 * ratio * ratio * noise[t];
          if (kappa * square <= std::pow(noise[t] / plan[t].mean_l2, kappa - 1)) continue;
          double later = 0;  // S
          for (std::size_t s = t; s < plan.size(); ++s) {
            later += std::pow(noise[s] / noise[t], 2) * plan[t].mean_l2 / plan[s].mean_l2;
          }
          rate = (1 + later / (4 * ratio)) * std::pow(kappa, 1 / (kappa - 1)) *
                 std::pow(square, kappa / (kappa - 1));
        }
        const double last =
            (1 + 2 * ratio * ratio * noise.back()) * noise.back() / plan.back().mean_l2;
        for (unsigned signs = 0; signs < 8; ++signs) {
          double x = 0.7;
          for (std::size_t t = 0; t < plan.size(); ++t) {
            const double best = step_of_ladder(kappa, plan[t].mean_l2, x);
            const double side = signs == 0 ? std::copysign(1, best)
                                           : (signs * 2654435761U >> (t % 32) & 1U) * 2.0 - 1;
            x = std::clamp(best + side * noise[t] / plan[t].mean_l2, -1.0, 1.0);
          }
          const double error = std::pow(std::fabs(x), kappa) / kappa;
          EXPECT_LE(error, rate + last) << kappa << ' ' << ratio << ' ' << front << ' ' << phases;
          last_term_needed = last_term_needed || error > rate;
        }
      }
    }
  }
  EXPECT_TRUE(last_term_needed);
}

TEST(LocalizedPlan, ReproducesThePrintedAlgorithm) {
  const auto pure = localized_paper_schedule(facts_of(10000, 5, 1, 0));
  ASSERT_EQ(pure.size(), 10U);
  EXPECT_EQ(pure[0].records(), 1000);
  expect_relative(pure[0].radius, 0.8237404329987);
  expect_relative(pure[0].mean_l2, 4.855898581351);
  expect_relative(pure[0].noise, 3.683879208001e-3);
  expect_relative(pure[1].noise, 2.302424505000e-4);
  EXPECT_NEAR(travel(facts_of(10000, 5, 1, 0), pure), 0.1098321, 1e-6);

  const auto gaussian = localized_paper_schedule(facts_of(10000, 5, 1, 1e-6));
  expect_relative(gaussian[0].noise, 6.123558186532e-3);

  const auto many = localized_paper_schedule(facts_of(5000000, 5, 1, 0));
  ASSERT_EQ(many.size(), 16U);
  EXPECT_EQ(many[0].records(), 312500);
  expect_relative(many[0].noise, 1.273087134585e-4);
  EXPECT_NEAR(travel(facts_of(5000000, 5, 1, 0), many), 1.186, 5e-4);
}

// The paper's ball has four times the radius that a phase can move, so it never binds; and its
// noise is never below what the proved sensitivity needs under pure privacy.
TEST(LocalizedPlan, ThePaperIsFourTimesTooCareful) {
  const auto facts = facts_of(10000, 5, 1, 0);
  for (const auto& phase : localized_paper_schedule(facts)) {
    expect_relative(phase.radius / (facts.lipschitz / phase.mean_l2), 4);
    const double coordinate_noise = phase.sensitivity * std::sqrt(5.0) / facts.epsilon;
    expect_relative(phase.noise / coordinate_noise, 4);
  }
}

TEST(GrowthPlan, ReproducesTheSizesOfThePrintedAlgorithm) {
  struct Row {
    std::int64_t rows;
    double kappa;
    std::size_t epochs;
    std::size_t phases;
    std::int64_t block;
  };
  for (const auto& row :
       {Row{1000, 2, 14, 5, 14}, Row{10000, 2, 19, 7, 75}, Row{100000, 2, 24, 9, 462},
        Row{1000000, 2, 28, 11, 3246}, Row{100000, 1.5, 47, 8, 265}}) {
    const auto epochs = growth_paper_schedule(facts_of(row.rows, 1, 1, 0), row.kappa);
    ASSERT_EQ(epochs.size(), row.epochs) << row.rows;
    EXPECT_EQ(epochs[0].phases.size(), row.phases) << row.rows;
    EXPECT_EQ(epochs[0].phases[0].records(), row.block) << row.rows;
    EXPECT_EQ(epochs[1].radius * 2, epochs[0].radius);
    EXPECT_LE(epochs.back().phases.back().last, row.rows);
    EXPECT_GE(epochs[1].phases[0].first, epochs[0].phases.back().last);
  }
}

TEST(GrowthPlan, PracticalEpochsPayForAllTheirReleases) {
  const auto facts = facts_of(10000, 5, 1, 1e-6);
  const auto epochs = growth_schedule(facts, 2);
  double mu_squared = 0;
  for (const auto& epoch : epochs) {
    for (const auto& phase : epoch.phases) {
      EXPECT_EQ(phase.records(), facts.rows);
      mu_squared += std::pow(phase.sensitivity / phase.noise, 2);
    }
  }
  // 1 / sigma(1, 1e-6)
  EXPECT_NEAR(std::sqrt(mu_squared), 1 / 4.224678889327, 1e-9);
}

TEST(PhasedErmPlan, BlocksHalveAndStepsFallByFour) {
  const auto facts = facts_of(10000, 5, 1, 1e-6);
  for (const auto rule : {Calibration::feldman2020, Calibration::tight}) {
    const auto phases = phased_erm_schedule(facts, rule);
    ASSERT_EQ(phases.size(), 12U);
    EXPECT_EQ(phases[0].records(), 5000);
    EXPECT_EQ(phases[1].records(), 2500);
    EXPECT_EQ(phases[1].first, phases[0].last);
    EXPECT_LE(phases.back().last, facts.rows);
    expect_relative(phases[0].noise / phases[1].noise, 4);
    expect_relative(phases[0].sensitivity, 2 / (5000 * phases[0].mean_l2));
  }
  EXPECT_THROW((void)phased_erm_schedule(facts_of(10000, 5, 1, 0), Calibration::feldman2020),
               base::UsageError);
  EXPECT_GT(phased_erm_schedule(facts, Calibration::feldman2020)[0].noise /
                phased_erm_schedule(facts, Calibration::feldman2020)[0].sensitivity,
            4.2246);
}

TEST(SinglePhasePlan, BalancesRegularisationAgainstNoise) {
  const auto phase = single_phase_schedule(facts_of(10000, 5, 1, 0));
  const double level = 2 * 5.0 / 10000;
  expect_relative(phase.mean_l2, std::sqrt(2 * level) / 2);
  expect_relative(phase.noise, 2 / (10000 * phase.mean_l2));
}

TEST(LocalPlans, RefuseWhatMakesNoSense) {
  EXPECT_THROW((void)ladder_schedule(facts_of(0, 5, 1, 0)), base::UsageError);
  EXPECT_THROW((void)ladder_schedule(facts_of(100, 5, 1, 0), {.ratio = 1}), base::UsageError);
  EXPECT_THROW((void)ladder_schedule(facts_of(100, 5, 1, 0), {.min_growth = 1}), base::UsageError);
  EXPECT_THROW(
      (void)ladder_schedule(facts_of(10, 5, 1, 0), {.use = RecordUse::disjoint, .phases = 11}),
      base::UsageError);
  EXPECT_THROW((void)growth_paper_schedule(facts_of(10, 5, 1, 0), 1.1), base::UsageError);
}

TEST(LocalPlans, EndForExponentsCloseToOne) {
  const auto facts = facts_of(1000000, 5, 1, 0);
  for (const double growth : {1.1, 1.001, 1 + 1e-12}) {
    EXPECT_LE(std::ssize(ladder_schedule(facts, {.min_growth = growth})), 64) << growth;
    EXPECT_LE(std::ssize(growth_schedule(facts, growth)), 64) << growth;
  }
  EXPECT_THROW((void)growth_paper_schedule(facts, 1.001), base::UsageError);
}

}  // namespace localization_schedule_test
}  // namespace tacet::learn
