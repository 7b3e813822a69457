#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/gradient/gradient_batches.h"
#include "tacet/learn/plan/curves.h"
#include "tacet/learn/plan/knots.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/optimize/sums/gram_sum.h"

namespace tacet::learn {
namespace {

/// Checks conditions on several settings of a receipt together.
void check_recorded(const GradientPlan& plan) {
  const bool units = plan.privacy_unit != single_record;
  expect_sampling_proved(plan.sampling, plan.guarantee.adjacency, units);
  if (plan.sampling != BatchSampling::poisson && plan.sampling != BatchSampling::full &&
      plan.max_records_per_unit > 1) {
    throw base::DataError("units of several records are sampled by poisson only");
  }
  if (plan.batch > 0 &&
      plan.rate != static_cast<double>(plan.batch) / static_cast<double>(plan.public_row_count)) {
    throw base::DataError("sampling rate, batch size and number of records do not fit");
  }
  if (plan.first_noise() > 0 && plan.sampling != BatchSampling::full) {
    throw base::DataError("means or columns to keep are released of full batches only");
  }
  if (units && (plan.whitening_noise > 0 || plan.feature_selection_noise > 0)) {
    throw base::DataError("second moments or columns to keep are released of single records only");
  }
  if (plan.whitening_noise > 0 && plan.standardise_noise == 0) {
    throw base::DataError("second moments are released after means alone");
  }
  if (plan.feature_selection_noise > 0 && plan.standardise_noise > 0) {
    throw base::DataError(
        "either means or columns to keep are released before the steps, not both");
  }
}

privacy::Event recorded_descent(const privacy::Receipt& receipt, RecordedParameters& parameters,
                                const privacy::Event& /*own*/) {
  auto plan = read_plan<GradientPlan>(receipt, parameters);
  plan.row_count = plan.public_row_count;
  check_recorded(plan);
  return releases(plan);
}

PartRounds part_rounds(const GradientPlan& plan, const data::Schema& schema) {
  const std::int64_t before = 1 + (plan.first_noise() > 0 ? 1 : 0);
  if (schema.curves) {
    const optimize::GramShape moments{.columns = data::curve_shape(schema).numbers, .outputs = 0};
    return {.rounds = before + 1 + plan.steps,
            .numbers = std::max(plan.columns, static_cast<std::int64_t>(moments.values()))};
  }
  const bool selects = plan.feature_selection_noise > 0;
  return {.rounds = before + plan.steps,
          .numbers = selects ? choosable_count(schema) : plan.columns * plan.outputs};
}

Training gradient_training(const data::Schema& schema, const ParameterValues& asked,
                           const PlanContext& part_of) {
  auto plan = plan_gradient(schema, gradient_options(asked), part_of);
  auto training = resolved_training(plan, train_gradient);
  if (plan.standardise_noise > 0) training.raw_schema = data::raw_schema(schema);
  if (plan.sampling != BatchSampling::full) {
    training.needs_records =
        "which records are in a sample is secret, and what asks parts for them would show it";
  } else if (model::is_custom(plan.loss)) {
    training.needs_records = "a custom loss is code, which parts do not know";
  } else {
    training.part_rounds = part_rounds(plan, schema);
    training.over_parts = [plan](optimize::PartSums& records, const data::Schema& of,
                                 const TrainingContext& context) {
      return train_gradient(records, of, plan, context);
    };
  }
  training.run_last = [plan = std::move(plan)](data::Dataset&& records, const data::Schema& of,
                                               const TrainingContext& context) {
    return train_gradient(std::move(records), of, plan, context);
  };
  return training;
}

constexpr auto gradient_reads =
    bound_names<gradient_bindings, step_bindings, penalty_bindings, ball_bindings,
                class_weight_bindings, calibration_bindings, knot_bindings, curve_bindings,
                projection_bindings, feature_selection_bindings>;

constexpr std::array<std::string_view, 4> gradient_sampling{"full_batch", "poisson", "fixed_size",
                                                            "partition"};

constexpr std::array gradient_papers{
    Paper{Calibration::wang2021, {privacy::Adjacency::replace_one}},
    Paper{Calibration::arora2022, {privacy::Adjacency::replace_one}}};

// Samples were not measured.
double knot_noise_of(const data::Schema& /*schema*/, const ParameterValues& asked) {
  return asked.given("batch-size") ? 0 : max_knot_noise;
}

}  // namespace

constinit const Method gradient_method{
    .name = "gradient",
    .help = "noisy gradient descent, for every loss",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = {privacy::every_adjacency, privacy::no_adjacency, UnitProtection::bounded},
    .problems = {.targets = every_target, .softmax = true, .custom_loss = true},
    .sampling = gradient_sampling,
    .options = gradient_reads,
    .plan = gradient_training,
    .recorded_events = recorded_descent,
    .papers = gradient_papers,
    .over_parts = true,
    .reads_packed_rows = true,
    .max_knot_noise = knot_noise_of,
};

}  // namespace tacet::learn
