#include "tacet/mechanism/noise/noise_scale.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::mechanism::internal {

std::int64_t absolute_norm_bound(const privacy::BoundedSum& sum) {
  if (const auto clipped = sum.absolute_bound()) return *clipped;
  __extension__ using Wide = unsigned __int128;
  const auto bound = static_cast<std::uint64_t>(sum.contribution_bound());
  const Wide square = Wide{bound} * bound;
  // The smallest b with b^2 >= d K^2, found from a double and corrected.
  const auto dimension = std::max<std::uint64_t>(1, sum.size());
  if (static_cast<double>(square) * static_cast<double>(dimension) > 0x1p120) {
    throw base::UsageError(
        "a bound of {} grid units in {} dimensions is too large for Laplace noise", bound,
        dimension);
  }
  const Wide target = square * dimension;
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(target)));
  while (Wide{root} * root >= target && root > 0) --root;
  while (Wide{root} * root < target) ++root;
  return static_cast<std::int64_t>(square < root ? static_cast<std::uint64_t>(square) : root);
}

}  // namespace tacet::mechanism::internal
