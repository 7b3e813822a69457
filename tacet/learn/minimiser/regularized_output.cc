#include "tacet/learn/minimiser/regularized_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/gradient_diameter.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/learn/plan/settled_training.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/solver/local_minimum.h"
#include "tacet/random/noise/vector_laplace.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

using privacy::Adjacency;
using privacy::Delta;
using privacy::Epsilon;

constexpr double radius_for_classes = 20;  // margins of classes grow to about this
constexpr double norm_for_classes = 5;  // where a penalty has to be paid for: 0.7% of loss is left
constexpr double radius_for_numbers = 4;                         // numbers are scaled to [-1, 1]
constexpr double mean_absolute_normal = 0.79788456080286535588;  // sqrt(2 / pi)
constexpr double most_steps = 1000;  // of descent; beyond it Newton's method is faster

optimize::GlmLoss solver_loss(const RegularizedOutputPlan& plan) {
  const auto facts = model::properties(plan.loss);
  return std::isfinite(facts.slope_bound)
             ? optimize::GlmLoss(plan.loss, plan.smoothing_width)
             : optimize::GlmLoss(plan.loss, plan.smoothing_width, plan.slope_bound);
}

optimize::LocalProblem problem_of(const RegularizedOutputPlan& plan, std::int64_t rows) {
  return {.loss = solver_loss(plan),
          .rows = {0, rows},
          .sum_l2 = plan.regularization,
          .domain = optimize::Ball{plan.radius},
          .gradient_share = plan.gradient_share,
          .steps = plan.steps,
          .tolerance = plan.solver_tolerance};
}

// A record's share of the gradient: under replace_one half of the distance between two gradients.
double gradient_share(const RegularizedOutputPlan& plan, double norm_bound) {
  const double lipschitz = plan.slope_bound * norm_bound;
  if (plan.guarantee.adjacency != Adjacency::replace_one) return lipschitz;
  const double diameter = gradient_diameter(
      plan.loss, {.columns = plan.columns, .norm_bound = norm_bound, .radius = plan.radius},
      plan.guarantee.adjacency);
  return std::min(lipschitz, 0.5 * diameter * (1 + 0x1p-50));
}

// The ratio of a record's distance to the noise's deviation that the guarantee allows; for pure
// privacy a coordinate's deviation is scale sqrt(d + 1).
double allowed_mu(const RegularizedOutputPlan& plan) {
  const Epsilon epsilon(plan.guarantee.epsilon);
  if (plan.pure()) {
    return epsilon.value() / std::sqrt(static_cast<double>(plan.columns) + 1);
  }
  return accounting::gaussian::mu_for(epsilon, Delta(plan.guarantee.delta));
}

void settle_regularization(RegularizedOutputPlan& plan, const LinearOptions& options,
                           double norm_bound, bool regression) {
  const double rows = static_cast<double>(plan.public_row_count);
  const double wanted =
      options.radius.value_or(regression ? radius_for_numbers : radius_for_classes);
  const double expected =
      options.radius.value_or(regression ? radius_for_numbers : norm_for_classes);
  const auto facts = model::properties(plan.loss);
  plan.radius = wanted;
  // One round with the wanted radius, one with what the regularization makes of it.
  for (int round = 0; round < 2; ++round) {
    plan.slope_bound = model::slope_bound_within(plan.loss, plan.radius * norm_bound);
    plan.regularization =
        options.l2 > 0 ? options.l2 * rows
                       : rows * optimal_regularization(
                                    {.rows = rows,
                                     .norm_bound = norm_bound,
                                     .slope = plan.slope_bound,
                                     .curvature = facts.curvature,
                                     .radius = expected,
                                     .distance = privacy::distance_factor(plan.guarantee.adjacency),
                                     .mu = allowed_mu(plan)});
    // The minimiser has |w|^2 <= n loss(0) / Lambda: for a public n alone.
    if (plan.guarantee.adjacency != Adjacency::add_remove) {
      plan.radius = std::min(
          wanted, std::sqrt(rows * model::largest_loss_at_zero(plan.loss) / plan.regularization));
    }
  }
  if (options.l2 == 0) {
    plan.reasons.push_back(
        fmt::format("l2 {:.6g}: balances the noise and the bias for weights of norm {:g}",
                    plan.regularization / rows, expected));
  }
  plan.slope_bound = model::slope_bound_within(plan.loss, plan.radius * norm_bound);
  plan.gradient_share = gradient_share(plan, norm_bound);
}

