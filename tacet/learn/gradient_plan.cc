#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/learn/gradient.h"
#include "tacet/learn/step_rule.h"
#include "tacet/privacy/composition.h"
#include "tacet/privacy/gaussian.h"

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
constexpr double residual_norm = 0.5;  // clipping norm of the squared loss: a quarter of the range
constexpr int finest_bits = 30;
constexpr int coarsest_bits = 14;

const data::Target& target_of(const data::Schema& schema) {
  if (!schema.target) {
    throw base::UsageError("the schema names no target; add a [target] table to train");
  }
  return *schema.target;
}

model::Loss choose_loss(const data::Target& target, const LinearOptions& options,
                        std::vector<std::string>& reasons) {
  if (target.class_count() > 2) {
    throw base::UsageError("gradient trains on two classes or a number, and the target has " +
                           std::to_string(target.class_count()) +
                           " classes; declare one of them `positive` and the others `negative`");
  }
  if (!options.loss) {
    reasons.push_back(target.regression() ? "loss squared: the target is a number"
                                          : "loss logistic: the target has two classes");
    return target.regression() ? model::Loss{model::SquaredLoss{}}
                               : model::Loss{model::LogisticLoss{}};
  }
  if (model::properties(*options.loss).classification == target.regression()) {
    throw base::UsageError(fmt::format("loss {} is for {}, but the target {} is {}",
                                       model::loss_name(*options.loss),
                                       target.regression() ? "classes" : "numbers", target.column,
                                       target.regression() ? "a number" : "a class"));
  }
  return *options.loss;
}

std::int64_t choose_row_count(const data::Schema& schema, const LinearOptions& options) {
  if (options.public_row_count) return *options.public_row_count;
  if (schema.public_row_count) return *schema.public_row_count;
  throw base::UsageError(fmt::format(
      "public_row_count is missing: under {} tacet never uses the true number of records to set "
      "noise and steps; declare the number, or a public guess of it, in the schema or with "
      "--public-row-count",
      privacy::to_string(options.adjacency)));
}

// The multiplier z at which T steps are mu-GDP with mu = distance sqrt(T) / z, rounded up until the
// accountant agrees.
double calibrate(std::int64_t steps, const LinearOptions& options, privacy::Delta delta) {
  const double mu = privacy::gaussian::mu_for(privacy::Epsilon(options.epsilon), delta);
  double z =
      privacy::distance_factor(options.adjacency) * std::sqrt(static_cast<double>(steps)) / mu;
  if (!(z > 0) || !std::isfinite(z)) {
    throw base::GuaranteeError(
        fmt::format("no finite noise gives epsilon {} at delta {}; ask for more", options.epsilon,
                    delta.value()));
  }
  const auto cost = [&] {
    return privacy::epsilon(privacy::Repeated{steps, privacy::Gaussian{z}}, options.adjacency,
                            delta);
  };
  while (cost() > options.epsilon) z *= 1 + 4 * std::numeric_limits<double>::epsilon();
  return z;
}

int choose_norm_bits(double noise_multiplier) {
  const int bits =
      std::min(finest_bits, static_cast<int>(std::floor(32 - std::log2(noise_multiplier))));
  if (bits < coarsest_bits) {
    throw base::NumericError(fmt::format(
        "a noise multiplier of {:.4g} leaves fewer than 2^14 grid units for the clipping norm, too "
        "coarse to learn from; ask for fewer steps, a larger epsilon or a larger delta",
        noise_multiplier));
  }
  return bits;
}

struct Course {
  std::int64_t steps;
  double step_size;
};

Course choose_course(const LinearOptions& options, const StepFacts& facts,
                     std::vector<std::string>& reasons) {
  const StepPlan rule = step_rule(facts);
  Course course{options.steps.value_or(rule.steps), options.step_size.value_or(rule.step_size)};
  const double keep = 1 - facts.momentum;
  if (options.steps && !options.step_size) {
    const double smooth = std::isinf(facts.curvature) ? 1.0 : facts.curvature;
    course.step_size = std::min(rule.path_length * keep / static_cast<double>(course.steps),
                                1.875 / (smooth * facts.norm_bound * facts.norm_bound));
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

GradientPlan unprotected_plan(const data::Schema& schema, const LinearOptions& options) {
  std::vector<std::string> reasons;
  const model::Loss loss = choose_loss(target_of(schema), options, reasons);
  reasons.emplace_back("epsilon inf: the exact minimiser, without any protection");
  return {.loss = loss,
          .guarantee = {std::numeric_limits<double>::infinity(), 0, options.adjacency},
          .events = privacy::no_event(),
          .public_row_count = 0,
          .columns = schema.encoded_column_count(),
          .clipping_norm = 0,
          .noise_multiplier = 0,
          .norm_bits = 0,
          .steps = 0,
          .step_size = 0,
          .momentum = 0,
          .average = 0,
          .reasons = std::move(reasons)};
}

}  // namespace

bool GradientPlan::unprotected() const { return std::isinf(guarantee.epsilon); }

GradientPlan plan_gradient(const data::Schema& schema, const LinearOptions& options) {
  if (std::isinf(options.epsilon)) return unprotected_plan(schema, options);
  std::vector<std::string> reasons;
  const model::Loss loss = choose_loss(target_of(schema), options, reasons);
  const auto facts = model::properties(loss);
  const std::int64_t row_count = choose_row_count(schema, options);
  if (!options.delta) {
    reasons.push_back(fmt::format("delta {:g}: the largest power of ten below 1/{}^1.1",
                                  default_delta(row_count), row_count));
  }
  const privacy::Delta delta(options.delta.value_or(default_delta(row_count)));
  const double norm_bound = schema.norm_bound();
  const double natural_norm =
      std::isinf(facts.slope_bound) ? residual_norm : facts.slope_bound * norm_bound;
  const double clipping_norm = options.clipping_norm.value_or(natural_norm);
  if (!options.clipping_norm) {
    reasons.push_back(
        std::isinf(facts.slope_bound)
            ? "clipping norm 0.5: residuals beyond a quarter of the target's range are cut"
            : fmt::format("clipping norm {:g}: no gradient of this loss is longer", clipping_norm));
  }
  const double momentum = options.momentum.value_or(default_momentum);
  const double one_release = calibrate(1, options, delta);
  const Course course =
      choose_course(options,
                    {.release_noise = one_release * clipping_norm / static_cast<double>(row_count),
                     .columns = schema.encoded_column_count(),
                     .norm_bound = norm_bound,
                     .curvature = facts.curvature,
                     .momentum = momentum,
                     .radius = (facts.classification ? for_classes : for_numbers).radius,
                     .learnable = (facts.classification ? for_classes : for_numbers).learnable},
                    reasons);
  const double z = calibrate(course.steps, options, delta);
  const privacy::Event events = privacy::Repeated{course.steps, privacy::Gaussian{z}};
  reasons.push_back(fmt::format("noise multiplier {:.6g}: exact Gaussian composition of {} steps",
                                z, course.steps));
  return {.loss = loss,
          .guarantee = privacy::account(events, options.adjacency, delta),
          .events = events,
          .public_row_count = row_count,
          .columns = schema.encoded_column_count(),
          .clipping_norm = clipping_norm,
          .noise_multiplier = z,
          .norm_bits = choose_norm_bits(z),
          .steps = course.steps,
          .step_size = course.step_size,
          .momentum = momentum,
          .average = options.average.value_or(default_average),
          .reasons = std::move(reasons)};
}

}  // namespace tacet::learn
