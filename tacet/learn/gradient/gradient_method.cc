#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/gradient/gradient_batches.h"
#include "tacet/learn/plan/recorded.h"

namespace tacet::learn {
namespace {

BatchSampling recorded_sampling(const privacy::Receipt& receipt) {
  if (receipt.sampling == "full_batch") return BatchSampling::full;
  for (const auto kind :
       {BatchSampling::poisson, BatchSampling::fixed_size, BatchSampling::partition}) {
    if (receipt.sampling == to_string(kind)) return kind;
  }
  throw base::DataError("method gradient has no sampling {}", receipt.sampling);
}

Batches recorded_batches(const privacy::Receipt& receipt, RecordedParameters& parameters) {
  Batches batches{.sampling = recorded_sampling(receipt),
                  .row_count = receipt.public_row_count.value_or(0)};
  expect_sampling_proved(batches.sampling, receipt.guarantee.adjacency,
                         receipt.privacy_unit != single_record);
  if (batches.sampling == BatchSampling::full) {
    if (!parameters.has("sampling_rate")) return batches;
    throw base::DataError("all records take part in each step, but there is a sampling_rate");
  }
  batches.rate = parameters.real("sampling_rate");
  if (!(batches.rate > 0 && batches.rate <= 1)) {
    throw base::DataError("the sampling rate is not within 0 and 1");
  }
  if (parameters.has("max_records_per_unit")) {
    batches.max_records_per_unit = parameters.count("max_records_per_unit");
    if (batches.max_records_per_unit < 1 ||
        batches.max_records_per_unit > privacy::records_per_unit_limit) {
      throw base::DataError("the records per unit are not within their range");
    }
    if (batches.sampling != BatchSampling::poisson && batches.max_records_per_unit > 1) {
      throw base::DataError("units of several records are sampled by poisson only");
    }
  }
  if (batches.sampling == BatchSampling::poisson) return batches;
  batches.batch = parameters.count("batch_size");
  if (batches.batch < 1 || batches.batch > batches.row_count) {
    throw base::DataError("the batch size is not within the number of records");
  }
  parameters.expect("sampling_rate",
                    static_cast<double>(batches.batch) / static_cast<double>(batches.row_count),
                    "batch size and number of records give");
  return batches;
}

double recorded_kept_noise(const privacy::Receipt& receipt, const Batches& batches,
                           RecordedParameters& parameters) {
  if (!parameters.has("feature_selection_noise_multiplier")) return 0;
  const double noise = parameters.real("feature_selection_noise_multiplier");
  if (!(noise > 0 && std::isfinite(noise))) {
    throw base::DataError("the noise multiplier of the columns to keep is not above 0");
  }
  if (!(parameters.real("feature_selection_threshold") >= 3)) {
    throw base::DataError("columns are kept from three standard deviations of the noise on");
  }
  if (batches.sampling != BatchSampling::full || receipt.privacy_unit != "record") {
    throw base::DataError("columns to keep are released of full batches of single records only");
  }
  return noise;
}

privacy::Event recorded_descent(const privacy::Receipt& receipt, RecordedParameters& parameters,
                                const privacy::Event&) {
  expect_there(parameters, {"norm_bits", "averaging", "momentum"});
  const auto batches = recorded_batches(receipt, parameters);
  const double noise = recorded_noise(parameters);
  expect_claim(parameters, receipt);
  const auto steps = parameters.count("steps");
  if (steps < 1 || steps > max_gradient_steps) {
    throw base::DataError("the method takes 1 to a million steps");
  }
  double standardise_noise = 0;
  if (parameters.has("standardise_noise_multiplier")) {
    standardise_noise = parameters.real("standardise_noise_multiplier");
    if (!(standardise_noise > 0 && std::isfinite(standardise_noise))) {
      throw base::DataError("the noise multiplier of the means is not above 0");
    }
    if (batches.sampling != BatchSampling::full || receipt.privacy_unit != "record") {
      throw base::DataError("means are released of full batches of single records only");
    }
  }
  const double feature_selection_noise = recorded_kept_noise(receipt, batches, parameters);
  if (feature_selection_noise > 0 && standardise_noise > 0) {
    throw base::DataError(
        "either means or columns to keep are released before the steps, not both");
  }
  return gradient_events(batches, steps, noise,
                         std::max(standardise_noise, feature_selection_noise));
}

Training gradient_training(const data::Schema& schema, const ParameterValues& asked,
                           const PlanContext& part_of) {
  auto plan = plan_gradient(schema, gradient_options(asked), part_of);
  auto training = resolved_training(plan, train_gradient);
  if (plan.standardise_noise > 0) training.raw_schema = data::raw_schema(schema);
  training.run_last = [plan = std::move(plan)](data::Dataset&& records, const data::Schema& of,
                                               const TrainingContext& context) {
    return train_gradient(std::move(records), of, plan, context);
  };
  return training;
}

constexpr auto gradient_reads = bound_names<gradient_bindings, calibration_bindings, knot_bindings,
                                            projection_bindings, feature_selection_bindings>;

constexpr std::array gradient_papers{
    Paper{Calibration::wang2021, {privacy::Adjacency::replace_one}},
    Paper{Calibration::arora2022, {privacy::Adjacency::replace_one}}};

}  // namespace

GradientOptions gradient_options(const ParameterValues& asked) {
  return read_options<GradientOptions>(asked, gradient_bindings, calibration_bindings,
                                       feature_selection_bindings);
}

constinit const Method gradient_method{
    "gradient",
    "noisy gradient descent, for every loss",
    privacy::Adjacency::add_remove,
    {privacy::every_adjacency, privacy::no_adjacency, UnitProtection::bounded},
    gradient_reads,
    gradient_training,
    recorded_descent,
    true,
    gradient_papers};

}  // namespace tacet::learn
