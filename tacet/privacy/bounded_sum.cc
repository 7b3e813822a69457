#include "tacet/privacy/bounded_sum.h"

#include <cmath>

#include "tacet/base/error.h"

namespace tacet::privacy {

BoundedSum BoundedSum::from_certified(std::vector<std::int64_t> values, double grid,
                                      std::int64_t contribution_bound, Sample sample) {
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

}  // namespace tacet::privacy
