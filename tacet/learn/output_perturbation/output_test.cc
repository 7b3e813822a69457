#include "tacet/learn/output_perturbation/output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/exact/exact_minimum.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/wang2021.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/data_sets.h"
#include "tests/support/labelled_records.h"

namespace tacet::learn {
namespace output_test {

constexpr auto replace_one = privacy::Adjacency::replace_one;

using Setting = test::LabelledRecords;
using test::berkeley;

ParameterValues options_of(privacy::Adjacency adjacency = replace_one) {
  return {{"method", "output"}, {"epsilon", 1}, {"delta", 1e-5}, {"adjacency", adjacency}};
}

TrainedModel train(const Setting& setting, const ParameterValues& options, std::uint64_t seed) {
  const auto training = plan_training(setting.schema, options);
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(common_options(options).adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool pool(2);
  return training.run(setting.train, setting.schema, {source, reservation, pool});
}

double mean_loss(const model::LinearModel& model, const data::Dataset& dataset) {
  double sum = 0;
  std::vector<double> margin(1);
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    model::margins(model, dataset, i, margin);
    sum += model::loss_value(model.loss, margin[0], dataset.label(i));
  }
  return sum / static_cast<double>(dataset.rows());
}

std::string refusal(const data::Schema& schema, const ParameterValues& options) {
  try {
    (void)plan_training(schema, options);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "accepted";
}

// One pass, single steps: 2 step G (T - 1) / T, plus what rounding may add.
TEST(Output, NoiseIsThatOfTheExactGaussianMechanism) {
  const auto plan = plan_output(berkeley().schema, output_options(options_of()));
  const auto& sgd = *plan.sgd;
  const double step = sgd.schedule().step_size(1);
  EXPECT_NEAR(sgd.exact().value / (2 * step * 4525.0 / 4526.0), 1, 1e-12);
  EXPECT_LT(sgd.sensitivity(), sgd.exact().value * 1.001);
  const double mu = sgd.sensitivity() / plan.stddev;
  EXPECT_LE(accounting::gaussian::delta(mu, 1), 1e-5);
  EXPECT_GE(accounting::gaussian::delta(mu, 1), 1e-5 * (1 - 1e-5));
  EXPECT_NEAR(plan.stddev / sgd.sensitivity(), 3.73063163482, 1e-5);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  ASSERT_TRUE(plan.predicted_excess);
}

TEST(Output, NoiseFallsWithEpsilonAndDelta) {
  const auto schema = berkeley().schema;
  double before = std::numeric_limits<double>::infinity();
  for (const double epsilon : {0.1, 0.5, 1.0, 4.0}) {
    auto options = options_of();
    options.set("epsilon", epsilon);
    options.set("step-size", 0.01);
    const double stddev = plan_output(schema, output_options(options)).stddev;
    EXPECT_LT(stddev, before);
    before = stddev;
    options.set("delta", 1e-4);
    EXPECT_LT(plan_output(schema, output_options(options)).stddev, stddev);
  }
}

TEST(Output, ZeroOutNeedsHalfTheNoise) {
  const auto schema = berkeley().schema;
  auto two = options_of();
  two.set("step-size", 0.01);
  auto one = two;
  one.set("adjacency", privacy::Adjacency::zero_out);
  EXPECT_NEAR(plan_output(schema, output_options(two)).stddev /
                  plan_output(schema, output_options(one)).stddev,
              2, 1e-4);
}

TEST(Output, ReceiptTellsWhatWasDone) {
  const auto setting = berkeley();
  const auto options = options_of();
  const auto plan = plan_output(setting.schema, output_options(options));
  const auto trained = train(setting, options, 3);
  EXPECT_EQ(trained.receipt.events, plan.events);
  EXPECT_EQ(trained.receipt.guarantee, plan.guarantee);
  EXPECT_EQ(trained.receipt.algorithm, "output");
  EXPECT_EQ(trained.receipt.sampling, "permutation");
  EXPECT_FALSE(trained.receipt.is_protected());
  EXPECT_EQ(trained.model.noise_stddevs.size(), trained.model.coefficients.size());
  EXPECT_EQ(train(setting, options, 3).model.coefficients, trained.model.coefficients);
  EXPECT_NE(train(setting, options, 4).model.coefficients, trained.model.coefficients);
  // Nobody can account it under the adjacency it has no proof for.
  EXPECT_THROW(
      (void)accounting::account(plan.events, privacy::Adjacency::add_remove, privacy::Delta(1e-5)),
      base::GuaranteeError);
}

// The order is public: the same under any noise, another under another order seed.
TEST(Output, NoiseAndOrderComeFromDifferentStreams) {
  const auto setting = berkeley();
  auto options = options_of();
  const auto one = plan_output(setting.schema, output_options(options)).sgd->schedule().order;
  EXPECT_EQ(plan_output(setting.schema, output_options(options)).sgd->schedule().order, one);
  options.set("order-seed", 5);
  EXPECT_NE(plan_output(setting.schema, output_options(options)).sgd->schedule().order, one);
}

// The spread of released coefficients over seeds is the stated standard deviation: 200 runs of 8
// numbers, a false alarm rate below 1e-6.
TEST(Output, ReleasedCoefficientsSpreadAsStated) {
  const auto setting = berkeley();
  std::vector<std::vector<double>> runs;
  double stddev = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto trained = train(setting, options_of(), seed);
    runs.push_back(trained.model.coefficients);
    stddev = trained.model.noise_stddevs[0];
  }
  double square = 0;
  double count = 0;
  for (std::size_t j = 0; j < runs[0].size(); ++j) {
    double mean = 0;
    for (const auto& run : runs) mean += run[j] / 200;
    for (const auto& run : runs) square += (run[j] - mean) * (run[j] - mean);
    count += 199;
  }
  const double spread = std::sqrt(square / count);
  EXPECT_NEAR(spread / stddev, 1, 5 / std::sqrt(2 * count));
}

TEST(Output, MuchEpsilonApproachesTheMinimum) {
  const auto setting = berkeley();
  base::ThreadPool pool(2);
  const auto best = fit_unprotected(
      setting.train, setting.schema,
      plan_exact_minimum(setting.schema,
                         exact_options({{"epsilon", std::numeric_limits<double>::infinity()},
                                        {"adjacency", "add_remove"}})),
      pool);
  auto options = options_of();
  options.set("epsilon", 50);
  options.set("steps", 50 * 4526);
  options.set("step-size", 0.2);
  auto plan = plan_output(setting.schema, output_options(options));
  // The noise of epsilon 1e4, beyond what the cipher lets any plan state.
  plan.noise_multiplier = privacy::distance_factor(replace_one) / 137.0;
  plan.events = mechanism::BlockGaussian::event(privacy::NoiseMultiplier(plan.noise_multiplier));
  plan.guarantee = accounting::account(plan.events, replace_one, privacy::Delta(1e-5));
  plan.prg_slack = 0;
  random::SeededSource source(1);
  privacy::TrustingBudget budget(replace_one);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  const auto close =
      train_output(setting.train, setting.schema, plan, {source, reservation, pool}).model;
  EXPECT_LE(mean_loss(close, setting.train), mean_loss(best.value().model, setting.train) + 0.003);
}

TEST(Output, EveryLossAndScheduleHasAPlanThatIsProved) {
  const auto schema = berkeley().schema;
  for (const auto& name : model::loss_names()) {
    const auto loss = model::make_loss(name);
    // Of one output: softmax is for several classes.
    if (!model::properties(loss).classification || name == "softmax") continue;
    for (const char* sampling :
         {"permutation", "fresh_permutation", "with_replacement", "minibatch"}) {
      for (const auto averaging :
           {Averaging::uniform, Averaging::suffix, Averaging::last, Averaging::polynomial}) {
        for (const bool smoothing : {true, false}) {
          auto options = options_of();
          options.set("loss", loss);
          options.set("sampling", sampling);
          options.set("averaging", to_string(averaging));
          options.set("smoothing", smoothing ? "auto" : "off");
          options.set("steps", 300);
          options.set("l2", averaging == Averaging::last ? 0.1 : 0);
          options.set("step-decay", averaging == Averaging::suffix ? 0.5 : 0);
          if (std::string(sampling) == "minibatch") options.set("batch-size", 4);
          const auto plan = plan_output(schema, output_options(options));
          EXPECT_LE(plan.guarantee.epsilon, 1);
          EXPECT_GT(plan.stddev, 0);
        }
      }
    }
  }
}

TEST(Output, RefusesWithTheReasonAndTheAlternative) {
  const auto schema = berkeley().schema;
  auto options = options_of(privacy::Adjacency::add_remove);
  EXPECT_NE(refusal(schema, options).find("zero_out"), std::string::npos);
  options = options_of();
  options.set("loss", model::Loss{model::PowerHingeLoss{2}});
  options.set("step-size", 3);
  EXPECT_NE(refusal(schema, options).find("smaller step size"), std::string::npos);
  options = options_of();
  options.set("delta", 0.0);
  EXPECT_NE(refusal(schema, options).find("pure privacy"), std::string::npos);
  options = options_of();
  options.set("sampling", "poisson");
  EXPECT_NE(refusal(schema, options).find("permutation"), std::string::npos);
  auto with_unit = schema;
  with_unit.unit = "major";
  EXPECT_NE(refusal(with_unit, options_of()).find("`method=gradient`"), std::string::npos);
  options = options_of();
  options.set("batch-size", 5000);
  EXPECT_NE(refusal(schema, options).find("`batch_size`"), std::string::npos);
}

TEST(Output, SeveralClassesRefuseClippingAndTakeBoundedSlopes) {
  auto schema = berkeley().schema;
  schema.target->rule = data::MultiClassTarget{{"a", "b", "c"}};
  auto options = options_of();
  EXPECT_EQ(refusal(schema, options), "accepted");
  options.set("clipping-norm", 0.5);
  EXPECT_NE(refusal(schema, options).find("`method=gradient`"), std::string::npos);
}

TEST(Output, AnotherNumberOfRecordsGivesTheReservationBack) {
  const auto setting = berkeley();
  auto options = options_of();
  options.set("public-row-count", 4000);
  const auto training = plan_training(setting.schema, options);
  random::SeededSource source(1);
  privacy::TrustingBudget budget(replace_one);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool pool(1);
  EXPECT_THROW((void)training.run(setting.train, setting.schema, {source, reservation, pool}),
               base::DataError);
  EXPECT_EQ(budget.spent().epsilon, 0);
}

// The paper's algorithm with the paper's noise: its claim, and beside it what is proved, which is
// never more than the claim.
TEST(Output, PaperModeStatesTheClaimAndWhatIsProved) {
  const auto setting = berkeley();
  auto options = options_of();
  options.set("calibration", "paper");
  options.set("loss", model::Loss{model::HingeLoss{}});
  options.set("steps", 4526);
  for (const double epsilon : {0.5, 1.0, 4.0, 10.0}) {
    for (const bool ball : {false, true}) {
      options.set("epsilon", epsilon);
      options.erase("radius");
      if (ball) options.set("radius", 5);
      const auto plan = plan_output(setting.schema, output_options(options));
      ASSERT_TRUE(plan.claim);
      EXPECT_EQ(plan.claim->epsilon, epsilon);
      EXPECT_LE(plan.guarantee.epsilon, epsilon);
      const auto c = wang2021::constants(*options.loss(), 1);
      const double eta = plan.sgd->schedule().step_size(1);
      const auto noise =
          wang2021::output_noise(c, {4526, 4526, eta, options.real("radius")}, epsilon, 1e-5);
      EXPECT_NEAR(plan.stddev / noise.sigma, 1, 1e-4);
      EXPECT_GE(wang2021::sensitivity(c, {4526, 4526, eta, options.real("radius")}, 5e-6),
                plan.sgd->sensitivity());
    }
  }
  const auto trained = train(setting, options, 1);
  EXPECT_EQ(trained.receipt.calibration, "wang2021");
  for (const auto& [set, name] : {std::pair<void (*)(ParameterValues&), const char*>{
                                      [](auto& o) { o.set("l2", 0.1); }, "`l2`"},
                                  {[](auto& o) { o.set("average", 0.1); }, "`average`"},
                                  {[](auto& o) { o.set("weight-scale", 3); }, "`weight_scale`"}}) {
    auto with = options;
    set(with);
    EXPECT_NE(refusal(setting.schema, with).find(name), std::string::npos);
  }
}

// Reference: 2000 records, epsilon 1, delta 1e-6, slopes of 1 and weights of size 1; the first step
// is a quarter of the base.
TEST(Output, ExcessBoundEqualsReferenceValues) {
  constexpr double steps = 2000;
  const double z = full_batch_noise(1, privacy::Epsilon(1), privacy::Delta(1e-6), replace_one) / 2;
  for (const double distance : {2.0, 1.0}) {  // of replace_one and of zero_out
    const ExcessBound bound{.scale = 1,
                            .lipschitz = 1,
                            .steps = steps,
                            .share = 0.75,
                            .noise_slope = distance * z * std::sqrt(2 / std::numbers::pi)};
    if (distance == 2) {
      EXPECT_NEAR(bound.best_step() / (0.0231069356 / 4), 1, 1e-8);
      EXPECT_NEAR(bound.at(bound.best_step()) / 0.08655409938, 1, 1e-8);
    }
    // R^2 / (2 a T) + a (3/4 + noise) at the step that balances both.
    const double cost = 0.75 + bound.noise_slope;
    EXPECT_NEAR(bound.at(bound.best_step()), std::sqrt(2 * cost / steps), 1e-12);
    EXPECT_GT(bound.at(1.1 * bound.best_step()), bound.at(bound.best_step()));
    EXPECT_GT(bound.at(0.9 * bound.best_step()), bound.at(bound.best_step()));
  }
}

std::string excess_of(const data::Schema& schema, const ParameterValues& options) {
  for (const auto& reason : plan_training(schema, options).reasons) {
    if (reason.find("predicted excess risk") != std::string::npos) return reason;
  }
  return "nothing";
}

// The bound is stated of the loss, of the clipped loss, or not at all, as it was proved.
TEST(Output, ExcessRiskIsPredictedOnlyAsProved) {
  const auto schema = berkeley().schema;
  for (const char* method : {"output", "phased"}) {
    auto options = options_of();
    options.set("method", method);
    options.set("loss", model::Loss{model::HingeLoss{}});
    EXPECT_NE(excess_of(schema, options).find("expected loss above"), std::string::npos);
    options.set("clipping-norm", 0.001);
    EXPECT_NE(excess_of(schema, options).find("slopes cut at the clipping norm"),
              std::string::npos);
    options.erase("clipping-norm");
    options.set("l2", 1);
    EXPECT_NE(excess_of(schema, options).find("none is proved"), std::string::npos);
    options.set("l2", 0);
    options.set("radius", 0.01);
    options.set("weight-scale", 0.01);
    EXPECT_NE(excess_of(schema, options).find("weights of size 0.01"), std::string::npos);
    options.set("weight-scale", 50);
    EXPECT_NE(refusal(schema, options).find("radius"), std::string::npos);
  }
}

}  // namespace output_test
}  // namespace tacet::learn