void settle_solver(RegularizedOutputPlan& plan, double norm_bound) {
  const double rows = static_cast<double>(plan.public_row_count);
  const double distance = privacy::distance_factor(plan.guarantee.adjacency);
  const double share = plan.gradient_share / plan.regularization;
  const double deviation = distance * share / allowed_mu(plan);  // of one coordinate, about
  if (model::can_be_smoothed(plan.loss)) {
    // Smoothing a kink on this width costs at most a twentieth of what the noise costs anyway.
    plan.smoothing_width = std::max(1e-3, 0.1 * norm_bound * deviation * mean_absolute_normal);
    plan.reasons.push_back(
        fmt::format("loss smoothed on a width of {:.4g}, small beside the noise on predictions",
                    plan.smoothing_width));
  }
  const double curvature = solver_loss(plan).curvature_bound();
  const double kappa = 1 + rows * curvature * norm_bound * norm_bound / plan.regularization;
  const double start = std::min(plan.radius, rows * share);
  const double noise = deviation * std::sqrt(static_cast<double>(plan.columns));
  const double wanted =
      std::ceil(0.5 * (kappa + 1) * std::log(std::max(std::exp(1.0), 20 * start / noise)));
  if (plan.guarantee.adjacency != Adjacency::add_remove && wanted <= most_steps) {
    plan.steps = static_cast<std::int64_t>(std::max(1.0, wanted));
    plan.reasons.push_back(
        fmt::format("{} steps of descent: the minimum to a twentieth of the noise", plan.steps));
    return;
  }
  constexpr double part = 1e-4;      // of a record's share
  constexpr double least = 0x1p-45;  // of the radius: what doubles can certify
  plan.solver_tolerance = std::max(part * share, least * plan.radius);
  optimize::check_fallback_work({.rows = plan.public_row_count,
                                 .norm_bound = norm_bound,
                                 .curvature = curvature,
                                 .sum_l2 = plan.regularization,
                                 .distance = 2 * plan.radius,
                                 .tolerance = plan.solver_tolerance});
}

std::vector<Setting> settings_of(const RegularizedOutputPlan& plan) {
  auto settings = loss_settings(plan.loss);
  settings.push_back({"columns", plan.columns});
  settings.push_back({"public_row_count", plan.public_row_count});
  settings.push_back({"l2", plan.regularization / static_cast<double>(plan.public_row_count)});
  settings.push_back({"regularization", plan.regularization, false});
  settings.push_back({"radius", plan.radius});
  settings.push_back({"slope_bound", plan.slope_bound});
  settings.push_back({"gradient_share", plan.gradient_share, false});
  settings.push_back({"smoothing_width", plan.smoothing_width, plan.smoothing_width > 0});
  settings.push_back({"noise_multiplier", plan.noise_multiplier, !plan.pure()});
  settings.push_back({"noise", plan.noise});
  settings.push_back({"steps", plan.steps, plan.steps > 0});
  settings.push_back({"solver_tolerance", plan.solver_tolerance, plan.steps == 0});
  return settings;
}

}  // namespace

double optimal_regularization(const OutputNoiseFacts& facts) {
  const double sensitivity =  // lambda times the noise's deviation
      facts.distance * facts.slope * facts.norm_bound / (facts.rows * facts.mu);
  const double square = facts.radius * facts.radius;
  const double lipschitz =
      std::sqrt(2 * mean_absolute_normal * facts.slope * facts.norm_bound * sensitivity / square);
  if (std::isinf(facts.curvature)) return lipschitz;
  const double smooth = std::cbrt(2 * facts.curvature * facts.norm_bound * facts.norm_bound *
                                  sensitivity * sensitivity / square);
  // Predicted costs at their optima: 3/4 smooth R^2 and lipschitz R^2.
  return 0.75 * smooth <= lipschitz ? smooth : lipschitz;
}

