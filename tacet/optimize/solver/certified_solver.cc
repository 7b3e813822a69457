#include "tacet/optimize/solver/certified_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/optimize/solver/newton_search.h"
#include "tacet/optimize/solver/regularized_objective.h"

namespace tacet::optimize {
namespace {

using internal::finite;
using internal::newton_search;
using internal::NewtonState;
using internal::norm;
using internal::RegularizedObjective;

constexpr double max_work = 0x1p42;

/// The centre, or a good start for little: Newton's method on the first 1/16 of the records (which
/// are exchangeable as far as utility is concerned), their loss scaled up by shrinking everything
/// else.
NewtonState start_of(const data::Dataset& dataset, const RegularizedProblem& problem,
                     base::ThreadPool& threads, const base::Supervision& supervision) {
  constexpr std::int64_t share = 16;
  NewtonState state{problem.centre, problem.limits.fast_passes};
  if (state.weights.empty()) {
    state.weights.assign(static_cast<std::size_t>(dataset.columns()), 0.0);
  }
  const auto rows = problem.rows_of(dataset);
  if (problem.limits.fast_passes <= 1 || rows.count() < 8192) return state;
  RegularizedProblem small = problem;
  small.domain = WholeSpace{};
  small.sum_l2 = problem.sum_l2 / share;
  for (double& value : small.linear) value /= share;
  small.rows = {rows.first, rows.first + rows.count() / share};
  const RegularizedObjective objective(dataset, small, threads);
  NewtonState start{state.weights, 30};
  const double goal = 1e-3 * static_cast<double>(rows.count() / share) * dataset.norm_bound() *
                      std::min(1.0, problem.loss.slope_bound());
  newton_search(objective, nullptr, goal, start, supervision);
  if (finite(start.weights)) state.weights = std::move(start.weights);
  return state;
}

bool leaves(const Domain& domain, const std::vector<double>& weights) {
  auto nearest = weights;
  project(domain, nearest);
  return nearest != weights;
}

CertifiedMinimum fast_route(const RegularizedObjective& objective, double tolerance,
                            NewtonState state, const base::Supervision& supervision) {
  const auto& problem = objective.problem();
  if (problem.limits.fast_passes > 1) {
    const double goal = 0.25 * tolerance * problem.sum_l2;
    const auto* ball = std::get_if<Ball>(&problem.domain);
    if (!leaves(problem.domain, state.weights)) {
      newton_search(objective, nullptr, goal, state, supervision);
    }
    if (ball != nullptr && leaves(problem.domain, state.weights)) {
      project(problem.domain, state.weights);
      if (!newton_search(objective, ball, goal, state, supervision)) {
        newton_search(objective, nullptr, goal, state, supervision);
      }
    }
  }
  if (objective.constrained()) project(problem.domain, state.weights);
  return objective.certify(state.weights, tolerance);
}

/// Steps after which the theorem's bound (l2/2) D^2 <= (1 - kappa^{-1/2})^k (F - F* + (l2/2) D0^2)
/// leaves at most half the tolerance, from a point at most `distance` away.
double accelerated_length(double kappa, double excess_over_l2, double tolerance) {
  const double ratio = std::max(2.0, 8 * excess_over_l2 / (tolerance * tolerance));
  return kappa > 1 ? std::ceil(std::log(ratio) / -std::log1p(-1 / std::sqrt(kappa))) + 1 : 2;
}

double accelerated_length(const RegularizedObjective& objective, const CertifiedMinimum& start,
                          double tolerance) {
  const double l2 = objective.problem().sum_l2;
  const auto gradient = objective.gradient(start.weights, Precision::fine);
  const double distance = start.distance_bound;
  const double excess =
      (norm(gradient.sum) + gradient.error) * distance + l2 * distance * distance / 2;
  return accelerated_length(objective.smoothness() / l2, excess / l2, tolerance);
}

/// V-FISTA, certified now and then; `best` is replaced where that improves.
void accelerated_route(const RegularizedObjective& objective, double tolerance,
                       const base::Supervision& supervision, CertifiedMinimum& best) {
  const double m = objective.smoothness();
  const double root = std::sqrt(m / objective.problem().sum_l2);
  const double momentum = (root - 1) / (root + 1);
  const std::size_t columns = objective.columns();
  std::vector<double> x = best.weights;
  std::vector<double> y = x;
  const double needed = accelerated_length(objective, best, tolerance);
  if (!(needed < 1e9)) return;
  const auto steps = static_cast<std::int64_t>(needed);
  constexpr std::int64_t between_certificates = 50;
  for (std::int64_t step = 1; step <= steps; ++step) {
    if (supervision.cancel != nullptr) supervision.cancel->throw_if_cancelled();
    const auto gradient = objective.gradient(y, Precision::fine);
    std::vector<double> next(columns);
    for (std::size_t j = 0; j < columns; ++j) next[j] = y[j] - gradient.sum[j] / m;
    project(objective.problem().domain, next);
    for (std::size_t j = 0; j < columns; ++j) y[j] = next[j] + momentum * (next[j] - x[j]);
    x = std::move(next);
    if (!finite(y)) return;
    if (step % between_certificates != 0 && step != steps) continue;
    auto found = objective.certify(x, tolerance);
    if (found.distance_bound < best.distance_bound) {
      best = std::move(found);
      best.route = SolverRoute::accelerated;
    }
    if (best.distance_bound <= tolerance) return;
  }
}

}  // namespace

std::int64_t fallback_length(const WorkFacts& facts) {
  const double kappa = 1 + static_cast<double>(facts.rows) * facts.curvature * facts.norm_bound *
                               facts.norm_bound / facts.sum_l2;
  constexpr double max = 0x1p62;
  return static_cast<std::int64_t>(std::min(
      max,
      accelerated_length(kappa, (kappa + 0.5) * facts.distance * facts.distance, facts.tolerance)));
}

void check_fallback_work(const WorkFacts& facts) {
  const double work = static_cast<double>(fallback_length(facts)) *
                      static_cast<double>(std::max<std::int64_t>(1, facts.rows));
  if (work <= max_work) return;
  throw base::UsageError(
      "the solver's route of last resort would visit {:.3g} records, above the cap of {:.3g}: it "
      "grows with rows^1.5 / l2^0.5; ask for more regularisation (l2 is {:.4g} for the sum over {} "
      "records) or use the method gradient",
      work, max_work, facts.sum_l2, facts.rows);
}

CertifiedMinimum minimise_certified(const data::Dataset& dataset, const RegularizedProblem& problem,
                                    double tolerance, base::ThreadPool& threads,
                                    const base::Supervision& supervision) {
  const auto columns = static_cast<std::size_t>(dataset.columns());
  if (!(problem.sum_l2 > 0) || !std::isfinite(problem.sum_l2) || !(tolerance > 0)) {
    throw base::UsageError("a certified minimum needs a positive l2 and tolerance, got {} and {}",
                           problem.sum_l2, tolerance);
  }
  if ((!problem.centre.empty() && problem.centre.size() != columns) ||
      (!problem.linear.empty() && problem.linear.size() != columns)) {
    throw base::InternalError("a problem's vectors and the data set differ in their columns");
  }
  (void)checked(problem.domain, columns);
  const RegularizedObjective objective(dataset, problem, threads);
  auto best = fast_route(objective, tolerance, start_of(dataset, problem, threads, supervision),
                         supervision);
  if (best.distance_bound <= tolerance) return best;
  if (problem.limits.accelerated) accelerated_route(objective, tolerance, supervision, best);
  if (best.distance_bound <= tolerance) return best;

  const auto steps =
      static_cast<std::int64_t>(std::min(0x1p62, accelerated_length(objective, best, tolerance)));
  best.weights = internal::descend_in_quadruple_precision(dataset, problem, std::move(best.weights),
                                                          steps, supervision);
  // Half the tolerance by the length; the rest is far more than 113 bits and the last rounding
  // lose.
  best.distance_bound = tolerance;
  best.route = SolverRoute::wide;
  return best;
}

}  // namespace tacet::optimize
