#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/objective.h"
#include "tacet/base/error.h"
#include "tacet/learn/objective/objective.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/plan/unit_draw.h"
#include "tacet/mechanism/minimum/perturbed_minimum.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/solver/certified_solver.h"
#include "tacet/random/noise/vector_laplace.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

namespace objective = accounting::objective;
using privacy::Delta;
using privacy::Epsilon;

constexpr double expected_radius = 20;  // margins of classes grow to about this size
// The output noise is this share of epsilon as a ratio of distance to standard deviation; it takes
// about a thousandth of the budget.
constexpr double output_share = 0.01;
// Standard deviation of the output noise over the smallest that b's noise can have in any
// direction.
constexpr double output_part = 0.05;

// Bounds of one record's gradient and curvature, as the theorem needs them.
struct RecordBounds {
  double lipschitz;
  double smoothness;
};

RecordBounds record_bounds(const model::Loss& loss, double norm_bound) {
  const auto facts = model::properties(loss);
  constexpr double up = 1 + 0x1p-50;
  return {facts.slope_bound * norm_bound * up, facts.curvature * norm_bound * norm_bound * up};
}

// The smallest standard deviation for the exact minimum at angle 0: a closed form, used only as a
// start of the search.
double quick_sigma(const RegularizationFacts& facts, double lambda) {
  return objective::calibrate_sigma(
      {facts.lipschitz * privacy::distance_factor(facts.adjacency), facts.smoothness, lambda, 0},
      Epsilon(facts.epsilon), Delta(facts.delta), privacy::Adjacency::add_remove);
}

// Mean square of a coordinate of b.
double linear_variance(const RegularizationFacts& facts, double lambda) {
  if (facts.delta > 0) return std::pow(quick_sigma(facts, lambda), 2);
  const auto shares =
      objective::pure_shares(facts.smoothness, lambda, Epsilon(facts.epsilon), output_share);
  const double scale = facts.lipschitz * privacy::distance_factor(facts.adjacency) / shares.linear;
  return scale * scale * (facts.columns + 1);  // E|b|^2 = scale^2 d (d + 1)
}

// Epsilon's share for the output noise allows a distance of `share` standard deviations. Rounding
// to its grid, which has at least 2^-30 of the standard deviation, must take little of that.
void check_rounding_room(const ObjectivePlan& plan, double share) {
  const double half_diagonal = 0.5 * std::sqrt(static_cast<double>(plan.columns)) * 0x1p-30;
  if (0.5 * share > 4 * half_diagonal) return;
  throw base::NumericError(
      "epsilon {:g} is too small for objective perturbation of {} columns: rounding alone would "
      "show more than the noise on the minimum may hide; ask for a larger epsilon",
      plan.guarantee.epsilon, plan.columns);
}

struct Noise {
  double linear;
  double output;
  double distance;
  privacy::Event events;
};

// The output noise is small relative to the effect of b in the direction of the largest curvature.
// Its distance follows from its share of epsilon.
double output_stddev(const ObjectivePlan& plan, double smoothness, double linear) {
  const double max_curvature =
      static_cast<double>(plan.public_row_count) * smoothness + plan.sum_l2;
  return output_part * linear / max_curvature;
}

// Calibrates the noise at `delta`, which is what the cipher leaves.
Noise gaussian_noise(const ObjectivePlan& plan, const RecordBounds& bounds, Delta delta,
                     Reasons& reasons) {
  const Epsilon epsilon(plan.guarantee.epsilon);
  const double mu = output_share * std::min(1.0, epsilon.value());
  check_rounding_room(plan, mu);
  double sigma = objective::calibrate_sigma({bounds.lipschitz, bounds.smoothness, plan.sum_l2, mu},
                                            epsilon, delta, plan.guarantee.adjacency);
  if (plan.calibration == Calibration::kifer2012) {
    const double published =
        objective::published_sigma(bounds.lipschitz, epsilon, delta, plan.guarantee.adjacency);
    const bool proved = published >= sigma;
    reasons.add(
        "published noise {:.6g} (Kifer, Smith, Thakurta 2012) claims epsilon {:g} at delta {:g} "
        "for the exact minimum: {}",
        published, epsilon.value(), delta.value(),
        proved ? "used, what it costs with the output noise is below"
               : fmt::format("not proved, {:.6g} is used", sigma));
    sigma = std::max(sigma, published);
  }
  ObjectivePlan tried = plan;
  const auto try_noise = [&](double stddev) {
    tried.linear_scale = stddev;
    tried.output_scale = output_stddev(plan, bounds.smoothness, stddev);
    tried.distance = 0.5 * mu * tried.output_scale * (1 - 1e-12);
  };
  try_noise(sigma);
  while (accounting::epsilon(joint_release(tried), plan.guarantee.adjacency, delta) >
         epsilon.value()) {
    try_noise(sigma *= 1 + 1e-6);
  }
  return {tried.linear_scale, tried.output_scale, tried.distance, joint_release(tried)};
}

