#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/data_sets.h"

// What a new method takes: a room (here the first part of this file) that ends with its `const
// Method`, and one line where methods are listed. Everything else finds it there: the refusal of
// what it does not read, the exact minimiser, the receipt, its verification.
namespace tacet::learn {
namespace one_step_method_test {

/// Method `one-step`: one long step from 0 along the noisy gradient of all records.
struct OneStepPlan : MethodPlan {
  double clipping_norm = 0;
  double noise_multiplier = 0;
  int norm_bits = 0;
  double step_size = 0;
};

struct OneStepOptions : CommonOptions {
  std::optional<double> step_size{};
};
constexpr std::array one_step_bindings{bind<&OneStepOptions::step_size>("step-size")};
constexpr auto one_step_reads = bound_names<one_step_bindings>;

constexpr auto one_step_options = read_options<OneStepOptions, one_step_bindings>;

privacy::Event releases(const OneStepPlan& plan) {
  return privacy::Gaussian{plan.noise_multiplier};
}

void list_settings(SettingList& list, OneStepPlan& plan) {
  list.sampling("full_batch");
  list.problem();
  list.note("step_size", plan.step_size);
  list.checked("noise_multiplier", plan.noise_multiplier, above_0);
  list.follows("norm_bits", norm_bits_for(plan.noise_multiplier), {.table = false});
}

OneStepPlan plan_one_step(const data::Schema& schema, const OneStepOptions& options,
                          const PlanContext&) {
  OneStepPlan plan;
  resolve_problem(plan, schema, options, {.targets = one_output});
  plan.public_row_count = resolve_row_count(schema, options);
  const auto delta = resolve_delta(options, plan.public_row_count, plan.reasons);
  plan.clipping_norm = model::usual_slope(plan.loss) * schema.norm_bound();
  plan.step_size = options.step_size.value_or(1);
  plan.prg_slack = random::prg_slack_of(1, plan.columns);
  const auto left = resolve_delta_left(plan, options, delta.value(), plan.prg_slack);
  plan.noise_multiplier =
      full_batch_noise(1, privacy::Epsilon(options.epsilon), left, options.adjacency);
  plan.norm_bits = norm_bits_for(plan.noise_multiplier);
  plan.events = releases(plan);
  resolve_guarantee(plan, options, delta.value());
  write_settings(plan);
  return plan;
}

TrainedModel train_one_step(const data::Dataset& dataset, const data::Schema& schema,
                            const OneStepPlan& plan, const TrainingContext& context) {
  check_shape(dataset, schema, plan);
  optimize::GradientSum sums({dataset, plan.loss, plan.outputs},
                             {.clipping_norm = plan.clipping_norm, .norm_bits = plan.norm_bits},
                             context.threads);
  const std::vector<double> start(static_cast<std::size_t>(plan.columns * plan.outputs), 0.0);
  const privacy::NoiseMultiplier noise(plan.noise_multiplier);
  auto weights =
      mechanism::release_gaussian(sums.at(start), noise, {{}, context.source, context.reservation})
          .value();
  for (double& w : weights) w *= -plan.step_size / static_cast<double>(plan.public_row_count);
  return finish(plan, schema, context, {weights});
}

constinit const Method one_step_method{
    .name = "one-step",
    .help = "one step along the noisy gradient",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = {privacy::every_adjacency, privacy::no_adjacency},
    .problems = {.targets = one_output},
    .sampling = full_batch,
    .options = one_step_reads,
    .plan = planned_by<one_step_options, plan_one_step, train_one_step>,
    .recorded_events = recorded_releases_of<OneStepPlan>,
};

// The line.
constexpr std::array<const Method*, 2> known{&gradient_method, &one_step_method};

struct Trained {
  Training training;
  TrainedModel result;
  data::Schema schema;
};

Trained train(double epsilon) {
  const auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  const auto dataset = data::read_dataset(test::source_file("data/berkeley1973.csv"), schema);
  auto training = plan_training(
      schema, {{"method", "one-step"}, {"epsilon", epsilon}, {"adjacency", "add_remove"}}, {},
      known);
  random::SeededSource source(7);
  privacy::TrustingBudget budget(training.guarantee.adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool threads(1);
  auto result = training.run(dataset, schema, {source, reservation, threads});
  return {std::move(training), std::move(result), schema};
}

TEST(OneStepMethod, IsTrainedAndVerifiedLikeAnyOther) {
  const auto trained = train(1);
  const auto& receipt = trained.result.receipt;
  EXPECT_EQ(receipt.algorithm, "one-step");
  EXPECT_LE(receipt.guarantee.epsilon, 1);
  EXPECT_GT(receipt.guarantee.epsilon, 0.99);
  EXPECT_EQ(receipt.events, trained.training.events);
  const model::ModelFile file{trained.schema, trained.result.model, receipt};
  const auto check = check_receipt(receipt, &file, known);
  EXPECT_TRUE(check.faults.empty());
  for (const auto* name : {"loss", "columns", "noise_multiplier", "norm_bits"}) {
    EXPECT_NE(std::ranges::find(check.checked, name), check.checked.end()) << name;
  }
}

TEST(OneStepMethod, ALieAboutItsNoiseIsFound) {
  const auto trained = train(1);
  auto receipt = trained.result.receipt;
  auto parameters = nlohmann::json::parse(receipt.parameters);
  parameters["noise_multiplier"] = parameters["noise_multiplier"].get<double>() * 2;
  parameters.erase("norm_bits");
  receipt.parameters = parameters.dump();
  EXPECT_FALSE(check_receipt(receipt, nullptr, known).faults.empty());
}

TEST(OneStepMethod, RefusesWhatItDoesNotReadAndIsExactWithoutNoise) {
  ParameterValues values;
  values.set("step-size", "2");
  EXPECT_NO_THROW(check_parameters(one_step_method, values));
  values.set("momentum", "0.5");
  EXPECT_THROW(check_parameters(one_step_method, values), base::UsageError);
  const auto exact = train(std::numeric_limits<double>::infinity());
  EXPECT_EQ(exact.result.receipt.algorithm, "exact minimiser");
  EXPECT_FALSE(exact.result.receipt.is_protected());
}

}  // namespace one_step_method_test
}  // namespace tacet::learn