RegularizedOutputPlan plan_regularized_output(const data::Schema& schema,
                                              const LinearOptions& options) {
  RegularizedOutputPlan plan;
  const auto& target = target_of(schema);
  plan.loss = settle_loss(target, options, plan.reasons);
  if (target.class_count() > 2) {
    throw base::GuaranteeError(
        "regularized-output is proved for one output; use --method gradient, which takes any "
        "number of classes");
  }
  if (schema.unit) {
    throw base::GuaranteeError(
        "regularized-output protects single records, but the schema's unit column protects all "
        "records of a unit together; use --method gradient");
  }
  plan.public_row_count = settle_row_count(schema, options);
  plan.columns = schema.encoded_column_count();
  const bool pure = options.delta == 0.0;
  const double delta =
      pure ? 0 : settle_delta(options, plan.public_row_count, plan.reasons).value();
  plan.guarantee = {options.epsilon, delta, options.adjacency};
  plan.cipher_delta =
      random::cipher_term(1, pure ? random::l2_laplace_words * plan.columns : plan.columns);
  const Delta left = settle_delta_left(options, delta, plan.cipher_delta);

  const double norm_bound = schema.norm_bound();
  settle_regularization(plan, options, norm_bound, target.regression());
  settle_solver(plan, norm_bound);
  const double share =
      optimize::local_share(problem_of(plan, plan.public_row_count), norm_bound, plan.columns);
  if (pure) {
    const auto epsilon = settle_pure_epsilon(options);
    const double multiplier = privacy::distance_factor(options.adjacency) / epsilon.value();
    check_share_noise(ShareNoise::laplace, multiplier, plan.columns);
    plan.noise = privacy::distance_factor(options.adjacency) * share / epsilon.value();
    plan.events = mechanism::l2_laplace_event(epsilon, options.adjacency);
  } else {
    plan.noise_multiplier = full_batch_noise(1, Epsilon(options.epsilon), left, options.adjacency);
    plan.noise = plan.noise_multiplier * share;
    check_share_noise(ShareNoise::gaussian, plan.noise_multiplier, plan.columns);
    plan.events = privacy::Gaussian{plan.noise_multiplier};
  }
  plan.guarantee = settle_guarantee(plan.events, options, delta, plan.cipher_delta);
  return plan;
}

TrainedModel train_regularized_output(const data::Dataset& dataset, const data::Schema& schema,
                                      const RegularizedOutputPlan& plan,
                                      const TrainingMeans& means) {
  if (dataset.columns() != plan.columns || dataset.norm_bound() > schema.norm_bound()) {
    throw base::InternalError("the data set and the plan differ in their columns or bounds");
  }
  if (plan.guarantee.adjacency != Adjacency::add_remove) {
    check_row_count(dataset, plan.public_row_count, means);
  }
  if (means.reducer.size() > 1) {
    throw base::UsageError(
        "the method regularized-output needs all records in one process; use the method gradient");
  }
  auto minimum = optimize::local_minimum(dataset, problem_of(plan, dataset.rows()), means.threads,
                                         means.supervision);
  const auto released =
      plan.pure() ? mechanism::release_l2_laplace(
                        std::move(minimum), Epsilon(plan.events.as<privacy::PureDp>()->epsilon),
                        plan.guarantee.adjacency, {}, means.source, means.reservation)
                  : mechanism::release_gaussian(std::move(minimum),
                                                privacy::NoiseMultiplier(plan.noise_multiplier), {},
                                                means.source, means.reservation);
  TrainedModel trained{model::empty_model(schema, plan.loss),
                       blank_receipt("regularized-output", schema, plan.guarantee)};
  trained.model.coefficients = released.value();
  if (!plan.pure()) {
    trained.model.noise_deviations.assign(trained.model.coefficients.size(), plan.noise);
  }
  nlohmann::json parameters;
  for (const auto& setting : settings_of(plan)) {
    std::visit([&](const auto& value) { parameters[setting.name] = value; }, setting.value);
  }
  trained.receipt.parameters = parameters.dump();
  trained.receipt.public_row_count = plan.public_row_count;
  complete_receipt(trained.receipt, means, plan.cipher_delta);
  return trained;
}

Training regularized_output_training(const data::Schema& schema, const LinearOptions& options) {
  if (std::isinf(options.epsilon)) return gradient_training(schema, options);
  auto plan = plan_regularized_output(schema, options);
  auto settings = settings_of(plan);
  return settled_training("regularized-output", std::move(plan), std::move(settings),
                          train_regularized_output);
}

}  // namespace tacet::learn
