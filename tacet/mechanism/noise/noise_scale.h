#pragma once

#include <cmath>
#include <limits>

namespace tacet::mechanism::internal {

/// multiplier * bound for non-negative finite numbers, rounded up: never less noise than the event
/// says. Exact where the product is a double, as for a bound that is a power of two.
[[nodiscard]] inline double noise_scale(double multiplier, double bound) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double product = multiplier * bound;
  if (multiplier == 0 || bound == 0 || !std::isfinite(product)) return product;
  // What the product lost is a double itself, down to sizes whose last bit underflows.
  const bool short_of_it = product < 0x1p-960 || std::fma(multiplier, bound, -product) > 0;
  return short_of_it ? std::nextafter(product, infinity) : product;
}

}  // namespace tacet::mechanism::internal
