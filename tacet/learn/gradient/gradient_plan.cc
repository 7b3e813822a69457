#include <algorithm>
#include <optional>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/first_releases.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/gradient/gradient_course.h"
#include "tacet/learn/gradient/gradient_noise.h"
#include "tacet/learn/gradient/paper_course.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"

// A plan is made in stages, one after the other, with one file for each:
//
//   what is asked     the problem, the records of a step       resolve, gradient_batches
//   the budget        what is released before the steps        first_releases
//   the course        clipping norm, number and size of steps  gradient_course, or paper_course
//   the noise         noise, events, guarantee                 gradient_noise
//   the settings      what the receipt says                    list_settings below
//
// The stages "budget" and "course" depend on how much noise the budget allows. This is computed
// once, before them, and passed on.
namespace tacet::learn {
namespace {

constexpr double default_momentum = 0.9;
constexpr auto receipt_sampling_names =
    base::names<BatchSampling>({{BatchSampling::full, "full_batch"},
                                {BatchSampling::poisson, "poisson"},
                                {BatchSampling::fixed_size, "fixed_size"},
                                {BatchSampling::partition, "partition"}});

void tell(GradientPlan& plan, const Reasons& reasons) {
  plan.reasons.insert(plan.reasons.end(), reasons.begin(), reasons.end());
}

GradientPlan asked_problem(const data::Schema& schema, const GradientOptions& options,
                           const PlanContext& context) {
  GradientPlan plan;
  plan.first = context.first_release;
  plan.path_share = context.path_share;
  plan.options = options;
  plan.radius = options.radius;
  resolve_problem(plan, schema, options, gradient_method.problems);
  resolve_class_weights(plan, schema, options.class_weights);
  plan.public_row_count = resolve_row_count(schema, options);
  return plan;
}

void resolve_units(GradientPlan& plan, const data::Schema& schema, const GradientOptions& options) {
  if (options.max_records_per_unit > 1 && !schema.unit) {
    throw base::UsageError(
        "`max_records_per_unit` needs a unit column in the schema; without one each record is a "
        "unit");
  }
  plan.max_records_per_unit = options.max_records_per_unit;
  if (schema.unit && plan.max_records_per_unit == 1) {
    plan.reasons.add(
        "records per unit 1: of each {} the first record takes part, the others none; "
        "`max_records_per_unit` takes more, each with a smaller share of the clipping norm",
        *schema.unit);
  } else if (schema.unit && plan.rate == 1 && !options.clipping_norm) {
    plan.reasons.add(
        "records per unit {0}: each counts for at most 1/{0} of the clipping norm, so that "
        "the model errs about probabilities and sizes more than about ranks; a `clipping_norm` {0} "
        "times as large mends that and multiplies the noise by {0}",
        plan.max_records_per_unit);
  }
}

/// By our own rules: what the options leave open follows from public facts and the noise.
void plan_by_rules(GradientPlan& plan, const data::Schema& schema, const GradientOptions& options,
                   privacy::Delta delta) {
  static_cast<Batches&>(plan) = resolve_batches(schema, options, plan.public_row_count);
  resolve_units(plan, schema, options);
  plan.momentum = options.momentum.value_or(default_momentum);
  plan.averaging = options.averaging.value_or(Averaging::suffix);
  plan.average = options.average.value_or(usual_average(schema, plan.outputs));
  plan.mean_l2 = options.mean_l2.value_or(0);

  const auto allowed =
      noise_of_budget(plan, steps_on_samples(options, plan.rate),
                      {privacy::Epsilon(options.epsilon), delta, options.adjacency});
  const auto before = choose_first_releases(plan, schema, options, allowed.one_release);
  static_cast<FirstReleases&>(plan) = before.releases;
  plan.one_release = before.shares.beside(allowed.one_release);
  tell(plan, before.reasons);

  const bool selects = before.shares.feature_selection > 0;
  const auto chosen =
      choose_course(plan, schema,
                    {.columns = selects ? std::min(plan.columns, expected_kept) : plan.columns,
                     .standardised = before.shares.standardise > 0,
                     .on_samples = allowed.on_samples});
  static_cast<Course&>(plan) = chosen.course;
  tell(plan, chosen.reasons);

  calibrate_gradient(plan, options, delta, before.shares);
}

/// By a paper: single records, the paper's schedule and noise, the mean of all iterates.
void plan_by_paper(GradientPlan& plan, const data::Schema& schema, const GradientOptions& options,
                   privacy::Delta delta) {
  plan.calibration = options.calibration == Calibration::arora2022 ? Calibration::arora2022
                                                                   : Calibration::wang2021;
  GradientOptions single_records = options;
  single_records.sampling = to_string(BatchSampling::fixed_size);
  single_records.batch_size = 1;
  static_cast<Batches&>(plan) = resolve_batches(schema, single_records, plan.public_row_count);
  plan.averaging = Averaging::uniform;

  const auto paper = paper_course(plan, schema, options, delta);
  static_cast<Course&>(plan) = paper.course;
  plan.claim = privacy::Guarantee{options.epsilon, delta.value(), options.adjacency};

  calibrate_paper(plan, options, delta, paper.noise / plan.clipping_norm);
  explain_paper(plan, paper);
}

/// How often the run reads all records: once for the releases before the steps, and again to
/// rewrite them with the released numbers. Curves read the numbers in between. A release that
/// belongs to another method comes before all of that.
double passes_of(const GradientPlan& plan) {
  constexpr double release_and_rewriting = 2;
  double passes = plan.rate * static_cast<double>(plan.steps);
  if (plan.first) passes += release_and_rewriting;
  if (plan.standardise_noise > 0 || plan.feature_selection_noise > 0) {
    passes += release_and_rewriting;
  }
  if (plan.whitening_noise > 0) passes += 1;
  return passes;
}

}  // namespace

GradientPlan plan_gradient(const data::Schema& schema, const GradientOptions& options,
                           const PlanContext& context) {
  if (options.paper()) {
    expect_paper_problem(schema, options);
  } else if (options.steps.value_or(1) > max_gradient_steps) {
    throw base::UsageError("steps of method gradient must be 1 to {}, got {}", max_gradient_steps,
                           *options.steps);
  }
  auto plan = asked_problem(schema, options, context);
  const auto delta = resolve_delta(options, plan.public_row_count, plan.reasons);
  options.paper() ? plan_by_paper(plan, schema, options, delta)
                  : plan_by_rules(plan, schema, options, delta);
  write_settings(plan);
  plan.passes_over_records = passes_of(plan);
  return plan;
}

GradientPlan on_selected_columns(const GradientPlan& plan, const data::Schema& narrowed) {
  GradientPlan kept = plan;
  kept.columns = narrowed.encoded_column_count();
  // The releases are booked: their number stays, and with it the noise of each.
  kept.options.steps = plan.steps;
  static_cast<Course&>(kept) =
      choose_course(kept, narrowed,
                    {.columns = kept.columns, .standardised = plan.standardise_noise > 0})
          .course;
  write_settings(kept);
  return kept;
}

void list_settings(SettingList& list, GradientPlan& plan) {
  constexpr auto standardise_name = "standardise_noise_multiplier";
  list.sampling(plan.sampling, receipt_sampling_names);
  // A receipt has its own members for the number of records and for the kind of sampling.
  list.problem({.receipt = false});
  list.note("outputs", plan.outputs, {.table = plan.outputs > 1});
  list.note("clipping_norm", plan.clipping_norm);
  list.checked("noise_multiplier", plan.noise_multiplier, above_0);
  if (list.has(standardise_name, plan.standardise_noise > 0)) {
    list.checked(standardise_name, plan.standardise_noise, above_0);
  }
  if (list.has(whitening_noise_name, plan.whitening_noise > 0)) {
    list.checked(whitening_noise_name, plan.whitening_noise, above_0);
    list.note("curves", plan.curve_share);
    list.note("curve_directions", plan.curve_directions);
    list.note("line_rate", plan.line_rate);
    list.note("curve_rate", plan.curve_rate);
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
  // In a full batch all records of a unit share one bound, however many there are.
  list.records_per_unit(samples ? Looking::confirms : Looking::assumes, plan.max_records_per_unit,
                        {.table = plan.max_records_per_unit > 1});
  list.note("l2", plan.mean_l2, {.table = plan.mean_l2 > 0, .receipt = plan.mean_l2 > 0});
  if (plan.radius) list.note("radius", *plan.radius);
  list.claim();
}

}  // namespace tacet::learn
