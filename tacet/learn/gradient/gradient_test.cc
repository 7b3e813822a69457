#include "tacet/learn/gradient/gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/exact/exact_minimum.h"
#include "tacet/optimize/solver/erm.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/prg_share.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/data_sets.h"
#include "tests/support/labelled_records.h"

namespace tacet::learn {
namespace gradient_test {

constexpr auto add_remove = privacy::Adjacency::add_remove;

using Setting = test::LabelledRecords;
using test::berkeley;

TrainedModel train(const Setting& setting, const GradientPlan& plan, std::uint64_t seed,
                   int threads = 2) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(threads);
  return train_gradient(setting.train, setting.schema, plan, {source, reservation, pool});
}

TrainedModel train(const Setting& setting, const ParameterValues& options, std::uint64_t seed,
                   int threads = 2) {
  return train(setting, plan_gradient(setting.schema, gradient_options(options)), seed, threads);
}

// With the noise of epsilon 1e4 and ideal random bits: beyond what the cipher lets any plan state.
TrainedModel train_with_little_noise(const Setting& setting, ParameterValues options) {
  constexpr double mu = 137;
  options.set("epsilon", 50);
  auto plan = plan_gradient(setting.schema, gradient_options(options));
  plan.noise_multiplier = std::sqrt(static_cast<double>(plan.steps)) / mu;
  plan.events = privacy::Repeated{plan.steps, privacy::Gaussian{plan.noise_multiplier}};
  plan.guarantee = accounting::account(plan.events, common_options(options).adjacency,
                                       privacy::Delta(plan.guarantee.delta));
  plan.prg_slack = 0;
  return train(setting, plan, 1);
}

TEST(Gradient, GivesTheSameModelForAnyNumberOfThreads) {
  const auto setting = berkeley();
  const ParameterValues options{{"epsilon", 1}, {"adjacency", add_remove}};
  const auto one = train(setting, options, 3, 1).model.coefficients;
  EXPECT_EQ(train(setting, options, 3, 2).model.coefficients, one);
  EXPECT_EQ(train(setting, options, 3, 3).model.coefficients, one);
  EXPECT_NE(train(setting, options, 4, 1).model.coefficients, one);
}

TEST(Gradient, MuchEpsilonApproachesTheMinimum) {
  const auto setting = berkeley();
  const auto plan = plan_exact_minimum(
      setting.schema, exact_options({{"epsilon", std::numeric_limits<double>::infinity()},
                                     {"adjacency", add_remove}}));
  base::ThreadPool pool(2);
  const auto best =
      fit_unprotected(setting.train, setting.schema, plan, pool).value().model.coefficients;
  const auto close = train_with_little_noise(
                         setting, {{"adjacency", add_remove}, {"steps", 2000}, {"step-size", 4}})
                         .model;
  for (std::size_t j = 0; j < best.size(); ++j) {
    EXPECT_NEAR(close.coefficients[j], best[j], 0.05);
  }
}

TEST(Gradient, PlanStatesAGuaranteeThatTheAccountantProves) {
  const auto schema = berkeley().schema;
  for (const auto adjacency : {privacy::Adjacency::add_remove, privacy::Adjacency::zero_out,
                               privacy::Adjacency::replace_one}) {
    for (const double epsilon : {0.01, 0.1, 1.0, 8.0}) {
      for (const double delta : {1e-5, 1e-9}) {
        const auto plan = plan_gradient(
            schema,
            gradient_options({{"epsilon", epsilon}, {"delta", delta}, {"adjacency", adjacency}}));
        EXPECT_LE(plan.guarantee.epsilon, epsilon);
        EXPECT_GE(plan.guarantee.epsilon, epsilon * (1 - 1e-9));
        EXPECT_EQ(plan.guarantee.delta, delta);
        EXPECT_EQ(plan.guarantee.adjacency, adjacency);
        // Beside what noise from the cipher adds, to the last digit.
        const auto left = privacy::delta_left(plan.guarantee, plan.prg_slack);
        EXPECT_LT(left.value(), delta);
        EXPECT_EQ(privacy::decimal_up(accounting::epsilon(plan.events, adjacency, left)),
                  plan.guarantee.epsilon);
      }
    }
  }
}

TEST(Gradient, ReplaceOneNeedsTwiceTheNoise) {
  const auto schema = berkeley().schema;
  ParameterValues options{
      {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", add_remove}, {"steps", 100}};
  const double one = plan_gradient(schema, gradient_options(options)).noise_multiplier;
  options.set("adjacency", privacy::Adjacency::replace_one);
  EXPECT_NEAR(plan_gradient(schema, gradient_options(options)).noise_multiplier / one, 2, 1e-9);
}

TEST(Gradient, ReceiptTellsWhatWasDone) {
  const auto setting = berkeley();
  const auto trained = train(setting, {{"epsilon", 1}, {"adjacency", add_remove}}, 1);
  const auto plan =
      plan_gradient(setting.schema, gradient_options({{"epsilon", 1}, {"adjacency", add_remove}}));
  EXPECT_EQ(trained.receipt.events, plan.events);
  EXPECT_EQ(trained.receipt.guarantee, plan.guarantee);
  EXPECT_EQ(trained.receipt.public_row_count, 4526);
  EXPECT_GT(trained.receipt.prg_slack, 0);
  EXPECT_EQ(trained.receipt.randomness, privacy::Randomness::seeded);
  EXPECT_FALSE(trained.receipt.is_protected());
}

TEST(Gradient, SecureNoiseGivesAProtectedReceipt) {
  const auto setting = berkeley();
  const auto plan =
      plan_gradient(setting.schema, gradient_options({{"epsilon", 1}, {"adjacency", add_remove}}));
  const auto source = random::SecureSource::create();
  privacy::TrustingBudget budget(add_remove);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(1);
  const auto trained =
      train_gradient(setting.train, setting.schema, plan, {*source, reservation, pool});
  EXPECT_TRUE(trained.receipt.is_protected());
  EXPECT_TRUE(reservation.committed());
}

TEST(Gradient, MinibatchesAreAccountedAsSampledAndReproducible) {
  const auto setting = berkeley();
  const ParameterValues options{{"epsilon", 1}, {"adjacency", add_remove}, {"batch-size", 100}};
  const auto plan = plan_gradient(setting.schema, gradient_options(options));
  EXPECT_GE(plan.rate, 100.0 / 4526);
  EXPECT_LT(plan.rate, 100.0 / 4526 + 1e-15);
  const auto* repeated = plan.events.as<privacy::Repeated>();
  ASSERT_NE(repeated, nullptr);
  const auto* sampled = repeated->base->as<privacy::PoissonSampled>();
  ASSERT_NE(sampled, nullptr);
  EXPECT_EQ(sampled->rate, plan.rate);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  const auto one = train(setting, options, 5, 1);
  EXPECT_EQ(one.receipt.sampling, "poisson");
  EXPECT_EQ(one.model.coefficients, train(setting, options, 5, 3).model.coefficients);
  EXPECT_GE(test::accuracy(one.model, setting.train), 0.6);
}

// Expected batches of a tenth of a record: nearly every step has an empty sample, and all of them
// release noise like the others.
TEST(Gradient, AnEmptySampleIsAStepLikeEveryOther) {
  const auto setting = berkeley();
  const ParameterValues options{{"epsilon", 1},
                                {"adjacency", add_remove},
                                {"public-row-count", 452600},
                                {"steps", 50},
                                {"batch-size", 10}};
  const auto trained = train(setting, options, 1);
  EXPECT_EQ(trained.receipt.events,
            plan_gradient(setting.schema, gradient_options(options)).events);
  // A mean over the records really drawn would divide by zero.
  for (const double c : trained.model.coefficients) {
    EXPECT_NE(c, 0);
    EXPECT_LT(std::fabs(c), 1e4);
  }
}

TEST(Gradient, PenaltyPullsToThePenalisedMinimum) {
  const auto setting = berkeley();
  const ParameterValues options{
      {"adjacency", add_remove}, {"steps", 2000}, {"step-size", 4}, {"l2", 0.05}};
  const auto trained = train_with_little_noise(setting, options).model.coefficients;
  base::ThreadPool pool(2);
  const auto truth = optimize::minimise_without_protection(setting.train, model::LogisticLoss{},
                                                           {.mean_l2 = 0.05}, pool);
  for (std::size_t j = 0; j < trained.size(); ++j) {
    EXPECT_NEAR(trained[j], truth.weights[j], 0.01);
  }
}

TEST(Gradient, WeightsStayInTheBall) {
  const auto setting = berkeley();
  for (const auto averaging :
       {Averaging::suffix, Averaging::uniform, Averaging::last, Averaging::polynomial}) {
    const ParameterValues options{{"epsilon", 0.1},
                                  {"adjacency", add_remove},
                                  {"averaging", to_string(averaging)},
                                  {"radius", 0.7}};
    const auto model = train(setting, options, 1).model;
    double square = 0;
    for (const double c : model.coefficients) square += c * c;
    EXPECT_LE(square, 0.49 * (1 + 1e-12));
    EXPECT_TRUE(model.noise_stddevs.empty());
  }
}

// With next to no noise each kind of mean is what a plain computation from its definition gives.
TEST(Gradient, AveragesAreWhatTheirNamesSay) {
  const auto setting = berkeley();
  ParameterValues options{{"adjacency", add_remove}, {"steps", 4}, {"step-size", 1}};
  const auto run = [&](std::int64_t steps, Averaging averaging) {
    auto chosen = options;
    chosen.set("steps", steps);
    chosen.set("averaging", to_string(averaging));
    return train_with_little_noise(setting, chosen).model.coefficients;
  };
  std::vector<std::vector<double>> iterates;
  for (std::int64_t t = 1; t <= 4; ++t) iterates.push_back(run(t, Averaging::last));
  for (std::size_t j = 0; j < iterates[0].size(); ++j) {
    const double w1 = iterates[0][j], w2 = iterates[1][j], w3 = iterates[2][j], w4 = iterates[3][j];
    EXPECT_NEAR(run(4, Averaging::uniform)[j], (w1 + w2 + w3 + w4) / 4, 1e-3);
    EXPECT_NEAR(run(4, Averaging::suffix)[j], (w3 + w4) / 2, 1e-3);
    // Weights binomial(t + 2, 3): 1, 4, 10, 20.
    EXPECT_NEAR(run(4, Averaging::polynomial)[j], (w1 + 4 * w2 + 10 * w3 + 20 * w4) / 35, 1e-3);
  }
}

TEST(Gradient, StopsBetweenStepsWhenCancelled) {
  const auto setting = berkeley();
  const auto plan =
      plan_gradient(setting.schema, gradient_options({{"epsilon", 1}, {"adjacency", add_remove}}));
  random::SeededSource source(1);
  privacy::TrustingBudget budget(add_remove);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(1);
  base::CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW((void)train_gradient(setting.train, setting.schema, plan,
                                    {source, reservation, pool, {nullptr, &cancel}}),
               base::Interrupted);
}

// Everything in the file is as public as the plan: the receipt must not move with the number of
// records, least of all when samples are drawn from them.
TEST(Gradient, ReceiptDoesNotDependOnTheNumberOfRecords) {
  const auto whole = berkeley();
  Setting fewer{whole.schema, data::Dataset(whole.schema.shape())};
  for (std::int64_t i = 0; i < 4096; ++i) {
    fewer.train.append_dense(whole.train.dense_row(i), whole.train.label(i));
  }
  Setting one_more{whole.schema, data::Dataset(whole.schema.shape())};
  for (std::int64_t i = 0; i < 4097; ++i) {
    one_more.train.append_dense(whole.train.dense_row(i), whole.train.label(i));
  }
  for (const auto& batch : {std::optional<std::int64_t>{}, std::optional<std::int64_t>{50}}) {
    ParameterValues options{{"epsilon", 1}, {"adjacency", add_remove}, {"steps", 100}};
    if (batch) options.set("batch-size", *batch);
    EXPECT_EQ(privacy::receipt_to_json(train(fewer, options, 1).receipt),
              privacy::receipt_to_json(train(one_more, options, 1).receipt));
  }
}

TEST(Gradient, RefusesADeltaBelowTheCiphersTerm) {
  const auto schema = berkeley().schema;
  EXPECT_THROW(
      (void)plan_gradient(
          schema, gradient_options({{"epsilon", 1}, {"delta", 1e-40}, {"adjacency", add_remove}})),
      base::GuaranteeError);
  EXPECT_THROW((void)plan_gradient(schema, gradient_options({{"epsilon", 1},
                                                             {"delta", 1e-26},
                                                             {"adjacency", add_remove},
                                                             {"batch-size", 100}})),
               base::GuaranteeError);
  // Not delta and the term are compared: (1 + e^epsilon) times the term is what is added.
  for (const auto& [epsilon, delta] :
       std::vector<std::pair<double, double>>{{70, 1e-6}, {60, 1e-12}, {50, 1e-15}, {40, 1e-20}}) {
    ParameterValues options{
        {"epsilon", epsilon}, {"delta", delta}, {"adjacency", add_remove}, {"steps", 100}};
    EXPECT_THROW((void)plan_gradient(schema, gradient_options(options)), base::GuaranteeError)
        << epsilon;
  }
}

TEST(Gradient, ExtremeSettingsGiveFiniteModels) {
  const auto setting = berkeley();
  for (const double step_size : {1e-9, 1e9}) {
    for (const double norm : {1e-9, 1e9}) {
      const auto model = train(setting,
                               {{"epsilon", 1},
                                {"adjacency", add_remove},
                                {"steps", 30},
                                {"step-size", step_size},
                                {"momentum", 0.9999},
                                {"clipping-norm", norm}},
                               1)
                             .model;
      for (const double c : model.coefficients) EXPECT_TRUE(std::isfinite(c));
      for (const double d : model.noise_stddevs) EXPECT_TRUE(std::isfinite(d));
    }
  }
}

// Steps that leap over the minimum of a squared loss grow without an end; clipped slopes and the
// frozen vector keep the model in numbers.
TEST(Gradient, LeapsOfASquaredLossGiveFiniteModels) {
  Setting setting{{}, data::Dataset({.columns = 1, .norm_bound = 1})};
  setting.schema.columns = {{"x", data::NumericColumn{.lower = -1, .upper = 1}}};
  setting.schema.target = {"y", data::RegressionTarget{-1, 1}};
  setting.schema.intercept = false;
  setting.schema.public_row_count = 20;
  setting.train = data::Dataset(setting.schema.shape());
  for (int i = 0; i < 20; ++i) {
    const int sign = i % 2 == 0 ? 1 : -1;
    setting.train.append_dense(std::vector<std::int16_t>{static_cast<std::int16_t>(2048 * sign)},
                               sign);
  }
  for (const double norm : {1.0, 1e9}) {
    const auto model = train(setting,
                             {{"epsilon", 1},
                              {"adjacency", add_remove},
                              {"loss", model::Loss{model::SquaredLoss{}}},
                              {"steps", 1000},
                              {"step-size", 1e9},
                              {"momentum", 0.9999},
                              {"clipping-norm", norm}},
                             1)
                           .model;
    for (const double c : model.coefficients) EXPECT_TRUE(std::isfinite(c));
    for (const double d : model.noise_stddevs) EXPECT_TRUE(std::isfinite(d));
  }
}

TEST(Gradient, RefusesWhatItCannotPlan) {
  auto schema = berkeley().schema;
  const ParameterValues usual{{"epsilon", 1}, {"adjacency", add_remove}};
  auto options = usual;
  options.set("loss", model::Loss{model::AbsoluteLoss{}});
  EXPECT_THROW((void)plan_gradient(schema, gradient_options(options)), base::UsageError);
  options = usual;
  options.set("epsilon", 1e-12);
  options.set("delta", 1e-12);
  EXPECT_THROW((void)plan_gradient(schema, gradient_options(options)), base::Error);
  schema.public_row_count.reset();
  EXPECT_THROW((void)plan_gradient(schema, gradient_options(usual)), base::UsageError);
  schema.public_row_count = 100;
  schema.target.reset();
  EXPECT_THROW((void)plan_gradient(schema, gradient_options(usual)), base::UsageError);
}

}  // namespace gradient_test
}  // namespace tacet::learn
