#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/numeric/rounding.h"
#include "tacet/privacy/bounded_sum.h"

namespace tacet::mechanism::internal {

/// multiplier * bound for non-negative finite numbers, rounded up, so there is never less noise
/// than the event says. Exact if the product is a double, for example if the bound is a power of
/// two.
[[nodiscard]] inline double noise_scale(double multiplier, double bound) {
  const double product = multiplier * bound;
  if (multiplier == 0 || bound == 0 || !std::isfinite(product)) return product;
  // The error of the product is itself a double, down to sizes at which its last bit underflows.
  const bool short_of_it = product < 0x1p-960 || std::fma(multiplier, bound, -product) > 0;
  return short_of_it ? std::nextafter(product, numeric::infinity) : product;
}

/// The next double: a quotient or product of two doubles, rounded up.
[[nodiscard]] inline double next_above(double value) {
  return std::nextafter(value, numeric::infinity);
}

/// Noisy grid values in real units.
[[nodiscard]] inline std::vector<double> in_real_units(std::span<const std::int64_t> values,
                                                       double grid) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const std::int64_t value : values) result.push_back(static_cast<double>(value) * grid);
  return result;
}

/// Bound of one record's L1 norm in grid units: the one to which it was clipped, if there is one.
/// Otherwise it follows from the certified L2 bound K: integer vectors have |v|_1 <= sqrt(d) |v|_2,
/// and |v|_1 <= |v|_2^2 since
/// v_j| <= v_j^2 (a count moves by 1).
[[nodiscard]] std::int64_t absolute_norm_bound(const privacy::BoundedSum& sum);

}  // namespace tacet::mechanism::internal