Noise pure_noise(const ObjectivePlan& plan, const RecordBounds& bounds, Epsilon epsilon) {
  double share = output_share;
  if (plan.calibration == Calibration::kifer2012) {
    // The published form spends epsilon/2 on b. The output noise gets what ln(1 + epsilon/2) leaves
    // of the other half.
    const double determinant = std::log1p(bounds.smoothness / plan.sum_l2);
    share = std::max(0.0, 0.5 - determinant / epsilon.value()) * (1 - 1e-9);
  }
  const auto shares = objective::pure_shares(bounds.smoothness, plan.sum_l2, epsilon, share);
  check_rounding_room(plan, shares.output);
  constexpr double up = 1 + 1e-12;
  const double linear =
      privacy::distance_factor(plan.guarantee.adjacency) * bounds.lipschitz / shares.linear * up;
  // A coordinate of b has the standard deviation scale sqrt(d + 1), one of the output noise
  // likewise.
  const double output = output_stddev(plan, bounds.smoothness, linear);
  return {linear, output, 0.5 * shares.output * output / up,
          privacy::PureDp{epsilon.value(), plan.guarantee.adjacency}};
}

void resolve_solver(ObjectivePlan& plan, const RecordBounds& bounds, double norm_bound) {
  const auto columns = static_cast<std::size_t>(plan.columns);
  plan.solver_tolerance =
      mechanism::solver_tolerance(plan.distance, plan.sum_l2, minimum_grids(plan), columns);
  if (!(plan.solver_tolerance > 0)) {
    throw base::NumericError(
        "epsilon {:g} is too small for objective perturbation of {} columns: rounding its noise to "
        "a grid moves the minimum by more than the noise on the minimum hides; ask for a larger "
        "epsilon or more regularization",
        plan.guarantee.epsilon, plan.columns);
  }
  const double size = plan.linear_scale * std::sqrt(static_cast<double>(plan.columns)) *
                      (plan.pure() ? std::sqrt(static_cast<double>(plan.columns)) : 1);
  const double rows = static_cast<double>(plan.public_row_count);
  // |w*| <= 2 |b| / Lambda + sqrt(2 n loss(0) / Lambda), with |b| at most eight times its size, and
  // n at most 2^32: a result in doubles rounds by less than the tolerance.
  const auto reach = [&](double n) {
    return 16 * size / plan.sum_l2 +
           std::sqrt(2 * n * std::max(1.0, bounds.lipschitz) / plan.sum_l2);
  };
  if (!(plan.solver_tolerance > 0x1p-48 * reach(0x1p32))) {
    throw base::NumericError(
        "objective perturbation would need its minimum to {:.3g}, finer than doubles are; ask for "
        "a smaller epsilon or more regularization",
        plan.solver_tolerance);
  }
  optimize::check_fallback_work({.rows = plan.public_row_count,
                                 .norm_bound = norm_bound,
                                 .curvature = model::properties(plan.loss).curvature,
                                 .sum_l2 = plan.sum_l2,
                                 .distance = reach(rows),
                                 .tolerance = plan.solver_tolerance});
}

}  // namespace

privacy::ObjectivePerturbation joint_release(const ObjectivePlan& plan) {
  return {.sigma = plan.linear_scale,
          .lipschitz = plan.lipschitz,
          .smoothness = plan.smoothness,
          .regularization = plan.sum_l2,
          .tolerance = plan.distance * plan.sum_l2 * (1 + 1e-13),
          .output_sigma = plan.output_scale};
}

void list_settings(SettingList& list, ObjectivePlan& plan) {
  constexpr Shown hidden{.table = false, .json = false};
  list.sampling("full_batch");
  list.problem();
  list.follows("calibration", to_string(plan.calibration),
               {.table = plan.calibration != Calibration::tight});
  list.checked("regularization", plan.sum_l2, above_0);
  list.follows("l2", plan.sum_l2 / static_cast<double>(plan.public_row_count), {.table = false});
  list.checked("lipschitz", plan.lipschitz, above_0, hidden);
  list.checked("smoothness", plan.smoothness, above_0, hidden);
  list.checked("objective_noise", plan.linear_scale, above_0);
  list.checked("output_noise", plan.output_scale, above_0);
  list.checked("distance", plan.distance, above_0);
  list.one_record_per_unit();
  list.claim();
}

