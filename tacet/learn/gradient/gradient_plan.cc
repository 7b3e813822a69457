#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/clipping_rule.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/gradient/gradient_batches.h"
#include "tacet/learn/gradient/paper_course.h"
#include "tacet/learn/gradient/standardise.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/plan/step_rule.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::learn {
namespace {

constexpr double default_momentum = 0.9;
// Per kind of target: the size of weights worth reaching, and how much a linear model typically
// lowers the loss. Margins of classes grow to about 20 before a linear model stops improving;
// numbers are scaled to [-1, 1]. docs/explanations/step-rule.md.
// The constants were chosen with the mean of the last half of the iterates, those of standardised
// numbers with that of the last 2/5.
constexpr double default_average = 0.4;
constexpr double first_average = 0.5;  // of encoding 1, of units, of several classes
struct Expectation {
  double radius;
  double learnable;
  double average = first_average;
};
constexpr Expectation path_of_classes{20, 0.4};
constexpr Expectation path_of_numbers{3, 0.03};
constexpr Expectation for_numbers_from_lower{4, 0.03};  // encoding 1
constexpr Expectation for_standardised_numbers{2.5, 0.03, default_average};

const Expectation& expectation(const data::Schema& schema, const model::Loss& loss) {
  const auto facts = model::properties(loss);
  if (facts.classification || facts.labels == model::Labels::shares) return path_of_classes;
  // Units were seen to lose by the smaller norm: docs/explanations/step-rule.md.
  return schema.encoding > 1 && !schema.unit ? path_of_numbers : for_numbers_from_lower;
}

double resolved_average(const GradientPlan& plan, const data::Schema& schema,
                        const LinearOptions& options) {
  const bool first = schema.encoding == 1 || schema.unit || plan.outputs > 1;
  return options.average.value_or(first ? first_average : default_average);
}

/// How much longer the path has to be for the average that is taken than for the one that the
/// constants were chosen with: iterates of the last share a have come 1 - a/2 of the way.
double way_of(const GradientPlan& plan, const Expectation& expected, const LinearOptions& options) {
  if (options.average || plan.averaging != Averaging::suffix) return 1;
  return (1 - expected.average / 2) / (1 - plan.average / 2);
}

struct Course {
  std::int64_t steps;
  double step_size;
};

// Passes over the data that minibatches make before the rule's path is long enough.
constexpr double batch_passes = 10;

Course choose_course(const LinearOptions& options, const Batches& batches, StepFacts facts,
                     privacy::Delta delta, Reasons& reasons) {
  if (batches.sampling != BatchSampling::full) {
    // A smaller sample needs less noise a step but relatively more: the rule must know how much.
    const double rate = batches.rate;
    const auto steps = options.steps.value_or(
        static_cast<std::int64_t>(std::clamp(std::ceil(batch_passes / rate), 100.0, 1e6)));
    const double noise = batch_noise(batches, steps, options, delta) / rate;
    facts.release_noise *=
        noise / std::sqrt(static_cast<double>(steps)) / batch_noise({}, 1, options, delta);
    const StepPlan rule = step_rule(facts);
    const double step_size =
        std::min(rule.path_length * (1 - facts.momentum) / static_cast<double>(steps),
                 longest_step(facts.curvature, facts.norm_bound));
    if (!options.steps || !options.step_size) {
      reasons.add("{} steps of size {:.4g} on {} of rate {:.4g}", steps,
                  options.step_size.value_or(step_size),
                  batches.sampling == BatchSampling::partition ? "batches" : "samples", rate);
    }
    return {steps, options.step_size.value_or(step_size)};
  }
  const StepPlan rule = step_rule(facts);
  Course course{options.steps.value_or(rule.steps), options.step_size.value_or(rule.step_size)};
  const double keep = 1 - facts.momentum;
  if (options.steps && !options.step_size) {
    course.step_size = std::min(rule.path_length * keep / static_cast<double>(course.steps),
                                longest_step(facts.curvature, facts.norm_bound));
  } else if (options.step_size && !options.steps) {
    course.steps = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::ceil(rule.path_length * keep / course.step_size)), 10,
        4 * rule.steps);
  }
  if (!options.steps || !options.step_size) {
    reasons.add(
        "{} steps of size {:.4g}: the path length {:.4g} balances what is not yet learned against "
        "noise of standard deviation {:.3g} a coordinate of the mean gradient, whatever the number "
        "of steps",
        course.steps, course.step_size, rule.path_length, facts.release_noise);
  }
  return course;
}

/// The shares of mu^2 that go to a release before the steps; at most one of them is above 0.
struct FirstShare {
  double standardise = 0;
  double feature_selection = 0;

  /// The noise of a part of mu^2 that has what these shares leave.
  [[nodiscard]] double beside(double noise) const {
    return noise / std::sqrt(1 - standardise) / std::sqrt(1 - feature_selection);
  }
};

FirstShare share_of_first_release(const data::Schema& schema, const LinearOptions& options,
                                  std::int64_t records) {
  return {.standardise = resolve_standardise(schema, options, records) ? standardise_share : 0,
          .feature_selection = resolve_column_share(schema, options)};
}

