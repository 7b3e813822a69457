#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/optimize/solver/regularized_objective.h"

namespace tacet::optimize::internal {

struct NewtonState {
  std::vector<double> weights;
  std::int64_t passes = 0;  ///< over the records, that are left
};

/// Newton's method until the residual's norm is at most `goal`, the passes are used up or nothing
/// improves: without a constraint, or on the surface of a ball. Lines are searched by slopes alone:
/// near the minimum they are known far more exactly than values.
/// Returns whether the search ended where the sphere holds the minimum in; always without one.
bool newton_search(const RegularizedObjective& objective, const Ball* sphere, double goal,
                   NewtonState& state, const base::Supervision& supervision);

/// Whether all weights are of a size that is of use to anybody.
[[nodiscard]] bool finite(std::span<const double> values);

}  // namespace tacet::optimize::internal
