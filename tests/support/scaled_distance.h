#pragma once

#include <cmath>
#include <cstddef>

#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/bounded_sum.h"

namespace tacet::test {

/// How far two sums are apart in the norm that they are certified in: each block in units of its
/// scale.
[[nodiscard]] inline double scaled_distance(const privacy::WeightedSum& one,
                                            const privacy::WeightedSum& other) {
  const auto key = mechanism::AccessKeys::key();
  const auto a = one.open(key);
  const auto b = other.open(key);
  double square = 0;
  std::size_t at = 0;
  for (const auto& block : one.blocks()) {
    for (std::size_t i = 0; i < block.count; ++i, ++at) {
      square += std::pow(static_cast<double>(a[at] - b[at]) / block.scale, 2);
    }
  }
  return std::sqrt(square);
}

}  // namespace tacet::test