/// Noise multipliers of the steps and of a release before them.
struct StepNoise {
  double steps;
  double first = 0;
};

/// Two parts of one mu^2: the noise of each as if it had the whole, over the root of its share.
/// Raised by rounding errors until the accountant agrees.
StepNoise shared_noise(const FirstShare& share, double whole, std::int64_t steps,
                       const accounting::CalibrationTarget& target) {
  const double first_share = std::max(share.standardise, share.feature_selection);
  StepNoise noise{
      whole / std::sqrt(1 - first_share),
      full_batch_noise(1, target.epsilon, target.delta, target.adjacency) / std::sqrt(first_share)};
  const auto cost = [&] {
    return accounting::epsilon(gradient_events({}, steps, noise.steps, noise.first),
                               target.adjacency, target.delta);
  };
  constexpr double up = 1 + 4 * std::numeric_limits<double>::epsilon();
  while (cost() > target.epsilon.value()) {
    noise.steps *= up;
    noise.first *= up;
  }
  if (share.feature_selection > 0) check_kept_noise(noise.first);
  return noise;
}

// The noise given, or the least that is enough beside the PRG slack.
void resolve_noise(GradientPlan& plan, const LinearOptions& options, privacy::Delta delta,
                   const FirstShare& share, std::optional<double> given = std::nullopt) {
  plan.prg_slack = batch_prg_slack(plan, plan.steps, plan.columns * plan.outputs);
  if (share.standardise > 0) plan.prg_slack += random::prg_slack_of(1, 2 * plan.columns);
  if (share.feature_selection > 0) plan.prg_slack += kept_prg_slack(plan.columns);
  const auto left = resolve_delta_left(options, delta.value(), plan.prg_slack);
  StepNoise noise{given ? *given : batch_noise(plan, plan.steps, options, left)};
  if (share.standardise > 0 || share.feature_selection > 0) {
    noise = shared_noise(share, noise.steps, plan.steps,
                         {privacy::Epsilon(options.epsilon), left, options.adjacency});
  }
  plan.noise_multiplier = noise.steps;
  plan.norm_bits = norm_bits_for(noise.steps);
  (share.standardise > 0 ? plan.standardise_noise : plan.feature_selection_noise) = noise.first;
  plan.events = releases(plan);
  resolve_guarantee(plan, options, delta.value());
}

/// Length of the noise in the mean gradient, for gradients of norm 1, if a part of the budget with
/// this noise were one release.
double relative_noise(const GradientPlan& plan, std::int64_t columns, double one_release) {
  return std::sqrt(static_cast<double>(columns * plan.outputs)) * one_release /
         static_cast<double>(plan.public_row_count);
}

// A paper's schedule and noise, and what is proved about them.
GradientPlan paper_plan(const data::Schema& schema, const LinearOptions& options) {
  // order-seed is read to be refused with its reason.
  const bool arora = options.calibration == Calibration::arora2022;
  const auto* reads = arora ? "delta steps radius order-seed calibration knots projection "
                              "projection-width projection-seed"
                            : "delta steps radius order-seed calibration knots";
  if (const auto name = given_beyond(options, reads)) {
    throw base::UsageError(
        "{} is settled by --calibration paper; leave it out, or use the tight calibration", *name);
  }
  const auto& target = target_of(schema);
  if (options.adjacency != privacy::Adjacency::replace_one || outputs_of(target) > 1 ||
      !options.radius) {
    throw base::UsageError(
        "--calibration {} for gradient is about replace_one, a ball (--radius) and two classes "
        "or numbers; give --adjacency replace_one and --radius, or use tight",
        to_string(options.calibration));
  }
  if (schema.unit) {
    throw base::UsageError(
        "--calibration paper samples single records, but the schema's unit column protects all "
        "records of a unit together; leave calibration out to use all records in each step");
  }
  refuse_class_weights(schema, options);
  GradientPlan plan;
  plan.calibration = arora ? Calibration::arora2022 : Calibration::wang2021;
  resolve_problem(plan, schema, options);
  plan.public_row_count = resolve_row_count(schema, options);
  const privacy::Delta delta = resolve_delta(schema, options, plan.public_row_count, plan.reasons);
  plan.averaging = Averaging::uniform;
  plan.radius = options.radius;
  const auto course = arora ? arora_course(plan, schema, options, delta)
                            : wang_course(plan, schema, options, delta);
  plan.clipping_norm =
      std::min(course.gradient_bound,
               schema.norm_bound() *
                   model::slope_bound_within(plan.loss, *plan.radius * schema.norm_bound()));
  LinearOptions single_records = options;
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
      "bound "
      "{:.4g}); proved here for that noise: ({:.4g}, {:g}), gradients are at most {:.4g}",
      options.epsilon, delta.value(), course.noise, course.remark, course.gradient_bound,
      plan.guarantee.epsilon, plan.guarantee.delta, plan.clipping_norm);
  return plan;
}

