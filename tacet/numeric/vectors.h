#pragma once

#include <cmath>
#include <cstddef>
#include <span>

/// Sums over short vectors, from first to last: the same bits on every machine.
namespace tacet::numeric {

[[nodiscard]] inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// The Euclidean one.
[[nodiscard]] inline double norm(std::span<const double> values) {
  return std::sqrt(dot(values, values));
}

}  // namespace tacet::numeric
