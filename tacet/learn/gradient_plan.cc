#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/learn/gradient.h"
#include "tacet/learn/settle.h"
#include "tacet/learn/step_rule.h"
#include "tacet/privacy/calibrate.h"
#include "tacet/privacy/composition.h"
#include "tacet/privacy/gaussian.h"
#include "tacet/random/source.h"
#include "tacet/random/subset.h"

namespace tacet::learn {
namespace {

constexpr double default_momentum = 0.9;
constexpr double default_average = 0.5;
// Per kind of target: the size of weights worth reaching, and how much a linear model typically
// lowers the loss. Margins of classes grow to about 20 before a linear model stops improving;
// numbers are scaled to [-1, 1]. docs/explanations/step-rule.md.
struct Expectation {
  double radius;
  double learnable;
};
constexpr Expectation for_classes{20, 0.4};
constexpr Expectation for_numbers{4, 0.03};
// Where a loss has no largest slope: the slope at the weights 0 for classes, and for numbers that
// of a residual of a quarter of the range (of half of it, if a quarter costs nothing).
double usual_slope(const model::Loss& loss) {
  const auto facts = model::properties(loss);
  if (!std::isinf(facts.slope_bound)) return facts.slope_bound;
  if (facts.classification) return -model::loss_slope(loss, 0, 1);
  const double quarter = model::loss_slope(loss, 0.5, 0);
  return quarter > 0 ? quarter : model::loss_slope(loss, 1, 0);
}

std::string clipping_reason(const model::Loss& loss, double norm, std::int64_t outputs) {
  const auto facts = model::properties(loss);
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

// The rate at which a record joins a step. 1, all records, unless a batch size is given.
double choose_rate(const data::Schema& schema, const LinearOptions& options,
                   std::int64_t row_count) {
  if (!options.batch_size) return 1;
  if (*options.batch_size > row_count) {
    throw base::UsageError(fmt::format("batch-size must be at most public_row_count = {}, got {}",
                                       row_count, *options.batch_size));
  }
  if (schema.unit) {
    throw base::UsageError(
        "batch-size samples single records, but the schema's unit column protects all records of "
        "a unit together; leave batch-size out to use all records in each step");
  }
  return random::PoissonRate::at_least(static_cast<double>(*options.batch_size) /
                                       static_cast<double>(row_count))
      .value();
}

// The noise multiplier of `steps` steps, rounded up until the accountant agrees.
double calibrate(std::int64_t steps, double rate, const LinearOptions& options,
                 privacy::Delta delta) {
  const privacy::Epsilon epsilon(options.epsilon);
  if (rate < 1) {
    return privacy::calibrate_noise({privacy::SamplingRate(rate), steps}, epsilon, delta,
                                    options.adjacency)
        .value();
  }
  return full_batch_noise(steps, epsilon, delta, options.adjacency);
}

struct Course {
  std::int64_t steps;
  double step_size;
};

// Passes over the data that minibatches make before the rule's path is long enough.
constexpr double batch_passes = 10;

Course choose_course(const LinearOptions& options, double rate, StepFacts facts,
                     privacy::Delta delta, std::vector<std::string>& reasons) {
  if (rate < 1) {
    // A smaller sample needs less noise a step but relatively more: the rule must know how much.
    const auto steps = options.steps.value_or(
        static_cast<std::int64_t>(std::clamp(std::ceil(batch_passes / rate), 100.0, 1e6)));
    const double noise = calibrate(steps, rate, options, delta) / rate;
    facts.release_noise *=
        noise / std::sqrt(static_cast<double>(steps)) / calibrate(1, 1, options, delta);
    const StepPlan rule = step_rule(facts);
    const double step_size =
        std::min(rule.path_length * (1 - facts.momentum) / static_cast<double>(steps),
                 longest_step(facts.curvature, facts.norm_bound));
    if (!options.steps || !options.step_size) {
      reasons.push_back(fmt::format("{} steps of size {:.4g} on samples of rate {:.4g}", steps,
                                    options.step_size.value_or(step_size), rate));
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
    reasons.push_back(fmt::format(
        "{} steps of size {:.4g}: the path length {:.4g} balances what is not yet learned "
        "against noise of deviation {:.3g} a coordinate of the mean gradient, whatever the "
        "number of steps",
        course.steps, course.step_size, rule.path_length, facts.release_noise));
  }
  return course;
}

// Every step reads one word a released number, and with minibatches at most one a record.
double cipher_delta(const GradientPlan& plan) {
  constexpr std::int64_t most_records = std::int64_t{1} << 32;
  const double noise = random::cipher_term(plan.steps, plan.columns * plan.outputs);
  return plan.rate < 1 ? noise + random::cipher_term(plan.steps, most_records) : noise;
}

void refuse_without_protection(const LinearOptions& options) {
  const std::pair<bool, std::string_view> given[] = {
      {options.delta.has_value(), "delta"},
      {options.steps.has_value(), "steps"},
      {options.step_size.has_value(), "step-size"},
      {options.momentum.has_value(), "momentum"},
      {options.clipping_norm.has_value(), "clipping-norm"},
      {options.average.has_value(), "average"},
      {options.batch_size.has_value(), "batch-size"},
      {options.radius.has_value(), "radius"},
      {options.records_a_unit != 1, "records-a-unit"}};
  for (const auto& [present, name] : given) {
    if (present) {
      throw base::UsageError(fmt::format(
          "{} has no meaning with epsilon inf, which computes the exact minimiser; leave it out",
          name));
    }
  }
}

GradientPlan unprotected_plan(const data::Schema& schema, const LinearOptions& options) {
  refuse_without_protection(options);
  GradientPlan plan;
  plan.loss = settle_loss(target_of(schema), options, plan.reasons);
  plan.reasons.emplace_back("epsilon inf: the exact minimiser, without any protection");
  plan.guarantee = {std::numeric_limits<double>::infinity(), 0, options.adjacency};
  plan.columns = schema.encoded_column_count();
  plan.outputs = outputs_of(target_of(schema));
  plan.l2 = options.l2;
  return plan;
}

}  // namespace

bool GradientPlan::unprotected() const { return std::isinf(guarantee.epsilon); }

GradientPlan plan_gradient(const data::Schema& schema, const LinearOptions& options) {
  if (std::isinf(options.epsilon)) return unprotected_plan(schema, options);
  GradientPlan plan;
  plan.loss = settle_loss(target_of(schema), options, plan.reasons);
  plan.public_row_count = settle_row_count(schema, options);
  plan.columns = schema.encoded_column_count();
  plan.outputs = outputs_of(target_of(schema));
  const privacy::Delta delta = settle_delta(options, plan.public_row_count, plan.reasons);
  plan.rate = choose_rate(schema, options, plan.public_row_count);
  if (options.records_a_unit > 1 && !schema.unit) {
    throw base::UsageError(
        "records-a-unit needs a unit column in the schema; without one each record is a unit");
  }
  plan.records_a_unit = options.records_a_unit;
  const auto facts = model::properties(plan.loss);
  const double norm_bound = schema.norm_bound();
  plan.clipping_norm = options.clipping_norm.value_or(usual_slope(plan.loss) * norm_bound);
  if (!options.clipping_norm) {
    plan.reasons.push_back(clipping_reason(plan.loss, plan.clipping_norm, plan.outputs));
  }
  plan.momentum = options.momentum.value_or(default_momentum);
  plan.average = options.average.value_or(default_average);
  plan.averaging = options.averaging;
  plan.l2 = options.l2;
  plan.radius = options.radius;
  const auto& expected = facts.classification ? for_classes : for_numbers;
  const Course course =
      choose_course(options, plan.rate,
                    {.release_noise = calibrate(1, 1, options, delta) * plan.clipping_norm /
                                      static_cast<double>(plan.public_row_count),
                     .columns = plan.columns * plan.outputs,
                     .norm_bound = norm_bound,
                     .curvature = facts.curvature,
                     .momentum = plan.momentum,
                     .radius = expected.radius,
                     .learnable = expected.learnable},
                    delta, plan.reasons);
  plan.steps = course.steps;
  plan.step_size = course.step_size;
  plan.noise_multiplier = calibrate(plan.steps, plan.rate, options, delta);
  plan.norm_bits = norm_bits_for(plan.noise_multiplier);
  plan.events =
      plan.rate < 1
          ? privacy::to_event({privacy::SamplingRate(plan.rate), plan.steps},
                              privacy::NoiseMultiplier(plan.noise_multiplier))
          : privacy::Event(privacy::Repeated{plan.steps, privacy::Gaussian{plan.noise_multiplier}});
  plan.guarantee = privacy::account(plan.events, options.adjacency, delta);
  plan.cipher_delta = cipher_delta(plan);
  check_cipher_room(delta, plan.cipher_delta);
  plan.reasons.push_back(
      plan.rate < 1
          ? fmt::format("noise multiplier {:.6g}: certified composition of {} steps on samples",
                        plan.noise_multiplier, plan.steps)
          : fmt::format("noise multiplier {:.6g}: exact Gaussian composition of {} steps",
                        plan.noise_multiplier, plan.steps));
  return plan;
}

}  // namespace tacet::learn