// Clipping norm, number and size of the steps: what depends on the number of columns.
void resolve_course(GradientPlan& plan, const data::Schema& schema, std::int64_t columns,
                    bool standardised, privacy::Delta delta) {
  const auto& options = plan.options;
  const auto facts = model::properties(plan.loss);
  if (options.clipping_norm) {
    plan.clipping_norm = *options.clipping_norm;
  } else {
    auto choice =
        choose_clipping({.schema = schema,
                         .loss = plan.loss,
                         .outputs = plan.outputs,
                         .relative_noise = relative_noise(plan, columns, plan.one_release)});
    plan.clipping_norm = choice.norm;
    plan.reasons.push_back(std::move(choice.reason));
  }
  const auto& expected = standardised && facts.labels == model::Labels::numbers
                             ? for_standardised_numbers
                             : expectation(schema, plan.loss);
  const auto course = choose_course(options, plan,
                                    {.release_noise = plan.one_release * plan.clipping_norm /
                                                      static_cast<double>(plan.public_row_count),
                                     .columns = columns * plan.outputs,
                                     .norm_bound = schema.norm_bound(),
                                     .curvature = facts.curvature,
                                     .momentum = plan.momentum,
                                     .radius = expected.radius,
                                     .learnable = expected.learnable,
                                     .way = way_of(plan, expected, options) * options.path_share},
                                    delta, plan.reasons);
  plan.steps = course.steps;
  plan.step_size = course.step_size;
}

void resolve_units(GradientPlan& plan, const data::Schema& schema, const LinearOptions& options) {
  if (options.max_records_per_unit > 1 && !schema.unit) {
    throw base::UsageError(
        "max-records-per-unit needs a unit column in the schema; without one each record is a "
        "unit");
  }
  plan.max_records_per_unit = options.max_records_per_unit;
  if (schema.unit && plan.max_records_per_unit == 1) {
    plan.reasons.add(
        "records per unit 1: of each {} one record takes part, the others none; "
        "--max-records-per-unit "
        "takes more, and the noise grows with it",
        *schema.unit);
  }
}

// What is released before the steps, in words.
void explain_first_release(GradientPlan& plan, const data::Schema& schema,
                           const FirstShare& share) {
  const auto numbers = data::numeric_features(schema).size();
  if (share.standardise > 0 && numbers > 0) {
    plan.reasons.add(
        "a tenth of the budget's mu^2 for means and standard deviations of the {} numbers, which "
        "are then "
        "counted by them",
        numbers);
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

GradientPlan tight_plan(const data::Schema& schema, const LinearOptions& options) {
  if (options.steps.value_or(1) > max_gradient_steps) {
    throw base::UsageError("steps of method gradient must be 1 to {}, got {}", max_gradient_steps,
                           *options.steps);
  }
  GradientPlan plan;
  resolve_problem(plan, schema, options, {.shares = true, .softmax = true, .own = true});
  resolve_class_weights(plan, schema, options);
  plan.public_row_count = resolve_row_count(schema, options);
  const privacy::Delta delta = resolve_delta(schema, options, plan.public_row_count, plan.reasons);
  static_cast<Batches&>(plan) = resolve_batches(schema, options, plan.public_row_count);
  resolve_units(plan, schema, options);
  const double whole_budget = batch_noise({}, 1, options, delta);
  const auto share = share_of_first_release(schema, options, plan.public_row_count);
  plan.one_release = share.beside(whole_budget);
  plan.counts_categories =
      share.standardise > 0 && counts_categories(schema, options.standardise, plan.loss,
                                                 relative_noise(plan, plan.columns, whole_budget));
  const bool selects = share.feature_selection > 0;
  if (selects) plan.feature_selection_threshold = feature_selection_threshold(schema);
  explain_first_release(plan, schema, share);
  plan.momentum = options.momentum.value_or(default_momentum);
  plan.average = resolved_average(plan, schema, options);
  plan.averaging = options.averaging.value_or(Averaging::suffix);
  plan.mean_l2 = options.mean_l2.value_or(0);
  plan.radius = options.radius;
  plan.options = options;
  const auto columns = selects ? std::min(plan.columns, expected_kept) : plan.columns;
  resolve_course(plan, schema, columns, share.standardise > 0, delta);
  resolve_noise(plan, options, delta, share);
  plan.reasons.push_back(noise_reason(plan));
  return plan;
}

}  // namespace

GradientPlan on_selected_columns(const GradientPlan& plan, const data::Schema& narrowed) {
  GradientPlan kept = plan;
  kept.columns = narrowed.encoded_column_count();
  // The releases are booked: their number stays, and with it the noise of each.
  kept.options.steps = plan.steps;
  resolve_course(kept, narrowed, kept.columns, plan.standardise_noise > 0,
                 privacy::Delta(plan.guarantee.delta));
  write_settings(kept);
  return kept;
}

GradientPlan plan_gradient(const data::Schema& schema, const LinearOptions& options) {
  auto plan = options.paper() ? paper_plan(schema, options) : tight_plan(schema, options);
  write_settings(plan);
  return plan;
}

}  // namespace tacet::learn
