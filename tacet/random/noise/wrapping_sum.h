#pragma once

#include <cstdint>

namespace tacet::random::internal {

/// a + b modulo 2^64. Sums with noise wrap, which is defined and loses no privacy; signed overflow
/// would be undefined.
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace tacet::random::internal
