#include "tacet/optimize/solver/regularized_objective.h"

#include <algorithm>

#include "tacet/numeric/rounding.h"
#include "tacet/optimize/solver/certificate.h"

namespace tacet::optimize::internal {
namespace {

using numeric::unit_roundoff;

// Far enough from the surface that no rounding matters.
bool well_inside(const Ball& ball, std::span<const double> point) {
  std::vector<double> from_middle(point.begin(), point.end());
  for (std::size_t j = 0; j < ball.centre.size(); ++j) from_middle[j] -= ball.centre[j];
  return norm(from_middle) <= ball.radius * (1 - 0x1p-30);
}

}  // namespace

RegularizedObjective::RegularizedObjective(const data::Dataset& dataset,
                                           const RegularizedProblem& problem,
                                           base::ThreadPool& threads)
    : problem_(problem), sums_(dataset, problem.loss, problem.rows_of(dataset), threads) {}

CertifiedGradient RegularizedObjective::gradient(std::span<const double> weights,
                                                 Precision precision,
                                                 std::vector<double>* curvatures) const {
  CertifiedGradient result = sums_.gradient(weights, precision, curvatures);
  const double size = norm(result.sum) + problem_.sum_l2 * (norm(weights) + norm(problem_.centre)) +
                      norm(problem_.linear);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double centre = problem_.centre.empty() ? 0 : problem_.centre[j];
    result.sum[j] += problem_.sum_l2 * (weights[j] - centre);
    if (!problem_.linear.empty()) result.sum[j] += problem_.linear[j];
  }
  result.error += 8 * unit_roundoff * size;
  return result;
}

CertifiedMinimum RegularizedObjective::certify(std::span<const double> weights,
                                               double enough) const {
  const auto here = gradient(weights, Precision::fine);
  CertifiedMinimum found{{weights.begin(), weights.end()}, 0, SolverRoute::fast};
  if (!constrained()) {
    found.distance_bound = gradient_certificate(here.sum, here.error, problem_.sum_l2);
    return found;
  }
  const auto* ball = std::get_if<Ball>(&problem_.domain);
  if (ball != nullptr && well_inside(*ball, weights)) {
    // For any point of the domain, mu |w - w*|^2 <= <grad F(w), w - w*>.
    found.distance_bound = gradient_certificate(here.sum, here.error, problem_.sum_l2);
    if (found.distance_bound <= enough) return found;
  }
  const double m = smoothness();
  for (std::size_t j = 0; j < weights.size(); ++j) found.weights[j] -= here.sum[j] / m;
  project(problem_.domain, found.weights);
  const auto there = gradient(found.weights, Precision::fine);
  found.distance_bound = residual_certificate(problem_.domain,
                                              {.from = weights,
                                               .from_gradient = here.sum,
                                               .to = found.weights,
                                               .to_gradient = there.sum,
                                               .gradient_error = here.error + there.error,
                                               .step = m},
                                              problem_.sum_l2);
  if (ball != nullptr && ball->centre.empty()) {
    found.distance_bound =
        std::min(found.distance_bound, ball_certificate(found.weights, there.sum, there.error,
                                                        {ball->radius, problem_.sum_l2, m}));
  }
  return found;
}

}  // namespace tacet::optimize::internal
