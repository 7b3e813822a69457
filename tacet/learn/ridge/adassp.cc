#include "tacet/learn/ridge/adassp.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/plan/unit_draw.h"
#include "tacet/learn/ridge/gram_spectrum.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/model/model_file.h"
#include "tacet/optimize/parts/local_parts.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

// noise tensors: the diagonal, the rest of the matrix, the labels
constexpr std::int64_t leaves = 3;
constexpr double failure = 0.05;  // of the published lambda, which affects utility only

void refuse_wide(const AdasspPlan& plan) {
  if (plan.columns <= optimize::max_gram_columns) return;
  throw base::UsageError(
      "method adassp releases a matrix of all pairs of columns, and {} columns are more than the "
      "{} there is room for; project them (`projection=countsketch` `projection_width=1024`), find "
      "out which are worth having (`feature_selection=auto`), or use `method=gradient`",
      plan.columns, optimize::max_gram_columns);
}

/// The public number of records. Nothing is scaled by it, so it may be missing if delta is given.
std::int64_t rows_known(const data::Schema& schema, const CommonOptions& options) {
  if (!options.delta) return resolve_row_count(schema, options);
  return options.public_row_count.value_or(schema.public_row_count.value_or(0));
}

void resolve_noise(AdasspPlan& plan, const CommonOptions& options, privacy::Delta left,
                   double norm_bound) {
  plan.norm_bound = norm_bound;
  plan.noise_multiplier =
      full_batch_noise(1, privacy::Epsilon(options.epsilon), left, options.adjacency);
  if (plan.noise_multiplier >
      optimize::largest_gram_multiplier(norm_bound, true, options.adjacency)) {
    throw base::NumericError(
        "a noise multiplier of {:.4g} is wider than the sampler's grid beside squares of features, "
        "and nothing would be left of them; ask for a larger epsilon or delta",
        plan.noise_multiplier);
  }
  const auto unit = optimize::gram_noise(norm_bound, true, options.adjacency);
  plan.diagonal_noise = plan.noise_multiplier * unit.diagonal;
  plan.label_noise = plan.noise_multiplier * unit.labels;
}

}  // namespace

privacy::Event releases(const AdasspPlan& plan) { return privacy::Gaussian{plan.noise_multiplier}; }

void list_settings(SettingList& list, AdasspPlan& plan) {
  list.sampling("full_batch");
  list.problem({.receipt = false});
  list.note("outputs", plan.outputs, {.table = plan.outputs > 1});
  list.checked("noise_multiplier", plan.noise_multiplier, above_0);
  list.checked("norm_bound", plan.norm_bound, above_0, {.table = false, .json = false});
  // Standard deviation of the noise on the sums: the multiplier times the distance between sums of
  // neighbours. Under replace_one that distance is less than twice that under add_remove
  // (docs/proofs/gram.md).
  const auto unit = optimize::gram_noise(plan.norm_bound, true, plan.guarantee.adjacency);
  list.computed("gram_noise", plan.noise_multiplier * unit.diagonal);
  list.computed("label_noise", plan.noise_multiplier * unit.labels);
  list.claim();
  list.one_record_per_unit();
}

AdasspPlan plan_adassp(const data::Schema& schema, const CommonOptions& options,
                       const PlanContext& context) {
  AdasspPlan plan;
  plan.first = context.first_release;
  resolve_squared_problem(plan, schema, options, adassp_method.problems);
  refuse_wide(plan);
  plan.public_row_count = rows_known(schema, options);
  const privacy::Delta delta = resolve_delta(options, plan.public_row_count, plan.reasons);
  const auto values = optimize::GramShape{plan.columns, plan.outputs}.values();
  plan.prg_slack = random::prg_slack_of(leaves, static_cast<std::int64_t>(values));
  resolve_unit_draw(plan, schema);
  resolve_noise(plan, options, resolve_delta_left(plan, options, delta.value(), plan.prg_slack),
                schema.norm_bound());
  plan.events = releases(plan);
  resolve_guarantee(plan, options, delta.value());
  plan.reasons.add(
      "one release of the {} sums of products of the columns and with the target, noise of "
      "standard deviation {:.4g} on squares",
      values, plan.diagonal_noise);
  if (options.paper()) {
    plan.calibration = Calibration::wang2018;
    plan.claim = privacy::Guarantee{options.epsilon, delta.value(), options.adjacency};
    plan.reasons.emplace_back(
        "shrinkage as published, from a bound of the noise's largest eigenvalue; the noise is the "
        "proved one of a single release");
  } else {
    plan.reasons.emplace_back(
        "shrinkage by the marginal likelihood of what is released, which costs nothing");
  }
  write_settings(plan);
  // One pass for the sums. With feature selection, one pass before them, and one to rewrite the
  // records. With units, one to write one record of each.
  plan.passes_over_records = 1 + (plan.first ? 2 : 0) + (schema.unit ? 1 : 0);
  return plan;
}

