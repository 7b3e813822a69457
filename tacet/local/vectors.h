#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace tacet::local {

/// Eight interleaved sums: one fixed order, whatever the vector width, and no chain of additions
/// that each wait for the last. `term(j)` is called once for each j below `size`, ascending.
template <typename Term>
[[nodiscard]] double lane_sum(std::size_t size, Term&& term) {
  std::array<double, 8> lanes{};
  const std::size_t whole = size / 8 * 8;
  for (std::size_t j = 0; j < whole; j += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += term(j + lane);
  }
  for (std::size_t j = whole; j < size; ++j) lanes[j - whole] += term(j);
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/// <a, b>.
[[nodiscard]] inline double dot(std::span<const double> a, std::span<const double> b) {
  return lane_sum(a.size(), [&](std::size_t j) { return a[j] * b[j]; });
}

/// a += factor b; the square of the result's norm.
[[nodiscard]] inline double add_scaled(std::span<double> a, double factor,
                                       std::span<const double> b) {
  return lane_sum(a.size(), [&](std::size_t j) {
    a[j] += factor * b[j];
    return a[j] * a[j];
  });
}

}  // namespace tacet::local
