#pragma once

#include <cstdint>

namespace tacet::random::internal {

/// a + b modulo 2^64: sums of noise wrap instead of being undefined.
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace tacet::random::internal