namespace {

// `what` says what a record stands for.
TrainedModel train_on_sums(optimize::PartSums& records, std::string_view what,
                           const data::Schema& schema, const AdasspPlan& plan,
                           const TrainingContext& context) {
  check_public_count(records, plan, context, what);
  const auto released = mechanism::release_gaussian(
      records.gram({plan.outputs}, plan.guarantee.adjacency),
      privacy::NoiseMultiplier(plan.noise_multiplier), {{}, context.source, context.reservation});
  const auto spectrum = gram_spectrum(released.value(), {plan.columns, plan.outputs});
  const ReleasedNoise noise{plan.diagonal_noise, plan.label_noise};
  const double bound = spectral_noise_bound(noise.diagonal, plan.columns, failure);
  const auto gains =
      plan.calibration == Calibration::tight
          ? likeliest_gains(spectrum, noise)
          : penalised_gains(spectrum, wang2018_penalty(spectrum.eigenvalues[0], bound), bound);
  auto found = ridge_coefficients(spectrum, gains, noise);
  context.supervision.step("training", 1, 1);
  return finish(plan, schema, context, {std::move(found.values), std::move(found.noise_stddevs)});
}

}  // namespace

TrainedModel train_adassp(const data::Dataset& dataset, const data::Schema& schema,
                          const AdasspPlan& plan, const TrainingContext& context) {
  check_shape(dataset, schema, plan);
  context.supervision.step("training", 0, 1);
  const auto drawn = drawn_records(dataset, schema, context);
  optimize::LocalParts records(drawn ? *drawn : dataset, context.threads);
  return train_on_sums(records, drawn ? "units" : "records", schema, plan, context);
}

TrainedModel adassp_over_parts(optimize::PartSums& records, const data::Schema& schema,
                               const AdasspPlan& plan, const TrainingContext& context) {
  if (schema.unit) {
    throw base::InternalError("one record of each unit is drawn where the records are");
  }
  check_shape(records.shape(), schema, plan);
  context.supervision.step("training", 0, 1);
  return train_on_sums(records, "records", schema, plan, context);
}

namespace {

void check_ridge_file(const privacy::Receipt& /*receipt*/, const model::ModelFile& file,
                      RecordedParameters& parameters) {
  parameters.expect("norm_bound", file.schema.norm_bound(), "the schema's is");
}

Training adassp_training(const data::Schema& schema, const ParameterValues& asked,
                         const PlanContext& part_of) {
  auto plan = plan_adassp(schema, common_options(asked), part_of);
  auto training = resolved_training(plan, train_adassp);
  if (schema.unit) {
    training.needs_records =
        "with a unit it draws one secret record of each, and parts draw nothing at random";
    return training;
  }
  training.part_rounds = {.rounds = 2,
                          .numbers = static_cast<std::int64_t>(
                              optimize::GramShape{plan.columns, plan.outputs}.values())};
  training.over_parts = [plan = std::move(plan)](optimize::PartSums& records,
                                                 const data::Schema& of,
                                                 const TrainingContext& context) {
    return adassp_over_parts(records, of, plan, context);
  };
  return training;
}

constexpr std::array<std::string_view, 1> squared_alone{"squared"};
constexpr std::array adassp_papers{Paper{Calibration::wang2018}};
constexpr auto adassp_reads =
    bound_names<calibration_bindings, feature_selection_bindings, projection_bindings>;

}  // namespace

constinit const Method adassp_method{
    .name = "adassp",
    .help = "ridge regression from one release of sums of squares",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = {privacy::every_adjacency, privacy::no_adjacency, UnitProtection::drawn},
    .problems = {.targets = classes_and_numbers,
                 .losses = squared_alone,
                 .why_no_other_loss = "it solves the squared loss in closed form"},
    .sampling = full_batch,
    .options = adassp_reads,
    .plan = adassp_training,
    .recorded_events = recorded_releases_of<AdasspPlan>,
    .papers = adassp_papers,
    .check_file = check_ridge_file,
    .over_parts = true,
};

}  // namespace tacet::learn
