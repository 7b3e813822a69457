#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace tacet::local {

/// <a, b> in eight interleaved sums: one fixed order, whatever the vector width, and no chain of
/// additions that each wait for the last.
[[nodiscard]] inline double dot(std::span<const double> a, std::span<const double> b) {
  std::array<double, 8> lanes{};
  const std::size_t whole = a.size() / 8 * 8;
  for (std::size_t j = 0; j < whole; j += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += a[j + lane] * b[j + lane];
  }
  for (std::size_t j = whole; j < a.size(); ++j) lanes[j - whole] += a[j] * b[j];
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace tacet::local
