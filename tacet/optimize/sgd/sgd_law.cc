#include "tacet/optimize/sgd/sgd_law.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/numeric/rounding.h"

namespace tacet::optimize {
namespace {

using numeric::infinity;
using numeric::unit_roundoff;

// The step a computed width may be short of 2 / (curvature X^2) by rounding alone.
constexpr double step_slack = numeric::up_ulps(256);

std::int64_t distinct_steps(const SgdSchedule& schedule) {
  return static_cast<std::int64_t>(schedule.step_sizes.size());
}

// sup over t >= 0 of s^2 w(t)^2 - 2 t w(t) in closed form, w the modulus of a Hoelder slope.
double hoelder_growth(double exponent, double constant, double step_size) {
  if (exponent == 0) return step_size * constant;
  const double shape = std::pow(exponent / (1 + exponent), exponent / (1 - exponent));
  return std::sqrt((1 - exponent) / (1 + exponent)) * shape *
         std::pow(step_size * constant, 1 / (1 - exponent));
}

[[noreturn]] void refuse_step(const model::Loss& loss, double step_size, double longest) {
  throw base::GuaranteeError(
      "a step of {:.6g} is too large for loss {}: beyond {:.6g} = 2 / (curvature X^2) a step can "
      "drive two runs apart without bound; choose a smaller step size",
      step_size, model::loss_name(loss), longest);
}

// Constants for the envelope of the iterates' norm. The slope of a linearised power is at most that
// of the power and concave, so it has the power's Hoelder constant; its own, as a smooth loss,
// would need shorter steps than it is made for.
model::LossSmoothness envelope_constants(const model::Loss& loss) {
  if (const auto* power = std::get_if<model::LinearisedPowerHingeLoss>(&loss)) {
    return model::smoothness(model::PowerHingeLoss{power->exponent});
  }
  if (const auto* power = std::get_if<model::LinearisedPowerRegressionLoss>(&loss)) {
    return model::smoothness(model::PowerRegressionLoss{power->exponent});
  }
  return model::smoothness(loss);
}

// Lemma 4 (ii): how much the squared norm of an iterate may grow in one step, besides 2 step f(0).
double envelope_growth(const model::Loss& loss, double step_size, double norm_bound) {
  const auto facts = envelope_constants(loss);
  const double constant = facts.constant * std::pow(norm_bound, 1 + facts.exponent);
  if (facts.exponent == 1) {
    if (step_size * constant <= 1) return 0;
    throw base::GuaranteeError(
        "on the whole space a step of {:.6g} is too large for loss {}: beyond {:.6g} = 1 / "
        "(curvature X^2) the weights have no proved bound; choose a smaller step size, a radius or "
        "a clipping norm",
        step_size, model::loss_name(loss), 1 / constant);
  }
  const double a = facts.exponent;
  return (1 - a) / (1 + a) * std::pow(step_size * constant, 2 / (1 - a));
}

// Regions where slopes have one bound for all steps: by the loss, by clipping or by the ball.
double constant_slope(const SgdProblem& problem) {
  const double reach = problem.radius ? *problem.radius * problem.norm_bound : infinity;
  const double by_loss = model::slope_bound_within(problem.loss, reach);
  if (!problem.clipping_norm) return by_loss;
  return std::min(by_loss, *problem.clipping_norm / problem.norm_bound);
}

bool clips(const SgdProblem& problem) {
  const double reach = problem.radius ? *problem.radius * problem.norm_bound : infinity;
  return problem.clipping_norm &&
         *problem.clipping_norm <
             model::slope_bound_within(problem.loss, reach) * problem.norm_bound;
}

void check(const SgdProblem& problem) {
  if (!(problem.norm_bound > 0) || problem.columns < 1 || problem.outputs < 1) {
    throw base::UsageError("a problem needs a norm bound above 0, columns and outputs");
  }
  if (problem.clipping_norm && !(*problem.clipping_norm > 0)) {
    throw base::UsageError("a clipping norm must be positive");
  }
  if (problem.radius && !(*problem.radius > 0)) throw base::UsageError("a radius must be positive");
  if (problem.outputs > 1 && clips(problem)) {
    throw base::GuaranteeError(
        "clipping the gradients of several classes together is no longer the gradient of a convex "
        "loss, so steps can drive two runs apart without bound; leave the clipping norm out, use a "
        "loss with bounded slope (logistic, hinge), or `method=gradient`");
  }
}

}  // namespace

model::Loss loss_of_step(const SgdProblem& problem, double step_size) {
  if (!problem.smooth || !model::can_be_smoothed(problem.loss)) return problem.loss;
  const double scaled = step_size * problem.norm_bound * problem.norm_bound;
  return model::smoothed(problem.loss, model::width_for_step(problem.loss, scaled));
}

double one_step_growth(const model::Loss& loss, double step_size, double norm_bound,
                       std::optional<double> clipping_norm) {
  const auto facts = model::smoothness(loss);
  const double scaled = step_size * norm_bound * norm_bound;
  double growth = infinity;
  if (facts.exponent == 1) {
    if (scaled * facts.curvature <= 2 * step_slack) return 0;
    if (std::isinf(facts.range)) {
      refuse_step(loss, step_size, 2 / (facts.curvature * norm_bound * norm_bound));
    }
    growth = facts.range * std::sqrt(step_size * (scaled - 2 / facts.curvature));
  } else if (const auto* wide = std::get_if<model::EpsilonInsensitiveLoss>(&loss)) {
    // Both corners at once only where the predictions are 2 e apart.
    const double one = scaled * step_size;
    const double both = 4 * scaled * step_size - 8 * step_size * wide->insensitivity;
    growth = std::sqrt(std::max(one, both));
  } else {
    growth = hoelder_growth(facts.exponent,
                            facts.constant * std::pow(norm_bound, 1 + facts.exponent), step_size);
  }
  return clipping_norm ? std::min(growth, 2 * step_size * *clipping_norm) : growth;
}

std::vector<StepRegion> step_regions(const SgdProblem& problem, const SgdSchedule& schedule) {
  check(problem);
  const double slope = constant_slope(problem);
  const double at_zero = model::largest_loss_at_zero(problem.loss);
  const std::int64_t steps = schedule.steps();
  const auto outputs = static_cast<double>(problem.outputs);
  const double gradient = slope * problem.norm_bound;
  double square = problem.start_norm * problem.start_norm;
  if (!std::isinf(slope)) {
    // Lemma 4 (i): |w - step g|^2 <= |w|^2 + 2 step f(0) + step^2 |g|^2.
    for (std::int64_t t = 1; t <= steps; ++t) {
      const double step = schedule.step_size(t);
      square += outputs * step * (2 * at_zero + step * gradient * gradient);
    }
    double norm = std::sqrt(square) * (1 + 0x1p-20);
    if (problem.radius) norm = std::min(norm, *problem.radius * std::sqrt(outputs));
    return {{slope, std::max(norm, problem.start_norm)}};
  }
  std::vector<StepRegion> regions;
  regions.reserve(static_cast<std::size_t>(steps));
  for (std::int64_t t = 1; t <= steps; ++t) {
    const double step = schedule.step_size(t);
    const double norm = std::sqrt(square) * (1 + 0x1p-20);
    const auto loss = loss_of_step(problem, step);
    regions.push_back({model::slope_bound_within(loss, norm * problem.norm_bound), norm});
    square += outputs * (2 * step * at_zero + envelope_growth(loss, step, problem.norm_bound));
  }
  return regions;
}

StepLaw step_law(const SgdProblem& problem, const SgdSchedule& schedule,
                 privacy::Adjacency adjacency) {
  if (adjacency == privacy::Adjacency::add_remove) {
    throw base::GuaranteeError(
        "output perturbation has no proof under add_remove: one record more or less changes the "
        "number of records and every later step; use zero_out (the same noise) or replace_one, or "
        "`method=gradient`");
  }
  const auto regions = step_regions(problem, schedule);
  StepLaw law;
  law.growth.clear();
  law.distance.clear();
  const double side = std::sqrt(static_cast<double>(problem.outputs));
  for (std::int64_t i = 1; i <= distinct_steps(schedule); ++i) {
    const double step = schedule.step_size(i);
    law.growth.push_back(side * one_step_growth(loss_of_step(problem, step), step,
                                                problem.norm_bound, problem.clipping_norm));
  }
  // Under zero_out the other record is the empty one, whose gradient is 0.
  const double factor = privacy::distance_factor(adjacency) * side * problem.norm_bound;
  for (const auto& region : regions) law.distance.push_back(factor * region.slope);
  law.diameter = problem.radius ? 2 * side * *problem.radius : infinity;
  return law;
}

RoundingGuard rounding_guard(const SgdProblem& problem, const SgdSchedule& schedule,
                             privacy::Adjacency adjacency) {
  RoundingGuard guard{step_law(problem, schedule, adjacency), 0};
  const auto regions = step_regions(problem, schedule);
  double norm = 0;
  double gradient = 0;
  for (const auto& region : regions) {
    norm = std::max(norm, region.norm);
    gradient = std::max(gradient, region.slope * problem.norm_bound);
  }
  const double step = *std::ranges::max_element(schedule.step_sizes);
  const double side = std::sqrt(static_cast<double>(problem.outputs));
  const auto columns = static_cast<double>(problem.columns);
  const auto batch = static_cast<double>(schedule.batch);
  // The computed prediction is the exact one at a point this far away.
  const double prediction =
      (columns + 8) * unit_roundoff * (norm * problem.norm_bound + 2) * (1 + 0x1p-10);
  double added = 0;
  for (std::size_t i = 0; i < guard.law.growth.size(); ++i) {
    const double size = schedule.step_sizes[i];
    const auto loss = loss_of_step(problem, size);
    if (guard.law.growth[i] == 0) {
      // Smooth: the step's slope is off by at most curvature times that.
      added = std::max(added, 2 * prediction / problem.norm_bound);
    } else {
      // A clipped slope is at most C / |x|, and no row is shorter than 1/2048.
      const double widest =
          problem.clipping_norm ? 4096 * *problem.clipping_norm : 2 * gradient / problem.norm_bound;
      const double range = std::min(model::smoothness(loss).range, widest);
      const double square =
          guard.law.growth[i] * guard.law.growth[i] + 4 * side * side * size * prediction * range;
      guard.law.growth[i] = std::sqrt(square) * numeric::amply_up;
    }
  }
  constexpr double slope_error = 0x1p-42;  // relative, of a computed slope at a given prediction
  const double update = (columns + 2 * batch + 16) * unit_roundoff * norm +
                        step * gradient * (slope_error + (2 * batch + 16) * unit_roundoff);
  // Twice: each of the two runs is off by that. The mean's own roundings: four a record read.
  const double steps = static_cast<double>(schedule.steps());
  const double drift = steps * (added + update);
  if (!(drift < 1e-3 * (norm + step * gradient))) {
    throw base::NumericError(
        "{} steps on {} columns lose too many digits in double precision to bound the result; use "
        "fewer steps",
        schedule.steps(), problem.columns);
  }
  const double mean = 4 * steps * batch * unit_roundoff * (norm + 3 * step * gradient);
  guard.added = 2 * side * (drift + mean) * (1 + 0x1p-10);
  return guard;
}

}  // namespace tacet::optimize
