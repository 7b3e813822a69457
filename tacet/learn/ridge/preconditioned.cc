#include "tacet/learn/ridge/preconditioned.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/learn/gradient/clipping_rule.h"
#include "tacet/learn/gradient/gradient_batches.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/learn/plan/unit_draw.h"
#include "tacet/learn/ridge/gram_spectrum.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/weighted_gaussian.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

constexpr std::int64_t gram_leaves = 2;  // of noise: the diagonal, beside it
constexpr double failure = 0.05;         // of a bound of noise, which is about utility alone
constexpr double largest_weight = 1e12;
constexpr double few_records = 120;  // times mu: below, plain descent was better

/// What the budget is spent on, and how.
struct Course {
  double gram_share;  ///< of mu^2
  std::int64_t steps;
  double step_size;
  double average;
};
// docs/methods/preconditioned.md says on which data these were chosen.
constexpr Course ours{.gram_share = 0.25, .steps = 60, .step_size = 0.5, .average = 0.5};
// Algorithm 2 of Tang et al. (2023): the last iterate of whole steps.
constexpr Course tang{.gram_share = 0.5, .steps = 20, .step_size = 1, .average = 0};

const Course& course_of(const PreconditionedPlan& plan) {
  return plan.calibration == Calibration::tight ? ours : tang;
}

void check_problem(const PreconditionedPlan& plan, const LinearOptions& options) {
  if (plan.columns > optimize::most_gram_columns) {
    throw base::UsageError(fmt::format(
        "method preconditioned releases a matrix of all pairs of columns, and {} columns are more "
        "than the {} there is room for; project them (--projection countsketch --projection-width "
        "1024), or use --method gradient",
        plan.columns, optimize::most_gram_columns));
  }
  if (std::isinf(model::properties(plan.loss).curvature)) {
    throw base::UsageError(fmt::format(
        "method preconditioned needs a loss with a bounded second derivative, which {} has not; "
        "use --method gradient, or a smoothed loss",
        model::loss_name(plan.loss)));
  }
  if (options.paper() && !std::holds_alternative<model::SquaredLoss>(plan.loss)) {
    throw base::UsageError("--calibration tang2023 is about the squared loss; use tight");
  }
}

/// Two parts of one mu^2, raised by rounding errors until the accountant agrees.
void settle_noise(PreconditionedPlan& plan, const LinearOptions& options, privacy::Delta left,
                  double norm_bound) {
  const double share = course_of(plan).gram_share;
  const privacy::Epsilon epsilon(options.epsilon);
  plan.gram_noise_multiplier =
      full_batch_noise(1, epsilon, left, options.adjacency) / std::sqrt(share);
  plan.noise_multiplier =
      full_batch_noise(plan.steps, epsilon, left, options.adjacency) / std::sqrt(1 - share);
  const auto events = [&] {
    return gradient_events({}, plan.steps, plan.noise_multiplier, plan.gram_noise_multiplier);
  };
  constexpr double up = 1 + 4 * std::numeric_limits<double>::epsilon();
  while (accounting::epsilon(events(), options.adjacency, left) > options.epsilon) {
    plan.gram_noise_multiplier *= up;
    plan.noise_multiplier *= up;
  }
  if (plan.gram_noise_multiplier >
      optimize::largest_gram_multiplier(norm_bound, false, options.adjacency)) {
    throw base::NumericError(fmt::format(
        "a noise multiplier of {:.4g} is wider than the sampler's grid beside squares of features, "
        "and nothing would be left of them; ask for a larger epsilon or delta",
        plan.gram_noise_multiplier));
  }
  plan.norm_bits = norm_bits_for(plan.noise_multiplier);
  plan.gram_noise = plan.gram_noise_multiplier *
                    optimize::gram_noise(norm_bound, false, options.adjacency).diagonal;
  plan.events = events();
}

