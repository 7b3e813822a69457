#include "tacet/optimize/sums/row_norm.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::optimize::internal {
namespace {

__extension__ using WideSquare = unsigned __int128;

WideSquare square_sum(std::span<const std::int64_t> values) {
  // At most (2^53)^2 times 2^20; of a sum of records at most (records times norm)^2.
  WideSquare sum = 0;
  for (const std::int64_t value : values) {
    const auto magnitude = static_cast<WideSquare>(value < 0 ? -value : value);
    sum += magnitude * magnitude;
  }
  return sum;
}

}  // namespace

double checked_row_norm(double norm) {
  if (!(norm >= 1e-100 && norm <= 1e100)) {
    throw base::UsageError("the clipping norm must be 1e-100 to 1e100, got {}", norm);
  }
  int exponent = 0;
  const double mantissa = std::frexp(norm, &exponent);
  return std::ldexp(std::floor(std::ldexp(mantissa, 24)), exponent - 24);
}

std::int64_t floor_norm(std::span<const std::int64_t> values) {
  const WideSquare square = square_sum(values);
  auto root = static_cast<WideSquare>(std::sqrt(static_cast<long double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return static_cast<std::int64_t>(root);
}

std::int64_t clip_aggregate(std::span<std::int64_t> values, const AggregateClip& clip) {
  constexpr double largest = 0x1p40;
  if (!(clip.norm >= 1 && clip.norm <= largest)) {
    throw base::UsageError(
        "the norm of the clipped sum must be at least one grid unit of a record's norm, and at "
        "most 2^40 of them");
  }
  const auto norm = std::sqrt(static_cast<double>(square_sum(values)));
  if (norm > clip.norm) {
    const double factor = clip.norm / norm;
    for (auto& value : values) {
      value = static_cast<std::int64_t>(std::nearbyint(static_cast<double>(value) * factor));
    }
  }
  // The projection on a ball brings no two sums further apart, and none further than its diameter.
  // Each coordinate is off by less than 1/2 + 2^-10: the square is exact, the factor to 2^-51 of
  // itself, and what is rounded is below 2^40. So both ends of a distance together add less than
  // (1 + 2^-9) sqrt(cells).
  const double rounding = (1 + 0x1p-9) * std::sqrt(static_cast<double>(clip.cells));
  const double moved = std::min(static_cast<double>(clip.record_norm), 2 * clip.norm);
  return static_cast<std::int64_t>(std::ceil(moved + rounding * numeric::amply_up)) + 1;
}

}  // namespace tacet::optimize::internal
