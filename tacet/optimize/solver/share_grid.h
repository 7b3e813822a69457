#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/numeric/rounding.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/certifier.h"

/// Minimisers in units of what one record moves.
namespace tacet::optimize::internal {

/// A share is about 2^18 grid units, so that noise may span 8192 shares.
[[nodiscard]] inline double share_grid(double share) {
  constexpr int share_bits = 18;
  return std::ldexp(1.0, std::ilogb(share) - share_bits);
}

/// A share in grid units: rounding to the grid moves each of two runs by at most half a diagonal.
[[nodiscard]] inline std::int64_t share_in_units(double share, std::int64_t columns) {
  return static_cast<std::int64_t>(std::ceil(share / share_grid(share) * numeric::amply_up +
                                             std::sqrt(static_cast<double>(columns))));
}

/// The share that share_in_units() stands for, in real units.
[[nodiscard]] inline double share_on_grid(double share, std::int64_t columns) {
  return static_cast<double>(share_in_units(share, columns)) * share_grid(share);
}

/// Weights that one record moves by at most `share` (twice that when it is replaced), as a sum
/// that additive mechanisms take. The caller has proved the share.
[[nodiscard]] inline privacy::BoundedSum on_share_grid(std::span<const double> weights,
                                                       double share) {
  const double grid = share_grid(share);
  std::vector<std::int64_t> units;
  units.reserve(weights.size());
  for (const double w : weights) {
    // Modulo 2^64, as noise wraps: neighbours on either side of any boundary stay neighbours.
    const double rest = std::remainder(std::nearbyint(w / grid), 0x1p64);
    units.push_back(rest >= 0x1p63 ? INT64_MIN : static_cast<std::int64_t>(rest));
  }
  return privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(units), grid,
                                             share_in_units(share, std::ssize(weights)));
}

}  // namespace tacet::optimize::internal
