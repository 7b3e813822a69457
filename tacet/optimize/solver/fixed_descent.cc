#include "tacet/optimize/solver/fixed_descent.h"

#include <utility>

namespace tacet::optimize::internal {

std::vector<double> descend(
    std::vector<double> start, const Domain& domain, const FixedSteps& steps,
    const std::function<std::vector<double>(std::span<const double>)>& gradient,
    const base::Supervision& supervision) {
  auto weights = std::move(start);
  project(domain, weights);
  for (std::int64_t k = 0; k < steps.count; ++k) {
    supervision.step("training", k, steps.count);
    const auto slope = gradient(weights);
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] -= steps.size * slope[j];
    project(domain, weights);
  }
  return weights;
}

}  // namespace tacet::optimize::internal
