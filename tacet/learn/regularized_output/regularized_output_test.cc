#include "tacet/learn/regularized_output/regularized_output.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/optimize/solver/certified_solver.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/carried_out.h"
#include "tests/support/data_sets.h"
#include "tests/support/labelled_records.h"

namespace tacet::learn {
namespace regularized_output_test {

using enum privacy::Adjacency;

using Setting = test::LabelledRecords;
using test::berkeley;

ParameterValues asked(double epsilon, std::optional<double> delta = std::nullopt) {
  ParameterValues options{
      {"adjacency", replace_one}, {"method", "regularized-output"}, {"epsilon", epsilon}};
  if (delta) options.set("delta", *delta);
  return options;
}

TrainedModel train(const Setting& setting, const RegularizedOutputPlan& plan, std::uint64_t seed,
                   int threads = 2) {
  return test::seeded_run<train_regularized_output>(setting.train, setting.schema, plan, seed,
                                                    threads);
}

// Reference values: n = 10000, radius 2, row norm and labels 1, replace_one, (1, 1e-6).
TEST(OptimalRegularization, AgreesWithTheReferenceTable) {
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-6));
  EXPECT_NEAR(mu, 0.236704380663, 1e-10);
  const double smooth = optimal_mean_l2({.rows = 10000,
                                         .norm_bound = 1,
                                         .slope = 3,
                                         .curvature = 1,
                                         .radius = 2,
                                         .distance = 2,
                                         .mu = mu});
  EXPECT_NEAR(smooth, .0147554787411, 1e-11);
  // The sensitivity and the noise that follow.
  EXPECT_NEAR(2 * 3 / (smooth * 10000), .0406628622851, 1e-11);
  EXPECT_NEAR(2 * 3 / (smooth * 10000) / mu, .171787535876, 1e-9);
  const double lipschitz = optimal_mean_l2({.rows = 10000,
                                            .norm_bound = 1,
                                            .slope = 1,
                                            .curvature = std::numeric_limits<double>::infinity(),
                                            .radius = 2,
                                            .distance = 2,
                                            .mu = mu});
  EXPECT_NEAR(lipschitz, .0183597550641, 1e-11);
}

TEST(RegularizedOutput, PlansWhatWasAskedForEveryLossAndAdjacency) {
  const auto setting = berkeley();
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    for (const model::Loss& loss :
         {model::Loss{model::LogisticLoss{}}, model::Loss{model::HingeLoss{}},
          model::Loss{model::SmoothedHingeLoss{}}}) {
      for (const double delta : {0.0, 1e-6}) {
        auto options = asked(1, delta);
        options.set("adjacency", adjacency);
        options.set("loss", loss);
        const auto plan = plan_regularized_output(setting.schema, regularized_options(options));
        EXPECT_LE(plan.guarantee.epsilon, 1);
        EXPECT_GT(plan.guarantee.epsilon, .999);
        EXPECT_NE(plan.steps > 0, plan.solver_tolerance > 0);
        if (adjacency == add_remove) {
          EXPECT_EQ(plan.steps, 0);
        }
        EXPECT_EQ(plan.smoothing_width > 0, std::holds_alternative<model::HingeLoss>(loss));
      }
    }
  }
}

// Two gradients of the logistic loss are never opposite and both as long as can be, so that a
// replaced record costs less than twice an emptied one; with the hinge it costs twice.
TEST(RegularizedOutput, AReplacedRecordCountsByTheDiameterOfGradients) {
  const auto setting = berkeley();
  auto options = asked(1, 1e-6);
  options.set("l2", .05);  // so that the ball is small
  const auto share_over_slope = [&] {
    const auto plan = plan_regularized_output(setting.schema, regularized_options(options));
    return plan.gradient_share / (plan.slope_bound * setting.schema.norm_bound());
  };
  EXPECT_LT(share_over_slope(), .95);
  EXPECT_GE(share_over_slope(), .5);
  options.set("loss", model::Loss{model::SmoothedHingeLoss{}});
  EXPECT_EQ(share_over_slope(), 1);
  options.erase("loss");
  for (const auto adjacency : {zero_out, add_remove}) {
    options.set("adjacency", adjacency);
    EXPECT_EQ(share_over_slope(), 1);
  }
}

// Weak regularization would take many steps of descent; the certified solver takes a few dozen
// passes.
TEST(RegularizedOutput, LongDescentsAreLeftToTheCertifiedSolver) {
  const auto setting = berkeley();
  auto options = asked(1, 1e-6);
  options.set("l2", .05);
  const auto strong = plan_regularized_output(setting.schema, regularized_options(options));
  EXPECT_GT(strong.steps, 0);
  options.set("l2", 1e-4);
  const auto weak = plan_regularized_output(setting.schema, regularized_options(options));
  EXPECT_EQ(weak.steps, 0);
  EXPECT_GT(weak.solver_tolerance, 0);
  EXPECT_LE(weak.solver_tolerance, 1e-3 * weak.gradient_share / weak.sum_l2);
}

