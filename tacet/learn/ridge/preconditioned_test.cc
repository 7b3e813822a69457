#include "tacet/learn/ridge/preconditioned.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/learn/exact/exact_minimum.h"
#include "tests/support/labelled_records.h"

namespace tacet::learn {
namespace preconditioned_test {

using enum privacy::Adjacency;
using Setting = test::LabelledRecords;
using test::berkeley;

LinearOptions asked(double epsilon, privacy::Adjacency adjacency = add_remove) {
  LinearOptions options;
  options.method = "preconditioned";
  options.epsilon = epsilon;
  options.delta = 1e-6;
  options.adjacency = adjacency;
  return options;
}

TrainedModel train(const Setting& setting, const PreconditionedPlan& plan, std::uint64_t seed,
                   int threads = 2) {
  random::SeededSource source(seed);
  privacy::MemoryBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(threads);
  base::LocalReducer reducer;
  return train_preconditioned(setting.train, setting.schema, plan,
                              {source, reservation, pool, reducer});
}

TEST(Preconditioned, TwoReleasesShareOneBudgetExactly) {
  const auto setting = berkeley();
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    const auto plan = plan_preconditioned(setting.schema, asked(1, adjacency));
    EXPECT_LE(plan.guarantee.epsilon, 1);
    EXPECT_GT(plan.guarantee.epsilon, .999);
    const double mu = accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-6));
    const double distance = adjacency == replace_one ? 2 : 1;
    const double spent = distance / plan.gram_noise_multiplier;
    const double steps = distance / plan.noise_multiplier;
    EXPECT_NEAR((spent * spent + static_cast<double>(plan.steps) * steps * steps) / (mu * mu), 1,
                1e-6);
    EXPECT_NEAR(spent * spent / (mu * mu), .25, 1e-6);
    // Two Gram matrices are sqrt(2) apart at most, not 2.
    EXPECT_NEAR(plan.gram_noise,
                plan.gram_noise_multiplier * (adjacency == replace_one ? std::sqrt(.5) : 1),
                1e-6 * plan.gram_noise);
  }
}

TEST(Preconditioned, TheSameModelForAnyThreadsAndAnotherForAnotherSeed) {
  const auto setting = berkeley();
  const auto plan = plan_preconditioned(setting.schema, asked(1));
  const auto one = train(setting, plan, 3, 1);
  EXPECT_EQ(train(setting, plan, 3, 3).model.coefficients, one.model.coefficients);
  EXPECT_NE(train(setting, plan, 4, 1).model.coefficients, one.model.coefficients);
  EXPECT_EQ(one.receipt.events, plan.events);
}

TEST(Preconditioned, ReachesTheMinimumWhereTheBudgetIsLarge) {
  const auto setting = berkeley();
  auto options = asked(50);
  options.steps = 100;
  options.clipping_norm = 1;  // the largest slope
  const auto found = train(setting, plan_preconditioned(setting.schema, options), 5);
  auto exact_options = asked(HUGE_VAL);
  exact_options.delta.reset();
  base::ThreadPool pool(2);
  const auto exact = fit_unprotected(setting.train, setting.schema,
                                     plan_exact_minimum(setting.schema, exact_options), pool, {});
  double loss = 0;
  double least = 0;
  for (std::int64_t i = 0; i < setting.train.rows(); ++i) {
    const auto row = setting.train.dense_row(i);
    const double label = setting.train.label(i);
    loss +=
        model::loss_value(found.model.loss, model::margin(found.model.coefficients, row), label);
    least += model::loss_value(found.model.loss,
                               model::margin(exact.value().model.coefficients, row), label);
  }
  EXPECT_LT((loss - least) / static_cast<double>(setting.train.rows()), 1e-3);
}

TEST(Preconditioned, ThePublishedSettingStatesItsClaim) {
  auto setting = berkeley();
  auto options = asked(2);
  options.calibration = Calibration::paper;
  EXPECT_THROW(static_cast<void>(plan_preconditioned(setting.schema, options)), base::UsageError);
  setting.schema.target->rule = data::RegressionTarget{0, 1};
  const auto plan = plan_preconditioned(setting.schema, options);
  EXPECT_EQ(plan.calibration, Calibration::tang2023);
  EXPECT_EQ(plan.steps, 20);
  EXPECT_EQ(plan.clipping_norm, setting.schema.norm_bound());
  EXPECT_NEAR(plan.noise_multiplier / plan.gram_noise_multiplier, std::sqrt(20), 1e-6);
  EXPECT_EQ(plan.claim->epsilon, 2);
  EXPECT_EQ(train(setting, plan, 1).receipt.calibration, "tang2023");
}

TEST(Preconditioned, RefusesWhatItHasNoProofFor) {
  const auto setting = berkeley();
  auto hinge = asked(1);
  hinge.loss = model::HingeLoss{};
  EXPECT_THROW(static_cast<void>(plan_preconditioned(setting.schema, hinge)), base::UsageError);
  auto pure = asked(1);
  pure.delta = 0;
  EXPECT_THROW(static_cast<void>(plan_preconditioned(setting.schema, pure)), base::GuaranteeError);
  auto long_run = asked(1);
  long_run.steps = 2000000;
  EXPECT_THROW(static_cast<void>(plan_preconditioned(setting.schema, long_run)), base::UsageError);
  auto wide = setting.schema;
  wide.columns = {{"words", data::HashedColumn{.bits = 13}}};
  EXPECT_THROW(static_cast<void>(plan_preconditioned(wide, asked(1))), base::UsageError);
}

}  // namespace preconditioned_test
}  // namespace tacet::learn
