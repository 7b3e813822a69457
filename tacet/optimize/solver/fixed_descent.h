#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/optimize/solver/domain.h"

/// Projected gradient descent whose length and step size are public, so that its last iterate moves
/// no further from data set to data set than the minimiser, converged or not
/// (docs/proofs/regularized-output.md).
namespace tacet::optimize::internal {

/// The step 2 / (smoothness + 2 convexity) on a sum of losses that is `smoothness` smooth with a
/// penalty that is `convexity` strongly convex: a contraction by 1 - rate, rate = step convexity.
struct ContractingStep {
  double size;
  double rate;
};
[[nodiscard]] inline ContractingStep contracting_step(double smoothness, double convexity) {
  const double size = 2 / (smoothness + 2 * convexity);
  return {size, size * convexity};
}

/// `count` times w <- Proj(w - size gradient(w)) from the projected start: no early end, no line
/// search, no momentum, each of which would depend on the records.
struct FixedSteps {
  double size;
  std::int64_t count;
};
[[nodiscard]] std::vector<double> descend(
    std::vector<double> start, const Domain& domain, const FixedSteps& steps,
    const std::function<std::vector<double>(std::span<const double>)>& gradient,
    const base::Supervision& supervision = {});

}  // namespace tacet::optimize::internal
