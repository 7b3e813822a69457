#include "tacet/optimize/stable_descent.h"

#include <algorithm>

#include "tacet/optimize/local_minimum.h"
#include "tacet/optimize/share_grid.h"

namespace tacet::optimize {
namespace {

// Coarse sums: what they round is counted, and is small beside a share.
LocalProblem local_problem(const StableDescent& descent, std::int64_t rows, double norm_bound,
                           std::int64_t columns) {
  return {.loss = descent.loss,
          .rows = {0, rows},
          .l2 = descent.l2,
          .domain = checked(Ball{descent.radius}, static_cast<std::size_t>(columns)),
          .gradient_share = descent.loss.checked_slope_bound() * norm_bound,
          .steps = std::max<std::int64_t>(1, descent.steps),
          .precision = Precision::coarse};
}

double exact_share(const RegularizedProblem& problem, double tolerance, double norm_bound) {
  return (problem.loss.checked_slope_bound() * norm_bound / problem.l2 + 2 * tolerance) *
         (1 + 0x1p-40);
}

}  // namespace

double stable_share(const StableDescent& descent, std::int64_t rows, double norm_bound,
                    std::int64_t columns) {
  return local_share(local_problem(descent, rows, norm_bound, columns), norm_bound, columns);
}

privacy::BoundedSum stable_minimum(const data::Dataset& dataset, const StableDescent& descent,
                                   base::ThreadPool& threads,
                                   const base::Supervision& supervision) {
  return local_minimum(
      dataset, local_problem(descent, dataset.rows(), dataset.norm_bound(), dataset.columns()),
      threads, supervision);
}

double certified_share(const RegularizedProblem& problem, double tolerance, double norm_bound,
                       std::int64_t columns) {
  return internal::share_on_grid(exact_share(problem, tolerance, norm_bound), columns);
}

privacy::BoundedSum certified_minimum(const data::Dataset& dataset,
                                      const RegularizedProblem& problem, double tolerance,
                                      base::ThreadPool& threads,
                                      const base::Supervision& supervision) {
  const double share = exact_share(problem, tolerance, dataset.norm_bound());
  const auto found =
      minimise_certified(dataset, {0, dataset.rows()}, problem, tolerance, threads, supervision);
  return internal::on_share_grid(found.weights, share);
}

}  // namespace tacet::optimize
