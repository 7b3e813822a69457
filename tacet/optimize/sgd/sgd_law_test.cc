#include "tacet/optimize/sgd/sgd_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tests/support/loss_facts.h"
#include "tests/support/plain_sgd.h"

namespace tacet::optimize {
namespace sgd_law_test {

using privacy::Adjacency;
using namespace sgd_test;  // NOLINT(google-build-using-namespace): the tests' own helpers

// The envelope on the whole space without clipping, where slopes have no bound.
TEST(SgdLaw, IteratesStayWithinTheirEnvelope) {
  for (const model::Loss& loss :
       {model::Loss{model::SquaredLoss{}}, model::Loss{model::PowerHingeLoss{1.5}},
        model::Loss{model::PowerRegressionLoss{1.5}},
        model::Loss{model::LinearisedPowerHingeLoss{1.5, 0.3}}}) {
    for (const bool smooth : {false, true}) {
      double closest = 0;
      for (int trial = 0; trial < 400; ++trial) {
        PointMaker make(3, model::properties(loss).classification,
                        static_cast<std::uint64_t>(trial));
        SgdSchedule schedule{.records = 4};
        random::SeededSource source(static_cast<std::uint64_t>(trial));
        schedule.order = draw_order(RecordOrder::with_replacement, {4, 1, 40}, source);
        const double step = trial % 2 == 0 ? 1.0 : 0.2;
        schedule.step_sizes = {
            std::holds_alternative<model::LinearisedPowerHingeLoss>(loss) ? step / 3 : step};
        const SgdProblem problem{.loss = loss, .smooth = smooth, .norm_bound = 1, .columns = 3};
        const auto regions = step_regions(problem, schedule);
        std::vector<Point> points;
        for (int i = 0; i < 4; ++i) points.push_back(make());
        const auto all = iterates(points, schedule.order, 1,
                                  {.loss = loss,
                                   .steps = std::vector<double>(40, schedule.step_sizes[0]),
                                   .smooth = smooth});
        for (std::size_t t = 1; t < 40; ++t) {
          double square = 0;
          for (const double w : all[t]) square += w * w;
          ASSERT_LE(std::sqrt(square), regions[t].norm) << model::loss_name(loss);
          closest = std::max(closest, std::sqrt(square) / regions[t].norm);
        }
      }
      EXPECT_GT(closest, 0.3) << model::loss_name(loss);
    }
  }
}

// With the constants of the smooth loss the envelope of a linearised power at step 1 would be 1.414
// after one step; the iterate is at 1.5.
TEST(SgdLaw, EnvelopeOfALinearisedPowerIsThatOfThePower) {
  const SgdProblem problem{.loss = model::PowerHingeLoss{1.5}, .smooth = true, .columns = 1};
  const SgdSchedule schedule{.records = 1, .order = {0, 0}, .step_sizes = {1}};
  const auto all =
      iterates({{{1}, 1}}, {0, 0}, 1, {.loss = problem.loss, .steps = {1, 1}, .smooth = true});
  EXPECT_NEAR(all[1][0], 1.5, 1e-12);
  const auto regions = step_regions(problem, schedule);
  EXPECT_GE(regions[1].norm, 1.5);
}

TEST(SgdLaw, EnvelopeRefusesStepsBeyondItsProof) {
  // Squared loss at step 1.9 < 2: nothing is driven apart, but the weights are not bounded by it.
  const SgdSchedule schedule{.records = 1, .order = {0, 0}, .step_sizes = {1.9}};
  SgdProblem problem{.loss = model::SquaredLoss{}, .columns = 1};
  EXPECT_THROW((void)step_law(problem, schedule, Adjacency::replace_one), base::GuaranteeError);
  problem.clipping_norm = 0.5;
  EXPECT_NO_THROW((void)step_law(problem, schedule, Adjacency::replace_one));
  problem.clipping_norm.reset();
  problem.radius = 2;
  EXPECT_NO_THROW((void)step_law(problem, schedule, Adjacency::replace_one));
}

// A start away from 0 must enter the envelope.
TEST(SgdLaw, EnvelopeStartsAtTheFirstIterate) {
  const SgdSchedule schedule{.records = 1, .order = {0}, .step_sizes = {0.5}};
  SgdProblem problem{.loss = model::SquaredLoss{}, .columns = 1};
  const double from_zero = step_regions(problem, schedule)[0].slope;
  problem.start_norm = 7;
  EXPECT_GE(step_regions(problem, schedule)[0].slope, from_zero + 7);
}

TEST(OneStepGrowth, EqualsReferenceValues) {
  const std::optional<double> none;
  struct Row {
    double exponent;
    double growth;
  };
  for (const auto& row : {Row{1.25, 0.0283116800103}, Row{1.5, 0.00433012701892},
                          Row{1.75, 2.79044083589e-5}, Row{2, 0}}) {
    EXPECT_NEAR(one_step_growth(model::PowerHingeLoss{row.exponent}, 0.1, 1, none), row.growth,
                1e-12);
  }
  EXPECT_EQ(one_step_growth(model::HingeLoss{}, 0.1, 1, none), 0.1);
  EXPECT_EQ(one_step_growth(model::AbsoluteLoss{}, 0.1, 1, none), 0.2);
  EXPECT_NEAR(one_step_growth(model::SmoothedAbsoluteLoss{0.1}, 0.5, 1, none), 0.774596669241,
              1e-12);
  EXPECT_NEAR(one_step_growth(model::SmoothedHingeLoss{0.1}, 0.5, 1, none), 0.387298334621, 1e-12);
  EXPECT_NEAR(one_step_growth(model::LogisticLoss{}, 10, 1, none), 4.472135955, 1e-9);
  EXPECT_EQ(one_step_growth(model::SmoothedAbsoluteLoss{0.1}, 0.5, 1, 0.3), 0.3);
  // Insensitive: one corner for short steps, both for long ones.
  EXPECT_NEAR(one_step_growth(model::EpsilonInsensitiveLoss{0.5}, 0.1, 1, none), 0.1, 1e-15);
  EXPECT_NEAR(one_step_growth(model::EpsilonInsensitiveLoss{0.01}, 1, 1, none), std::sqrt(4 - 0.08),
              1e-12);
}

// The maximum of s^2 w(t)^2 - 2 t w(t) found on a fine grid.
TEST(OneStepGrowth, IsTheSupremumOfItsDefinition) {
  for (const auto& loss : losses()) {
    for (const double step : {0.05, 0.3, 1.2}) {
      for (const double norm : {1.0, 0.6}) {
        double growth = 0;
        try {
          growth = one_step_growth(loss, step, norm, std::nullopt);
        } catch (const base::GuaranteeError&) {
          continue;
        }
        double best = 0;
        for (int i = 0; i <= 200000; ++i) {
          const double t = i == 0 ? 0 : std::pow(10.0, -12 + 14.0 * i / 200000);
          const double w = model::modulus_of_continuity(loss, t);
          best = std::max(best, step * step * norm * norm * w * w - 2 * step * t * w);
        }
        EXPECT_LE(std::sqrt(best), growth * (1 + 1e-9) + 1e-9) << model::loss_name(loss);
        const bool loose = std::holds_alternative<model::LogisticLoss>(loss) ||
                           std::holds_alternative<model::SmoothedEpsilonInsensitiveLoss>(loss);
        if (!loose) {
          EXPECT_GE(std::sqrt(best), growth * 0.99) << model::loss_name(loss) << step;
        }
      }
    }
  }
}

TEST(OneStepGrowth, RefusesAStepTooLargeForASmoothLoss) {
  for (const model::Loss& loss :
       {model::Loss{model::SquaredLoss{}}, model::Loss{model::SquaredEpsilonInsensitiveLoss{0.1}},
        model::Loss{model::PowerHingeLoss{2}}}) {
    try {
      (void)one_step_growth(loss, 2.5, 1, 0.5);
      FAIL() << model::loss_name(loss);
    } catch (const base::GuaranteeError& error) {
      EXPECT_NE(std::string(error.what()).find("smaller step"), std::string::npos);
    }
  }
}

// The sensitivities of fifteen steps over five records.
TEST(SgdLaw, SensitivitiesOfSmallProblemsEqualReferenceValues) {
  SgdSchedule schedule{.records = 5};
  for (std::uint32_t t = 0; t < 15; ++t) schedule.order.push_back(t % 5);
  const IterateWeights weights{.kind = Averaging::uniform, .steps = 15};
  struct Row {
    model::Loss loss;
    double step;
    double l2;
    double radius;
    double value;
  };
  for (const auto& row : {Row{model::HingeLoss{}, .3, 0, 2, 1.33243807512},
                          Row{model::SmoothedHingeLoss{0.15}, .3, 0, 2, 1.08},
                          Row{model::PowerHingeLoss{1.5}, .3, 0, .7, 1.2315832059},
                          Row{model::LogisticLoss{}, .9, .1, 5, 2.02886368322}}) {
    schedule.step_sizes = {row.step};
    schedule.mean_l2 = row.l2;
    const SgdProblem problem{.loss = row.loss, .smooth = false, .columns = 3, .radius = row.radius};
    const auto law = step_law(problem, schedule, Adjacency::replace_one);
    const auto found = sgd_sensitivity(schedule, weights, law);
    EXPECT_NEAR(record_sensitivity(schedule, weights, law, 0), row.value, 2e-11)
        << model::loss_name(row.loss);
    EXPECT_EQ(found.record, 0);
  }
}

TEST(SgdLaw, RefusesAddRemoveAndJointClippingOfSeveralClasses) {
  const SgdSchedule schedule{.records = 1, .order = {0}, .step_sizes = {0.1}};
  SgdProblem problem{.loss = model::LogisticLoss{}, .columns = 2};
  try {
    (void)step_law(problem, schedule, Adjacency::add_remove);
    FAIL();
  } catch (const base::GuaranteeError& error) {
    EXPECT_NE(std::string(error.what()).find("zero_out"), std::string::npos);
  }
  problem.outputs = 3;
  EXPECT_NO_THROW((void)step_law(problem, schedule, Adjacency::replace_one));
  problem.clipping_norm = 0.5;
  EXPECT_THROW((void)step_law(problem, schedule, Adjacency::replace_one), base::GuaranteeError);
}

// Why the penalty is taken proximally. A common record y = 1/4 under the smoothed absolute loss of
// width step / 2, one run having taken a step of 1/2 before: the explicit form (1 - c) w - step g
// expands the distance to 3/4, above the 1/2 that a step without growth would promise; the proximal
// form shrinks it.
TEST(SgdLaw, PenaltyIsTakenProximally) {
  constexpr double step = 0.5;
  constexpr double l2 = 1;
  const model::SmoothedAbsoluteLoss loss{step / 2};
  const double runs[] = {0.5, 0};
  double written[2];
  double proximal[2];
  for (int r = 0; r < 2; ++r) {
    const double slope = loss.slope(runs[r], 0.25);
    written[r] = (1 - step * l2) * runs[r] - step * slope;
    proximal[r] = (runs[r] - step * slope) / (1 + step * l2);
  }
  EXPECT_NEAR(std::fabs(written[0] - written[1]), 0.75, 1e-12);
  EXPECT_NEAR(std::fabs(proximal[0] - proximal[1]), 0.5 / 1.5, 1e-12);
  const SgdSchedule schedule{.records = 2, .order = {0, 1}, .step_sizes = {step}, .mean_l2 = l2};
  const SgdProblem problem{.loss = model::AbsoluteLoss{}, .columns = 1};
  const auto law = step_law(problem, schedule, Adjacency::zero_out);
  const IterateWeights last{.kind = Averaging::last, .steps = 2};
  EXPECT_NEAR(record_sensitivity(schedule, last, law, 0), 0.5 / 1.5 / 1.5, 1e-12);
}

// Rounding errors of a prediction grow with the columns: an allowance of 8 steps 2^-53 max(1, R)
// without them is passed from a few hundred columns on.
TEST(SgdLaw, RoundingGuardGrowsWithTheColumns) {
  SgdSchedule schedule{.records = 1000, .order = {}, .step_sizes = {0.05}};
  for (std::uint32_t t = 0; t < 1000; ++t) schedule.order.push_back(t);
  SgdProblem problem{.loss = model::LogisticLoss{}, .columns = 10};
  const double few = rounding_guard(problem, schedule, Adjacency::replace_one).added;
  problem.columns = 200000;
  const double many = rounding_guard(problem, schedule, Adjacency::replace_one).added;
  const double norm = step_regions(problem, schedule)[0].norm;
  EXPECT_GT(many, 1000 * few);
  EXPECT_GT(many, 100 * 8 * 1000 * 0x1p-53 * std::max(1.0, norm));
}

}  // namespace sgd_law_test
}  // namespace tacet::optimize
