#include "tacet/optimize/local_minimum.h"

#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/optimize/regularized_objective.h"

namespace tacet::optimize {
namespace {

constexpr double rounding = 0x1p-53;
constexpr int share_bits = 18;  // a share is about 2^18 grid units: noise may span 8192 shares

double grid_of(double share) { return std::ldexp(1.0, std::ilogb(share) - share_bits); }

// Rounding to the grid moves each of two runs by at most half a diagonal.
std::int64_t bound_in_units(double share, std::int64_t columns) {
  return static_cast<std::int64_t>(
      std::ceil(share / grid_of(share) * (1 + 0x1p-40) + std::sqrt(static_cast<double>(columns))));
}

struct Step {
  double smoothness;
  double size;
  double rate;
};

Step step_of(const LocalProblem& problem, double norm_bound) {
  const double smoothness = static_cast<double>(problem.rows.count()) *
                            problem.loss.curvature_bound() * norm_bound * norm_bound *
                            (1 + 8 * rounding);
  const double size = 2 / (smoothness + 2 * problem.l2);
  return {smoothness, size, size * problem.l2};
}

// Bound of what rounding moves one step, over the whole domain: public.
double step_error(const LocalProblem& problem, const Step& step, double norm_bound) {
  const double radius = reach(problem.domain);
  const double slope = problem.loss.slope_bound();
  const auto rows = static_cast<double>(problem.rows.count());
  const double prediction = radius * norm_bound * (1 + 0x1p-30);
  const double gradient = rows * slope * norm_bound;
  // As in GlmSums::gradient, whose split leaves less than 2^-60 of the weights.
  const double per_record =
      0x1p-50 * (slope + problem.loss.curvature_bound() * (1 + 2 * prediction)) + slope * 0x1p-50;
  const double error =
      rows * per_record * norm_bound + 16 * rounding * (gradient + 2 * problem.l2 * radius);
  return step.size * error + 128 * rounding * (radius + step.size * gradient);
}

// Before it is rounded to the grid.
double exact_share(const LocalProblem& problem, double norm_bound) {
  if (!std::isfinite(problem.loss.slope_bound()) || !std::isfinite(reach(problem.domain))) {
    throw base::UsageError("a local minimum needs a loss of bounded slope and a bounded domain");
  }
  const double moved = problem.gradient_share / problem.l2;
  if (problem.steps == 0) return (moved + 2 * problem.tolerance) * (1 + 0x1p-40);
  const Step step = step_of(problem, norm_bound);
  const double reached = -std::expm1(static_cast<double>(problem.steps) * std::log1p(-step.rate));
  const double drift = step_error(problem, step, norm_bound) / step.rate;
  return (moved * reached + 2 * drift) * (1 + 0x1p-40);
}

RegularizedProblem as_regularized(const LocalProblem& problem) {
  return {
      .loss = problem.loss, .l2 = problem.l2, .centre = problem.centre, .domain = problem.domain};
}

std::vector<double> descended(const data::Dataset& dataset, const LocalProblem& problem,
                              base::ThreadPool& threads, const base::Supervision& supervision) {
  const auto regularized = as_regularized(problem);
  const internal::RegularizedObjective objective(dataset, problem.rows, regularized, threads);
  const Step step = step_of(problem, dataset.norm_bound());
  std::vector<double> weights = problem.centre;
  if (weights.empty()) weights.assign(objective.columns(), 0.0);
  project(problem.domain, weights);
  for (std::int64_t k = 0; k < problem.steps; ++k) {
    supervision.step("training", k, problem.steps);
    const auto gradient = objective.gradient(weights, Precision::fine);
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] -= step.size * gradient.sum[j];
    project(problem.domain, weights);
  }
  return weights;
}

}  // namespace

double local_share(const LocalProblem& problem, double norm_bound, std::int64_t columns) {
  const double share = exact_share(problem, norm_bound);
  return static_cast<double>(bound_in_units(share, columns)) * grid_of(share);
}

privacy::BoundedSum local_minimum(const data::Dataset& dataset, const LocalProblem& problem,
                                  base::ThreadPool& threads, const base::Supervision& supervision) {
  if (problem.rows.first < 0 || problem.rows.count() < 1 || problem.rows.last > dataset.rows()) {
    throw base::InternalError("the rows of a local problem lie outside of the data set");
  }
  const double share = exact_share(problem, dataset.norm_bound());
  const auto weights = problem.steps > 0
                           ? descended(dataset, problem, threads, supervision)
                           : minimise_certified(dataset, problem.rows, as_regularized(problem),
                                                problem.tolerance, threads, supervision)
                                 .weights;
  const double grid = grid_of(share);
  std::vector<std::int64_t> units;
  units.reserve(weights.size());
  for (const double w : weights) {
    // Beyond 2^62 units sums wrap as noise does; no model of any use comes near.
    units.push_back(static_cast<std::int64_t>(std::remainder(std::nearbyint(w / grid), 0x1p63)));
  }
  return privacy::BoundedSum::from_certified(std::move(units), grid,
                                             bound_in_units(share, std::ssize(weights)));
}

privacy::SelectedSum local_block_minimum(const data::Dataset& dataset, const LocalProblem& problem,
                                         privacy::BlockSelection block, base::ThreadPool& threads,
                                         const base::Supervision& supervision) {
  return privacy::SelectedSum::from_certified(local_minimum(dataset, problem, threads, supervision),
                                              block);
}

}  // namespace tacet::optimize