void settle_clipping(PreconditionedPlan& plan, const data::Schema& schema,
                     const LinearOptions& options, privacy::Delta delta) {
  const double norm_bound = schema.norm_bound();
  const bool squared = std::holds_alternative<model::SquaredLoss>(plan.loss);
  if (options.clipping_norm) {
    plan.clipping_norm = *options.clipping_norm;
  } else if (options.paper()) {
    plan.clipping_norm = norm_bound;  // residuals of 1
  } else if (squared && plan.outputs == 1) {
    const double one =
        full_batch_noise(1, privacy::Epsilon(options.epsilon), delta, options.adjacency) /
        std::sqrt(1 - course_of(plan).gram_share);
    const double relative = std::sqrt(static_cast<double>(plan.columns)) * one /
                            static_cast<double>(plan.public_row_count);
    plan.clipping_norm = clipping_of_numbers(relative) * norm_bound;
  } else {
    // Half of the range of slopes between the classes.
    const double half = squared ? 1.0 : std::min(usual_slope(plan.loss), 0.5);
    plan.clipping_norm = half * norm_bound;
  }
  plan.reasons.push_back(
      fmt::format("clipping norm {:.4g}: slopes beyond {:.4g} are cut, for less "
                  "noise",
                  plan.clipping_norm, plan.clipping_norm / norm_bound));
}

void settle_reasons(PreconditionedPlan& plan, const LinearOptions& options, privacy::Delta delta) {
  plan.reasons.push_back(fmt::format(
      "{:g} of the budget's mu^2 for the products of the columns, the rest for {} steps of {:g} of "
      "Newton's, their noise multiplier {:.6g}",
      course_of(plan).gram_share, plan.steps, plan.step_size, plan.noise_multiplier));
  const double records = static_cast<double>(plan.public_row_count) *
                         accounting::gaussian::mu_for(privacy::Epsilon(options.epsilon), delta);
  if (records < few_records) {
    plan.reasons.push_back(fmt::format(
        "records times mu is {:.3g}: below about {:g} --method gradient is usually better", records,
        few_records));
  }
}

void settle_settings(PreconditionedPlan& plan) {
  auto& settings = plan.settings = first_settings(plan, {.receipt = false});
  settings.push_back({"outputs", plan.outputs, {.table = plan.outputs > 1}});
  settings.push_back({"gram_noise_multiplier", plan.gram_noise_multiplier});
  settings.push_back({"gram_noise", plan.gram_noise, {.receipt = false}});
  settings.push_back({"clipping_norm", plan.clipping_norm});
  settings.push_back({"noise_multiplier", plan.noise_multiplier});
  settings.push_back({"norm_bits", std::int64_t{plan.norm_bits}, {.table = false, .json = false}});
  settings.push_back({"steps", plan.steps});
  settings.push_back({"step_size", plan.step_size});
  settings.push_back({"average", plan.average});
  add_claim(settings, plan.claim);
}

Eigen::MatrixXd inverse_of(const GramSpectrum& spectrum, const PreconditionedPlan& plan) {
  const double bound = spectral_noise_bound(plan.gram_noise, plan.columns, failure);
  const auto& w = spectrum.eigenvalues;
  const Eigen::VectorXd raised =
      plan.calibration == Calibration::tight
          ? Eigen::VectorXd(w.cwiseMax(0).array() + bound / 2)
          : Eigen::VectorXd(
                penalised_gains(spectrum, wang2018_penalty(w[0], bound), bound).cwiseInverse());
  const Eigen::VectorXd inverse =
      raised.cwiseInverse() * (plan.step_size / model::properties(plan.loss).curvature);
  return spectrum.directions * inverse.asDiagonal() * spectrum.directions.transpose();
}

}  // namespace

PreconditionedPlan plan_preconditioned(const data::Schema& schema, const LinearOptions& options) {
  PreconditionedPlan plan;
  settle_problem(plan, schema, options);
  settle_class_weights(plan, schema, options);
  if (options.paper()) plan.calibration = Calibration::tang2023;
  check_problem(plan, options);
  plan.public_row_count = settle_row_count(schema, options);
  const privacy::Delta delta = settle_delta(schema, options, plan.public_row_count, plan.reasons);
  const auto& course = course_of(plan);
  plan.steps = options.steps.value_or(course.steps);
  if (plan.steps > most_gradient_steps) {
    throw base::UsageError(fmt::format("steps of method preconditioned must be 1 to {}, got {}",
                                       most_gradient_steps, plan.steps));
  }
  plan.step_size = options.step_size.value_or(course.step_size);
  plan.average = options.average.value_or(course.average);
  settle_clipping(plan, schema, options, delta);
  const auto values = optimize::GramShape{plan.columns, 0}.values();
  plan.cipher_delta = random::cipher_term(gram_leaves, static_cast<std::int64_t>(values)) +
                      random::cipher_term(plan.steps, plan.columns * plan.outputs);
  settle_unit_draw(plan, schema);
  settle_noise(plan, options, settle_delta_left(options, delta.value(), plan.cipher_delta),
               schema.norm_bound());
  settle_guarantee(plan, options, delta.value());
  settle_reasons(plan, options, delta);
  if (options.paper()) {
    plan.claim = privacy::Guarantee{options.epsilon, delta.value(), options.adjacency};
  }
  settle_settings(plan);
  add_unit_draw(plan, schema);
  return plan;
}