mechanism::MinimumGrids minimum_grids(const ObjectivePlan& plan) {
  const auto* event = plan.events.as<privacy::ObjectivePerturbation>();
  return mechanism::minimum_grids(
      {.linear = plan.linear_scale,
       .output = plan.output_scale,
       .distance = event != nullptr ? event->tolerance / event->regularization : plan.distance,
       .regularization = plan.sum_l2},
      static_cast<std::size_t>(plan.columns));
}

double choose_sum_l2(const RegularizationFacts& facts) {
  // Tries values in steps of 2^(1/4), from the one at which the determinant takes nearly all of
  // epsilon. The value must also be so large that rounding b to its grid moves the minimiser by
  // less than the output noise hides, which is calibrated for the direction of the largest
  // curvature.
  const double resolved = facts.rows * facts.smoothness * std::sqrt(facts.columns) * 0x1p-30 /
                          (0.5 * output_share * output_part * std::min(1.0, facts.epsilon));
  const double min =
      std::max(resolved, facts.smoothness / std::expm1(std::min(20.0, 0.9 * facts.epsilon)));
  double best = min;
  double best_cost = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 160; ++k) {
    const double lambda = min * std::exp2(0.25 * k);
    const double variance = linear_variance(facts, lambda);
    const double noise = std::min(facts.columns * variance / (2 * lambda),
                                  facts.rows * facts.smoothness * variance / (2 * lambda * lambda));
    const double cost = noise + lambda * facts.radius * facts.radius / 2;
    if (cost < best_cost) {
      best_cost = cost;
      best = lambda;
    }
    if (lambda * facts.radius * facts.radius / 2 > best_cost) break;
  }
  return best;
}

ObjectivePlan plan_objective(const data::Schema& schema, const ObjectiveOptions& options,
                             const PlanContext& context) {
  ObjectivePlan plan;
  plan.first = context.first_release;
  resolve_problem(plan, schema, options, objective_method.problems);
  resolve_class_weights(plan, schema, options.class_weights);
  plan.public_row_count = resolve_row_count(schema, options);
  plan.calibration = options.paper() ? Calibration::kifer2012 : Calibration::tight;
  const double delta = resolve_delta_or_pure(options, plan.public_row_count, plan.reasons);
  const bool pure = delta == 0;
  plan.guarantee = {options.epsilon, delta, options.adjacency};
  plan.prg_slack =
      random::prg_slack_of(2, pure ? random::l2_laplace_words * plan.columns : plan.columns);
  resolve_unit_draw(plan, schema);
  const Delta left = resolve_delta_left(plan, options, delta, plan.prg_slack);

  const double norm_bound = schema.norm_bound();
  const auto bounds = record_bounds(plan.loss, norm_bound);
  plan.lipschitz = bounds.lipschitz;
  plan.smoothness = bounds.smoothness;
  const double rows = static_cast<double>(plan.public_row_count);
  if (options.mean_l2.value_or(0) > 0) {
    plan.sum_l2 = *options.mean_l2 * rows;
  } else if (plan.calibration == Calibration::kifer2012) {
    plan.sum_l2 = objective::published_regularization(bounds.smoothness, Epsilon(options.epsilon));
    plan.reasons.add("regularization {:.6g} = 2 smoothness / epsilon, as published", plan.sum_l2);
  } else {
    plan.sum_l2 = choose_sum_l2({.epsilon = options.epsilon,
                                 .delta = delta,
                                 .adjacency = options.adjacency,
                                 .lipschitz = bounds.lipschitz,
                                 .smoothness = bounds.smoothness,
                                 .rows = rows,
                                 .columns = static_cast<double>(plan.columns),
                                 .radius = expected_radius});
    plan.reasons.add("regularization {:.6g}: balances noise and shrinkage for weights of norm {:g}",
                     plan.sum_l2, expected_radius);
  }
  refuse_no_penalty(plan, options.mean_l2, plan.sum_l2 / rows);
  const Noise noise = pure ? pure_noise(plan, bounds, resolve_pure_epsilon(options))
                           : gaussian_noise(plan, bounds, left, plan.reasons);
  plan.linear_scale = noise.linear;
  plan.output_scale = noise.output;
  plan.distance = noise.distance;
  plan.events = noise.events;
  resolve_guarantee(plan, options, delta);
  if (plan.calibration != Calibration::tight) {
    plan.claim = privacy::Guarantee{options.epsilon, plan.guarantee.delta, options.adjacency};
  }
  resolve_solver(plan, bounds, norm_bound);
  plan.reasons.push_back(
      pure ? fmt::format("noise scale {:.6g} on the objective: pure privacy from the noise, the "
                         "curvature and the output noise",
                         plan.linear_scale)
           : fmt::format(
                 "noise standard deviation {:.6g} on the objective: joint profile of both releases",
                 plan.linear_scale));
  write_settings(plan);
  return plan;
}

}  // namespace tacet::learn
