#include "tacet/optimize/solver/local_minimum.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/optimize/solver/fixed_descent.h"
#include "tacet/optimize/solver/regularized_objective.h"
#include "tacet/optimize/solver/share_grid.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

using numeric::unit_roundoff;

using internal::ContractingStep;

ContractingStep step_of(const LocalProblem& problem, double norm_bound) {
  return internal::contracting_step(static_cast<double>(problem.rows.count()) *
                                        problem.loss.curvature_bound() * norm_bound * norm_bound *
                                        (1 + 8 * unit_roundoff),
                                    problem.sum_l2);
}

// Bound of what rounding moves one step, over the whole domain: public. Sums as in GlmSums: the
// split leaves at most sqrt(d) 2^-38 |w| X of the weights and 2^-26 of a slope (coarse; more for
// more than 2^24 records), or less than 2^-60 and 2^-50 (fine; more for more than 2^26 records);
// then the slope's own formula.
double step_error(const LocalProblem& problem, const ContractingStep& step, Precision precision,
                  double norm_bound, std::int64_t columns) {
  const double radius = reach(problem.domain);
  const double slope = problem.loss.slope_bound();
  const double curvature = problem.loss.curvature_bound();
  const auto rows = static_cast<double>(problem.rows.count());
  const double prediction = radius * norm_bound * (1 + 0x1p-20);
  const double gradient = rows * slope * norm_bound;
  double per_record = problem.loss.slope_rounding() * (slope + curvature * (1 + 2 * prediction));
  if (precision == Precision::coarse) {
    per_record +=
        curvature * std::sqrt(static_cast<double>(columns)) * 0x1p-38 * prediction * norm_bound +
        slope * std::max(0x1p-26, rows * numeric::ulps(4));
  } else {
    per_record += slope * std::max(numeric::ulps(4), rows * 0x1p-76);
  }
  const double error = rows * per_record * norm_bound +
                       16 * unit_roundoff * (gradient + 2 * problem.sum_l2 * radius);
  return step.size * error + 128 * unit_roundoff * (radius + step.size * gradient);
}

// A descent of fixed length, resolved from public facts. Coarse sums cost half as much as fine
// ones; what they leave shrinks with every later step, so that only the last ones need be fine.
struct Descent {
  ContractingStep step;
  std::int64_t fine_steps = 0;
  double share = 0;  // that a record moves the last iterate, rounding included
};

Descent descent_of(const LocalProblem& problem, double norm_bound, std::int64_t columns) {
  constexpr double worth = 0.01;  // of a share that coarse sums may add
  Descent descent{.step = step_of(problem, norm_bound)};
  const double rate = descent.step.rate;
  // Under a strong penalty one step forgets everything.
  const double log_rate = std::max(std::log1p(-rate), -700.0);
  const double moved = problem.gradient_share / problem.sum_l2 *
                       -std::expm1(static_cast<double>(problem.steps) * log_rate);
  double coarse = step_error(problem, descent.step, Precision::coarse, norm_bound, columns) / rate;
  const double fine =
      step_error(problem, descent.step, Precision::fine, norm_bound, columns) / rate;
  if (2 * coarse > worth * moved) {
    const double wanted = std::ceil(std::log(worth * moved / (2 * coarse)) / log_rate);
    const bool some = wanted < static_cast<double>(problem.steps);
    descent.fine_steps = some ? static_cast<std::int64_t>(wanted) : problem.steps;
    coarse *= some ? std::exp(static_cast<double>(descent.fine_steps) * log_rate) : 0;
  }
  descent.share = (moved + 2 * (coarse + fine)) * numeric::amply_up;
  return descent;
}

// Before it is rounded to the grid.
double exact_share(const LocalProblem& problem, double norm_bound, std::int64_t columns) {
  (void)problem.loss.checked_slope_bound();
  if (!std::isfinite(reach(problem.domain))) {
    throw base::UsageError("a local minimum needs a bounded domain");
  }
  if (!(problem.sum_l2 > 0) || !std::isfinite(problem.sum_l2)) {
    throw base::UsageError("the penalty of a local minimum must be positive and finite");
  }
  // A certified minimiser is rounded to doubles once more, by 2^-53 of its length.
  const double share =
      problem.steps > 0
          ? descent_of(problem, norm_bound, columns).share
          : (problem.gradient_share / problem.sum_l2 + 2 * problem.tolerance) * numeric::amply_up +
                numeric::ulps(4) * reach(problem.domain);
  if (!std::isfinite(share)) throw base::NumericError("a record's share of a minimum overflows");
  // No finer: weights then stay below 2^58 grid units, and what doubles resolve is not reached.
  return std::max(share, 0x1p-40 * reach(problem.domain));
}

RegularizedProblem as_regularized(const LocalProblem& problem) {
  return {.loss = problem.loss,
          .sum_l2 = problem.sum_l2,
          .centre = problem.centre,
          .domain = problem.domain,
          .rows = problem.rows};
}

std::vector<double> descended(const data::Dataset& dataset, const LocalProblem& problem,
                              base::ThreadPool& threads, const base::Supervision& supervision) {
  const auto regularized = as_regularized(problem);
  const internal::RegularizedObjective objective(dataset, regularized, threads);
  std::vector<double> start = problem.centre;
  if (start.empty()) start.assign(objective.columns(), 0.0);
  const auto descent = descent_of(problem, dataset.norm_bound(), dataset.columns());
  std::int64_t left = problem.steps;
  return internal::descend(
      std::move(start), problem.domain, {descent.step.size, problem.steps},
      [&](std::span<const double> weights) {
        const bool fine = left-- <= descent.fine_steps;
        return objective.gradient(weights, fine ? Precision::fine : Precision::coarse).sum;
      },
      supervision);
}

}  // namespace

double local_share(const LocalProblem& problem, double norm_bound, std::int64_t columns) {
  return internal::share_on_grid(exact_share(problem, norm_bound, columns), columns);
}

privacy::BoundedSum local_minimum(const data::Dataset& dataset, const LocalProblem& problem,
                                  base::ThreadPool& threads, const base::Supervision& supervision) {
  if (problem.rows.first < 0 || problem.rows.count() < 0 || problem.rows.last > dataset.rows()) {
    throw base::InternalError("the rows of a local problem lie outside of the data set");
  }
  const double share = exact_share(problem, dataset.norm_bound(), dataset.columns());
  const auto weights = problem.steps > 0
                           ? descended(dataset, problem, threads, supervision)
                           : minimise_certified(dataset, as_regularized(problem), problem.tolerance,
                                                threads, supervision)
                                 .weights;
  return internal::on_share_grid(weights, share);
}

privacy::PartialSum local_block_minimum(const data::Dataset& dataset, const LocalProblem& problem,
                                        privacy::PassBlock block, base::ThreadPool& threads,
                                        const base::Supervision& supervision) {
  return privacy::PartialSum::from_certified(
      privacy::Certifier::clipped(), local_minimum(dataset, problem, threads, supervision), block);
}

}  // namespace tacet::optimize
