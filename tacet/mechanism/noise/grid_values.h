#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacet::mechanism::internal {

/// Noisy grid values in real units.
[[nodiscard]] inline std::vector<double> in_real_units(std::span<const std::int64_t> values,
                                                       double grid) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const std::int64_t value : values) result.push_back(static_cast<double>(value) * grid);
  return result;
}

}  // namespace tacet::mechanism::internal
