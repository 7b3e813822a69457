#include "tacet/learn/gradient/gradient_course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "tacet/learn/plan/curves.h"
#include "tacet/learn/plan/step_rule.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::learn {
namespace {

std::string usual_reason(const model::Loss& loss, double norm, std::int64_t outputs) {
  const auto facts = model::properties(loss);
  if (facts.labels == model::Labels::shares && std::isinf(facts.slope_bound)) {
    return fmt::format("clipping norm {:g}: slopes of predictions above the largest count are cut",
                       norm);
  }
  if (std::isinf(facts.slope_bound)) {
    return facts.classification
               ? fmt::format("clipping norm {:g}: slopes beyond that of margin 0 are cut", norm)
               : fmt::format(
                     "clipping norm {:g}: residuals beyond a quarter of the target's range are cut",
                     norm);
  }
  return outputs > 1
             ? fmt::format("clipping norm {:g}: of the gradients of all classes together", norm)
             : fmt::format("clipping norm {:g}: no gradient of this loss is longer", norm);
}

ClippingChoice for_classes(double noise) {
  const double norm = std::clamp(0.5 * std::sqrt(0.01 / noise), 0.5, 1.0);
  return {norm, fmt::format("clipping norm {:.4g}: less noise for better decisions; probabilities "
                            "are drawn towards one half (`clipping_norm=1` keeps them)",
                            norm)};
}

ClippingChoice for_numbers(double noise) {
  const double norm = clipping_of_numbers(noise);
  // If the target's range is 2 wide, the slope is the residual.
  return {norm, fmt::format("clipping norm {:.4g}: residuals beyond {:.3g} of the target's range "
                            "are cut, for less noise",
                            norm, norm / 2)};
}

// Per kind of target: the size of weights worth reaching, and how much a linear model typically
// lowers the loss. Margins of classes grow to about 20 before a linear model stops improving;
// numbers are scaled to [-1, 1]. docs/explanations/step-rule.md.
// `average` is the share of the last iterates whose mean was taken when the constants were chosen.
constexpr double default_average = 0.4;
constexpr double last_half = 0.5;  // for units, and for several classes
struct Expectation {
  double radius;
  double learnable;
  double average = last_half;
};
constexpr Expectation path_of_classes{20, 0.4};
constexpr Expectation path_of_numbers{3, 0.03};
constexpr Expectation for_numbers_of_units{4, 0.03};
constexpr Expectation for_standardised_numbers{2.5, 0.03, default_average};

const Expectation& expectation(const data::Schema& schema, const model::Loss& loss) {
  const auto facts = model::properties(loss);
  if (facts.classification || facts.labels == model::Labels::shares) return path_of_classes;
  // Units were seen to lose by the smaller norm: docs/explanations/step-rule.md.
  return schema.unit ? for_numbers_of_units : path_of_numbers;
}

/// The factor on the path's length if another average is taken than when the constants were chosen.
/// The mean of the last share a of the iterates has come 1 - a/2 of the way.
double way_of(const GradientPlan& plan, const Expectation& expected) {
  if (plan.options.average || plan.averaging != Averaging::suffix) return 1;
  return (1 - expected.average / 2) / (1 - plan.average / 2);
}

// Passes over the data that minibatches make before the rule's path is long enough.
constexpr double batch_passes = 10;

Course course_on_samples(const GradientPlan& plan, const StepFacts& facts, Reasons& reasons) {
  const auto& options = plan.options;
  const auto steps = steps_on_samples(options, plan.rate);
  const StepPlan rule = step_rule(facts);
  const double step_size = std::min(
      rule.path_length * (1 - facts.momentum) / static_cast<double>(steps), rule.longest_step);
  if (!options.steps || !options.step_size) {
    reasons.add("{} steps of size {:.4g} on {} of rate {:.4g}", steps,
                options.step_size.value_or(step_size),
                plan.sampling == BatchSampling::partition ? "batches" : "samples", plan.rate);
  }
  return {.steps = steps, .step_size = options.step_size.value_or(step_size)};
}

Course course_on_all_records(const GradientOptions& options, const StepFacts& facts,
                             Reasons& reasons) {
  const StepPlan rule = step_rule(facts);
  Course course{.steps = options.steps.value_or(rule.steps),
                .step_size = options.step_size.value_or(rule.step_size)};
  const double keep = 1 - facts.momentum;
  if (options.steps && !options.step_size) {
    course.step_size =
        std::min(rule.path_length * keep / static_cast<double>(course.steps), rule.longest_step);
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

Course course_with_curves(const GradientPlan& plan, Reasons& reasons) {
  const auto& options = plan.options;
  const double whole = plan.one_release * std::sqrt(1 - standardise_share - whitening_share);
  const auto rule = curve_rule(curve_noise(whole, plan.public_row_count));
  const double clipping = options.clipping_norm.value_or(rule.clipping_norm);
  const auto steps = options.steps.value_or(rule.steps);
  const double step_size =
      options.step_size.value_or(rule.path * (1 - plan.momentum) / static_cast<double>(steps));
  reasons.add(
      "clipping norm {:.4g}: residuals beyond {:.4g} standard deviations of the target are cut",
      clipping, clipping);
  reasons.add("{} steps of size {:.4g}: a path of length {:.4g}", steps, step_size,
              static_cast<double>(steps) * step_size / (1 - plan.momentum));
  if (rule.line_rate != 1) {
    reasons.add(
        "steps {:.3g} times as long for the line and {:.3g} times as long for curves, which gather "
        "more noise than they learn on a long path",
        rule.line_rate, rule.curve_rate);
  }
  return {.clipping_norm = clipping,
          .steps = steps,
          .step_size = step_size,
          .line_rate = rule.line_rate,
          .curve_rate = rule.curve_rate};
}

}  // namespace

double clipping_of_numbers(double relative_noise) {
  return std::clamp(0.25 * std::pow(0.005 / relative_noise, 0.3), 0.125, 0.5);
}

ClippingChoice choose_clipping(const ClippingFacts& facts) {
  const double bound = facts.schema.norm_bound();
  const double usual = model::usual_slope(facts.loss) * bound;
  const ClippingChoice as_ever{usual, usual_reason(facts.loss, usual, facts.outputs)};
  if (facts.outputs > 1 || facts.schema.unit) return as_ever;
  if (std::holds_alternative<model::SquaredLoss>(facts.loss)) {
    return for_numbers(facts.relative_noise);
  }
  if (!std::holds_alternative<model::LogisticLoss>(facts.loss)) return as_ever;
  const auto choice = for_classes(facts.relative_noise);
  return choice.norm < usual ? choice : as_ever;
}

double usual_average(const data::Schema& schema, std::int64_t outputs) {
  return schema.unit || outputs > 1 ? last_half : default_average;
}

std::int64_t steps_on_samples(const GradientOptions& options, double rate) {
  return options.steps.value_or(
      static_cast<std::int64_t>(std::clamp(std::ceil(batch_passes / rate), 100.0, 1e6)));
}

CourseChoice choose_course(const GradientPlan& plan, const data::Schema& schema,
                           const CourseFacts& facts) {
  CourseChoice choice;
  if (schema.curves) {
    choice.course = course_with_curves(plan, choice.reasons);
    return choice;
  }
  const auto loss = model::properties(plan.loss);
  auto clipping = plan.options.clipping_norm;
  if (!clipping) {
    auto chosen =
        choose_clipping({.schema = schema,
                         .loss = plan.loss,
                         .outputs = plan.outputs,
                         .relative_noise = plan.relative_noise(facts.columns, plan.one_release)});
    clipping = chosen.norm;
    choice.reasons.push_back(std::move(chosen.reason));
  }
  const auto& expected = facts.standardised && loss.labels == model::Labels::numbers
                             ? for_standardised_numbers
                             : expectation(schema, plan.loss);
  const StepFacts of_steps{.release_noise = plan.one_release * *clipping /
                                            static_cast<double>(plan.public_row_count) *
                                            facts.on_samples,
                           .columns = facts.columns * plan.outputs,
                           .norm_bound = schema.norm_bound(),
                           .curvature = loss.curvature,
                           .momentum = plan.momentum,
                           .radius = expected.radius,
                           .learnable = expected.learnable,
                           .way = way_of(plan, expected) * plan.path_share};
  choice.course = plan.sampling == BatchSampling::full
                      ? course_on_all_records(plan.options, of_steps, choice.reasons)
                      : course_on_samples(plan, of_steps, choice.reasons);
  choice.course.clipping_norm = *clipping;
  return choice;
}

}  // namespace tacet::learn
