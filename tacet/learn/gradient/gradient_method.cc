#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/gradient/gradient_batches.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/setting_list.h"

namespace tacet::learn {
namespace {

constexpr auto receipt_sampling_names =
    base::names<BatchSampling>({{BatchSampling::full, "full_batch"},
                                {BatchSampling::poisson, "poisson"},
                                {BatchSampling::fixed_size, "fixed_size"},
                                {BatchSampling::partition, "partition"}});

}  // namespace

privacy::Event releases(const GradientPlan& plan) {
  return gradient_events(plan, plan.steps, plan.noise_multiplier, plan.first_noise());
}

void list_settings(SettingList& list, GradientPlan& plan) {
  constexpr auto standardise_name = "standardise_noise_multiplier";
  list.sampling(plan.sampling, receipt_sampling_names);
  // In a receipt the number of records has a place of its own, and so has the way of sampling.
  list.problem({.receipt = false});
  list.note("outputs", plan.outputs, {.table = plan.outputs > 1});
  list.note("clipping_norm", plan.clipping_norm);
  list.checked("noise_multiplier", plan.noise_multiplier, above_0);
  if (list.has(standardise_name, plan.standardise_noise > 0)) {
    list.checked(standardise_name, plan.standardise_noise, above_0);
  }
  if (list.has(feature_selection_name, plan.feature_selection_noise > 0)) {
    list.feature_selection(plan.feature_selection_noise, plan.feature_selection_threshold);
  }
  list.follows("norm_bits", norm_bits_for(plan.noise_multiplier), {.table = false, .json = false});
  list.checked("steps", plan.steps, {.lowest = 1, .highest = max_gradient_steps});
  list.note("step_size", plan.step_size);
  list.mark("momentum", plan.momentum);
  list.mark("averaging", to_string(plan.averaging), {.table = false});
  const bool suffix = plan.averaging == Averaging::suffix;
  list.note("average", plan.average, {.table = suffix, .receipt = suffix});
  list.note("sampling", to_string(plan.sampling), {.table = plan.rate < 1, .receipt = false});
  const bool samples = plan.sampling != BatchSampling::full;
  const bool poisson = plan.sampling == BatchSampling::poisson;
  list.checked("sampling_rate", plan.rate, rate_range, {.table = poisson, .receipt = samples});
  if (samples && !poisson) {
    const auto records = static_cast<double>(plan.public_row_count);
    list.checked("batch_size", plan.batch, {.lowest = 1, .highest = records});
  }
  if (plan.sampling == BatchSampling::partition) list.note("order_seed", plan.order_seed);
  // All records of a unit share one bound in a full batch, however many they are.
  list.records_per_unit(samples ? Looking::confirms : Looking::assumes, plan.max_records_per_unit,
                        {.table = plan.max_records_per_unit > 1});
  list.note("l2", plan.mean_l2, {.table = plan.mean_l2 > 0, .receipt = plan.mean_l2 > 0});
  if (plan.radius) list.note("radius", *plan.radius);
  list.claim();
}

namespace {

/// What the ranges of the settings do not say.
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
  if (plan.first_noise() > 0 && (plan.sampling != BatchSampling::full || units)) {
    throw base::DataError(
        "means or columns to keep are released of full batches of single records only");
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

Training gradient_training(const data::Schema& schema, const LinearOptions& options) {
  auto plan = plan_gradient(schema, options);
  auto training = resolved_training(plan, train_gradient);
  if (plan.standardise_noise > 0) training.raw_schema = data::raw_schema(schema);
  training.run_last = [plan = std::move(plan)](data::Dataset&& records, const data::Schema& of,
                                               const TrainingContext& context) {
    return train_gradient(std::move(records), of, plan, context);
  };
  return training;
}

constexpr std::array gradient_papers{
    Paper{Calibration::wang2021, {privacy::Adjacency::replace_one}},
    Paper{Calibration::arora2022, {privacy::Adjacency::replace_one}}};

}  // namespace

constinit const Method gradient_method{
    "gradient",
    "noisy gradient descent, for every loss",
    privacy::Adjacency::add_remove,
    {privacy::every_adjacency, privacy::no_adjacency, UnitProtection::bounded},
    "l2 steps step-size momentum clipping-norm average averaging batch-size radius "
    "max-records-per-unit sampling order-seed calibration knots standardise class-weights "
    "feature-selection projection projection-width projection-seed",
    gradient_training,
    recorded_descent,
    true,
    gradient_papers};

}  // namespace tacet::learn
