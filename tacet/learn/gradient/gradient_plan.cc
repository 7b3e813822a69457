#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/gradient/gradient_batches.h"
#include "tacet/learn/gradient/gradient_course.h"
#include "tacet/learn/gradient/paper_course.h"
#include "tacet/learn/gradient/standardise.h"
#include "tacet/learn/gradient/whitening.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/curves.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::learn {
namespace {

constexpr double default_momentum = 0.9;
constexpr auto receipt_sampling_names =
    base::names<BatchSampling>({{BatchSampling::full, "full_batch"},
                                {BatchSampling::poisson, "poisson"},
                                {BatchSampling::fixed_size, "fixed_size"},
                                {BatchSampling::partition, "partition"}});

/// The shares of mu^2 that go to releases before the steps: of standards, which whitening may
/// follow, or of columns to keep.
struct FirstShare {
  double standardise = 0;
  double whitening = 0;
  double feature_selection = 0;
  double prg_slack = 0;  ///< of that release

  /// The noise of a part of mu^2 that has what these shares leave.
  [[nodiscard]] double beside(double noise) const {
    return noise / std::sqrt(1 - standardise - whitening) / std::sqrt(1 - feature_selection);
  }
};

/// Noise multipliers of the steps and of the releases before them.
struct StepNoise {
  double steps;
  FirstNoises before = {};
};

/// Parts of one mu^2: the noise of each as if it had the whole, over the root of its share.
/// Raised by rounding errors until the accountant agrees.
StepNoise shared_noise(const FirstShare& share, double whole, std::int64_t steps,
                       const accounting::CalibrationTarget& target) {
  const double first_share = std::max(share.standardise, share.feature_selection);
  const double one = full_batch_noise(1, target.epsilon, target.delta, target.adjacency);
  StepNoise noise{whole / std::sqrt(1 - first_share - share.whitening),
                  {.first = one / std::sqrt(first_share),
                   .whitening = share.whitening > 0 ? one / std::sqrt(share.whitening) : 0}};
  const auto cost = [&] {
    return accounting::epsilon(gradient_events({}, steps, noise.steps, noise.before),
                               target.adjacency, target.delta);
  };
  constexpr double up = 1 + 4 * std::numeric_limits<double>::epsilon();
  while (cost() > target.epsilon.value()) {
    noise.steps *= up;
    noise.before.first *= up;
    noise.before.whitening *= up;
  }
  if (share.feature_selection > 0) check_kept_noise(noise.before.first);
  return noise;
}

// The noise given, or the least that is enough beside the PRG slack.
void resolve_noise(GradientPlan& plan, const GradientOptions& options, privacy::Delta delta,
                   const FirstShare& share, std::optional<double> given = std::nullopt) {
  plan.prg_slack = batch_prg_slack(plan, plan.steps, plan.columns * plan.outputs) + share.prg_slack;
  const auto left = resolve_delta_left(plan, options, delta.value(), plan.prg_slack);
  StepNoise noise{given ? *given : batch_noise(plan, plan.steps, options, left)};
  if (share.standardise > 0 || share.feature_selection > 0) {
    noise = shared_noise(share, noise.steps, plan.steps,
                         {privacy::Epsilon(options.epsilon), left, options.adjacency});
  }
  plan.noise_multiplier = noise.steps;
  plan.norm_bits = norm_bits_for(noise.steps);
  (share.standardise > 0 ? plan.standardise_noise : plan.feature_selection_noise) =
      noise.before.first;
  plan.whitening_noise = noise.before.whitening;
  plan.events = releases(plan);
  resolve_guarantee(plan, options, delta.value());
}

// A paper's schedule and noise, and what is proved about them.
GradientPlan paper_plan(const data::Schema& schema, const GradientOptions& options,
                        const PlanContext& context) {
  // order-seed is read to be refused with its reason.
  const bool arora = options.calibration == Calibration::arora2022;
  auto beyond = given_beyond<gradient_bindings, step_bindings, penalty_bindings, ball_bindings,
                             class_weight_bindings, feature_selection_bindings>(
      options, {"steps", "radius", "order-seed"});
  if (!beyond && schema.projection && !arora) beyond = "projection";
  if (beyond) {
    throw base::UsageError(
        "{} is set by `calibration=paper`; leave it out, or use the tight calibration",
        base::parameter_name(*beyond));
  }
  const auto& target = target_of(schema);
  if (options.adjacency != privacy::Adjacency::replace_one || !one_output.has(kind_of(target)) ||
      !options.radius) {
    throw base::UsageError(
        "`calibration={}` for gradient is about replace_one, a ball (`radius`) and two classes or "
        "numbers; give `adjacency=replace_one` and `radius`, or use tight",
        to_string(options.calibration));
  }
  if (schema.unit) {
    throw base::UsageError(
        "`calibration=paper` samples single records, but the schema's unit column protects all "
        "records of a unit together; leave calibration out to use all records in each step");
  }
  if (!target_of(schema).class_weights.empty()) {
    throw base::UsageError(
        "class weights have no proof for the paper's calibration of gradient; leave calibration "
        "out");
  }
  GradientPlan plan;
  plan.first = context.first_release;
  plan.calibration = arora ? Calibration::arora2022 : Calibration::wang2021;
  resolve_problem(plan, schema, options, gradient_method.problems);
  plan.public_row_count = resolve_row_count(schema, options);
  const privacy::Delta delta = resolve_delta(options, plan.public_row_count, plan.reasons);
  plan.averaging = Averaging::uniform;
  plan.radius = options.radius;
  const auto course = arora ? arora_course(plan, schema, options, delta)
                            : wang_course(plan, schema, options, delta);
  plan.clipping_norm =
      std::min(course.gradient_bound,
               schema.norm_bound() *
                   model::slope_bound_within(plan.loss, *plan.radius * schema.norm_bound()));
  GradientOptions single_records = options;
  single_records.sampling = to_string(BatchSampling::fixed_size);
  single_records.batch_size = 1;
  static_cast<Batches&>(plan) = resolve_batches(schema, single_records, plan.public_row_count);
  resolve_noise(plan, options, delta, {}, course.noise / plan.clipping_norm);
  if (plan.guarantee.epsilon > options.epsilon) {
    plan.reasons.emplace_back(
        "the paper's noise is not enough for what it claims; the proved noise stands in its place");
    resolve_noise(plan, options, delta, {});
  }
  plan.claim = privacy::Guarantee{options.epsilon, delta.value(), options.adjacency};
  plan.reasons.add("{}: {} steps of size {:.4g} on single records", course.name, plan.steps,
                   plan.step_size);
  plan.reasons.add(
      "the paper claims ({:g}, {:g}) for noise of standard deviation {:.4g} a gradient ({}gradient "
      "bound {:.4g}); proved here for that noise: ({:.4g}, {:g}), gradients are at most {:.4g}",
      options.epsilon, delta.value(), course.noise, course.remark, course.gradient_bound,
      plan.guarantee.epsilon, plan.guarantee.delta, plan.clipping_norm);
  return plan;
}

// What depends on the number of columns.
void resolve_course(GradientPlan& plan, const data::Schema& schema, const CourseFacts& facts) {
  const auto course =
      schema.curves ? curve_course(plan) : choose_course(plan, schema, facts, plan.reasons);
  plan.clipping_norm = course.clipping_norm;
  plan.steps = course.steps;
  plan.step_size = course.step_size;
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

// What is released before the steps, in words.
void explain_first_release(GradientPlan& plan, const data::Schema& schema,
                           const FirstShare& share) {
  const auto numbers = data::numeric_features(schema).size();
  if (share.whitening > 0) {
    plan.reasons.add(
        "{:g} of the budget's mu^2 for means and standard deviations of the {} numbers and the "
        "target, {:g} for second moments that make the numbers uncorrelated",
        share.standardise, numbers, share.whitening);
  } else if (share.standardise > 0 && numbers > 0) {
    plan.reasons.add("a tenth of the budget's mu^2 for {} counted by them",
                     numbers == 1
                         ? "the mean and standard deviation of the one number, which is then"
                         : fmt::format("means and standard deviations of the {} numbers, which "
                                       "are then",
                                       numbers));
  }
  if (plan.counts_categories) {
    plan.reasons.add("{} for how often each category occurs: the rarer, the more it counts",
                     numbers > 0 ? "of it a part" : "a tenth of the budget's mu^2");
  }
  if (share.feature_selection > 0) {
    plan.reasons.add(
        "{:g} of the budget's mu^2 to find out which of {} columns occur often enough; clipping "
        "norm and step size follow their number, {} are expected",
        share.feature_selection, plan.columns, expected_kept);
  }
}

std::string noise_reason(const GradientPlan& plan) {
  if (plan.sampling == BatchSampling::partition) {
    return fmt::format(
        "noise multiplier {:.6g}: exact Gaussian composition of {} passes, a record being in one "
        "batch of each",
        plan.noise_multiplier, plan.passes(plan.steps));
  }
  return fmt::format("noise multiplier {:.6g}: {} composition of {} steps{}", plan.noise_multiplier,
                     plan.rate < 1 ? "certified" : "exact Gaussian", plan.steps,
                     plan.rate < 1 ? " on samples" : "");
}

GradientPlan tight_plan(const data::Schema& schema, const GradientOptions& options,
                        const PlanContext& context) {
  if (options.steps.value_or(1) > max_gradient_steps) {
    throw base::UsageError("steps of method gradient must be 1 to {}, got {}", max_gradient_steps,
                           *options.steps);
  }
  GradientPlan plan;
  plan.first = context.first_release;
  resolve_problem(plan, schema, options, gradient_method.problems);
  resolve_class_weights(plan, schema, options.class_weights);
  plan.public_row_count = resolve_row_count(schema, options);
  const privacy::Delta delta = resolve_delta(options, plan.public_row_count, plan.reasons);
  static_cast<Batches&>(plan) = resolve_batches(schema, options, plan.public_row_count);
  resolve_units(plan, schema, options);
  const double whole_budget = batch_noise({}, 1, options, delta);
  const bool standardises =
      schema.curves || resolve_standardise(schema, options, plan.public_row_count);
  plan.counts_categories =
      standardises && counts_categories(schema, options.standardise, plan.loss,
                                        plan.relative_noise(plan.columns, whole_budget));
  FirstShare share{
      .standardise = standardises ? standardise_share : 0,
      .whitening = schema.curves ? whitening_share : 0,
      .feature_selection = resolve_column_share(schema, options, selection_obstacle(options))};
  const bool selects = share.feature_selection > 0;
  if (selects) {
    plan.feature_selection_threshold = feature_selection_threshold(schema);
    share.prg_slack = kept_prg_slack(plan.columns);
  } else if (standardises) {
    share.prg_slack = random::prg_slack_of(1, 2 * plan.columns);
    if (schema.curves) share.prg_slack += whitening_prg_slack(schema);
  }
  if (schema.curves) {
    plan.curve_share = schema.curves->share;
    plan.curve_directions = schema.curves->directions;
  }
  plan.one_release = share.beside(whole_budget);
  explain_first_release(plan, schema, share);
  plan.momentum = options.momentum.value_or(default_momentum);
  plan.averaging = options.averaging.value_or(Averaging::suffix);
  plan.mean_l2 = options.mean_l2.value_or(0);
  plan.radius = options.radius;
  plan.average = options.average.value_or(usual_average(schema, plan.outputs));
  plan.options = options;
  plan.path_share = context.path_share;
  const auto columns = selects ? std::min(plan.columns, expected_kept) : plan.columns;
  resolve_course(plan, schema, {columns, standardises, delta});
  resolve_noise(plan, options, delta, share);
  plan.reasons.push_back(noise_reason(plan));
  return plan;
}

}  // namespace

const char* selection_obstacle(const GradientOptions& options) {
  if (options.batch_size) {
    return "steps on samples are accounted by themselves; leave `batch_size` out";
  }
  if (options.standardise != Standardise::none) {
    return "one release comes before the steps; leave standardise out";
  }
  return nullptr;
}

privacy::Event releases(const GradientPlan& plan) {
  return gradient_events(plan, plan.steps, plan.noise_multiplier,
                         {.first = plan.first_noise(), .whitening = plan.whitening_noise});
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
  // All records of a unit share one bound in a full batch, however many they are.
  list.records_per_unit(samples ? Looking::confirms : Looking::assumes, plan.max_records_per_unit,
                        {.table = plan.max_records_per_unit > 1});
  list.note("l2", plan.mean_l2, {.table = plan.mean_l2 > 0, .receipt = plan.mean_l2 > 0});
  if (plan.radius) list.note("radius", *plan.radius);
  list.claim();
}

GradientPlan on_selected_columns(const GradientPlan& plan, const data::Schema& narrowed) {
  GradientPlan kept = plan;
  kept.columns = narrowed.encoded_column_count();
  // The releases are booked: their number stays, and with it the noise of each.
  kept.options.steps = plan.steps;
  const privacy::Delta delta(plan.guarantee.delta);
  resolve_course(kept, narrowed, {kept.columns, plan.standardise_noise > 0, delta});
  write_settings(kept);
  return kept;
}

namespace {

/// How often the run reads all records. What is released before the steps reads them once, and they
/// are read again to be written anew by it; curves read their numbers in between. A release that is
/// not this method's own comes before all of that.
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
  auto plan =
      options.paper() ? paper_plan(schema, options, context) : tight_plan(schema, options, context);
  write_settings(plan);
  plan.passes_over_records = passes_of(plan);
  return plan;
}

}  // namespace tacet::learn
