#include "tacet/privacy/bounded_sum.h"

#include <cmath>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::privacy {

BoundedSum BoundedSum::from_certified(Certified /*proof*/, std::vector<std::int64_t> values,
                                      double grid, std::int64_t contribution_bound, Sample sample) {
  if (!(grid > 0) || !std::isfinite(grid)) {
    throw base::UsageError("the grid must be positive and finite, got {}", grid);
  }
  // Beyond 2^52 the bound would not be exact in the accountant's doubles.
  constexpr auto largest = std::int64_t{1} << 52;
  if (contribution_bound < 1 || contribution_bound > largest) {
    throw base::UsageError("the contribution bound must lie in [1, {}], got {}", largest,
                           contribution_bound);
  }
  return {std::move(values), grid, contribution_bound, sample};
}

BoundedSum BoundedSum::with_absolute_bound(Certified /*proof*/, std::int64_t bound) && {
  if (bound < contribution_bound_) {
    throw base::UsageError("an L1 norm of at most {} cannot reach an L2 norm of {}; state {}",
                           bound, contribution_bound_, contribution_bound_);
  }
  absolute_bound_ = bound;
  return std::move(*this);
}

}  // namespace tacet::privacy
