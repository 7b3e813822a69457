#pragma once

#include <cmath>

#include "tacet/numeric/infinity.h"

namespace tacet::mechanism::internal {

/// multiplier * bound for non-negative finite numbers, rounded up: never less noise than the event
/// says. Exact where the product is a double, as for a bound that is a power of two.
[[nodiscard]] inline double noise_scale(double multiplier, double bound) {
  const double product = multiplier * bound;
  if (multiplier == 0 || bound == 0 || !std::isfinite(product)) return product;
  // What the product lost is a double itself, down to sizes whose last bit underflows.
  const bool short_of_it = product < 0x1p-960 || std::fma(multiplier, bound, -product) > 0;
  return short_of_it ? std::nextafter(product, numeric::infinity) : product;
}

/// The next double: a quotient or product of two doubles, rounded up.
[[nodiscard]] inline double next_above(double value) {
  return std::nextafter(value, numeric::infinity);
}

}  // namespace tacet::mechanism::internal