TrainedModel train_preconditioned(const data::Dataset& dataset, const data::Schema& schema,
                                  const PreconditionedPlan& plan, const TrainingMeans& means) {
  check_shape(dataset, schema, plan);
  if (schema.unit && means.reducer.size() > 1) {
    throw base::UsageError(
        "the method preconditioned draws one record of each unit in one process; use the method "
        "gradient");
  }
  const auto drawn = drawn_records(dataset, schema, means);
  const auto& records = drawn ? *drawn : dataset;
  const auto released = mechanism::release_gaussian(
      optimize::gram_sum(records, 0, plan.guarantee.adjacency, means.threads, means.reducer),
      privacy::NoiseMultiplier(plan.gram_noise_multiplier),
      {.step = static_cast<std::uint64_t>(plan.steps)}, means.source, means.reservation);
  const Eigen::MatrixXd inverse =
      inverse_of(gram_spectrum(released.value(), {plan.columns, 0}), plan);

  const double norm_bound = schema.norm_bound();
  const optimize::GradientSum sums(records, plan.loss, plan.outputs,
                                   {.clipping_norm = plan.clipping_norm,
                                    .norm_bits = plan.norm_bits,
                                    .slope_bound = plan.clipping_norm / norm_bound,
                                    .class_weights = plan.class_weights},
                                   means.threads, means.reducer);
  Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(plan.columns, plan.outputs);
  Eigen::MatrixXd mean = weights;
  const auto last =
      std::max<std::int64_t>(1, std::llround(plan.average * static_cast<double>(plan.steps)));
  for (std::int64_t step = 0; step < plan.steps; ++step) {
    means.supervision.step("training", step, plan.steps);
    const auto gradient =
        mechanism::release_gaussian(
            sums.at({weights.data(), static_cast<std::size_t>(weights.size())}),
            privacy::NoiseMultiplier(plan.noise_multiplier),
            {.step = static_cast<std::uint64_t>(step)}, means.source, means.reservation)
            .value();
    weights -=
        inverse * Eigen::Map<const Eigen::MatrixXd>(gradient.data(), plan.columns, plan.outputs);
    weights = weights.cwiseMin(largest_weight).cwiseMax(-largest_weight);
    if (step >= plan.steps - last) mean += weights / static_cast<double>(last);
  }
  means.supervision.step("training", plan.steps, plan.steps);
  return finish(plan, schema, means, {{mean.data(), mean.data() + mean.size()}});
}

namespace {

privacy::Event recorded_events(const privacy::Receipt& receipt, RecordedParameters& parameters,
                               const privacy::Event&) {
  expect_sampling(receipt, "full_batch");
  expect_unit_draw(parameters);
  expect_claim(parameters, receipt);
  const double noise = recorded_noise(parameters);
  const double gram_noise = parameters.real("gram_noise_multiplier");
  if (!(gram_noise > 0 && std::isfinite(gram_noise))) {
    contradiction("the noise multiplier of the matrix is not above 0");
  }
  const auto steps = parameters.count("steps");
  if (steps < 1 || steps > most_gradient_steps) {
    contradiction("the method takes 1 to a million steps");
  }
  return gradient_events({}, steps, noise, gram_noise);
}

constexpr std::array<std::string_view, 10> options{
    "steps",         "step-size",   "average",    "clipping-norm",    "knots",
    "class-weights", "calibration", "projection", "projection-width", "projection-seed"};
constexpr std::array papers{Calibration::tang2023};

}  // namespace

constinit const Method preconditioned_method{"preconditioned",
                                             "noisy gradient descent along a released Gram matrix",
                                             privacy::Adjacency::add_remove,
                                             options,
                                             planned_by<plan_preconditioned, train_preconditioned>,
                                             recorded_events,
                                             true,
                                             UnitProtection::drawn,
                                             papers};

}  // namespace tacet::learn