TEST(RegularizedOutput, TheSameModelForAnyThreadsAndTheMinimiserWithoutNoise) {
  const auto setting = berkeley();
  for (const auto adjacency : {add_remove, replace_one}) {
    auto options = asked(1, 1e-6);
    options.set("adjacency", adjacency);
    const auto plan = plan_regularized_output(setting.schema, regularized_options(options));
    const auto one = train(setting, plan, 3, 1);
    EXPECT_EQ(train(setting, plan, 3, 3).model.coefficients, one.model.coefficients);
    EXPECT_NE(train(setting, plan, 4, 1).model.coefficients, one.model.coefficients);
    EXPECT_EQ(one.receipt.guarantee, plan.guarantee);

    options.set("epsilon", 50);
    options.set("l2", .02);
    auto loud = plan_regularized_output(setting.schema, regularized_options(options));
    // The noise of epsilon 1e4, beyond what the cipher lets any plan state.
    constexpr double part = 0.05;
    loud.noise_multiplier *= part;
    loud.noise *= part;
    loud.events = privacy::Gaussian{loud.noise_multiplier};
    loud.guarantee = accounting::account(loud.events, adjacency, privacy::Delta(1e-6));
    loud.prg_slack = 0;
    base::ThreadPool pool(1);
    const auto truth = optimize::minimise_certified(
        setting.train, {.loss = optimize::GlmLoss(loud.loss), .sum_l2 = loud.sum_l2}, 1e-9, pool);
    const auto found = train(setting, loud, 1).model.coefficients;
    for (std::size_t j = 0; j < found.size(); ++j) {
      EXPECT_NEAR(found[j], truth.weights[j], 8 * loud.noise + 1e-4);
    }
  }
}

// The number of records is public under replace_one and determines the noise: another one is an
// error that costs nothing. Under add_remove it is a guess.
TEST(RegularizedOutput, AnotherNumberOfRecordsGivesTheReservationBack) {
  const auto setting = berkeley();
  auto options = asked(1, 1e-6);
  options.set("public-row-count", 4000);
  for (const auto adjacency : {replace_one, zero_out}) {
    options.set("adjacency", adjacency);
    const auto plan = plan_regularized_output(setting.schema, regularized_options(options));
    random::SeededSource source(1);
    privacy::TrustingBudget budget(adjacency);
    auto reservation = budget.reserve(plan.events, plan.guarantee);
    base::ThreadPool pool(1);
    EXPECT_THROW((void)train_regularized_output(setting.train, setting.schema, plan,
                                                {source, reservation, pool}),
                 base::DataError);
    EXPECT_EQ(budget.spent().epsilon, 0);
  }
  options.set("adjacency", add_remove);
  EXPECT_NO_THROW((void)train(
      setting, plan_regularized_output(setting.schema, regularized_options(options)), 1));
}

TEST(RegularizedOutput, PureNoiseIsTheShareOverEpsilon) {
  const auto setting = berkeley();
  const auto plan = plan_regularized_output(setting.schema, regularized_options(asked(1, 0.0)));
  const auto trained = train(setting, plan, 1);
  EXPECT_EQ(trained.receipt.guarantee.delta, 0);
  EXPECT_LE(trained.receipt.guarantee.epsilon, 1);
  EXPECT_NEAR(plan.noise, 2 / plan.sum_l2, .1 * plan.noise);
}

TEST(RegularizedOutputLong, LearnsOnAdult) {
  TACET_SKIP_WITHOUT_DATA(train_file, "adult/adult.train.csv.gz");
  auto schema = data::load_schema(test::source_file("data/schemas/adult.toml"));
  auto records = data::read_dataset(train_file, schema);
  const Setting setting{std::move(schema), std::move(records)};
  for (const auto adjacency : {add_remove, replace_one}) {
    auto options = asked(4, 1e-6);
    options.set("adjacency", adjacency);
    const auto model =
        train(setting, plan_regularized_output(setting.schema, regularized_options(options)), 1)
            .model;
    std::int64_t right = 0;
    std::vector<double> margin(1);
    for (std::int64_t i = 0; i < setting.train.rows(); ++i) {
      model::margins(model, setting.train, i, margin);
      right += (margin[0] > 0) == (setting.train.label(i) > 0) ? 1 : 0;
    }
    EXPECT_GT(static_cast<double>(right) / static_cast<double>(setting.train.rows()), .79);
  }
}

// Vector noise may read 512 bits of direction and 512 of length a coordinate, Gaussian noise a
// word.
TEST(RegularizedOutput, CountsTheWordsThatItsSamplerMayRead) {
  const auto schema = berkeley().schema;
  const auto pure = plan_regularized_output(schema, regularized_options(asked(1, 0.0)));
  EXPECT_EQ(pure.prg_slack, random::prg_slack_of(1, 16 * pure.columns));
  const auto approximate = plan_regularized_output(schema, regularized_options(asked(1, 1e-6)));
  EXPECT_EQ(approximate.prg_slack, random::prg_slack_of(1, approximate.columns));
}

}  // namespace regularized_output_test
}  // namespace tacet::learn
