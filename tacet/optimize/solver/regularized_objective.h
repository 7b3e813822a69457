#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "tacet/numeric/sums.h"
#include "tacet/optimize/solver/certified_solver.h"

namespace tacet::optimize::internal {

/// Gradient and certificates of a RegularizedProblem over its records.
class RegularizedObjective {
 public:
  RegularizedObjective(const data::Dataset& dataset, const RegularizedProblem& problem,
                       base::ThreadPool& threads);

  /// The whole gradient; its error counts all roundings.
  [[nodiscard]] CertifiedGradient gradient(std::span<const double> weights, Precision precision,
                                           std::vector<double>* curvatures = nullptr) const;
  [[nodiscard]] const GlmSums& sums() const { return sums_; }
  [[nodiscard]] const RegularizedProblem& problem() const { return problem_; }
  [[nodiscard]] std::size_t columns() const { return sums_.columns(); }
  [[nodiscard]] double smoothness() const { return sums_.smoothness() + problem_.sum_l2; }
  [[nodiscard]] bool constrained() const {
    return !std::holds_alternative<WholeSpace>(problem_.domain);
  }

  /// A point near `weights` (the same one without a constraint) and its certified distance; one
  /// that is at most `enough` needs no better bound.
  [[nodiscard]] CertifiedMinimum certify(std::span<const double> weights, double enough = 0) const;

 private:
  const RegularizedProblem& problem_;
  GlmSums sums_;
};

/// Route 3 of minimise_certified from a point whose distance from the minimiser is known.
[[nodiscard]] std::vector<double> descend_in_quadruple_precision(
    const data::Dataset& dataset, const RegularizedProblem& problem, std::vector<double> start,
    std::int64_t steps, const base::Supervision& supervision);

using numeric::dot;
using numeric::norm;

}  // namespace tacet::optimize::internal
