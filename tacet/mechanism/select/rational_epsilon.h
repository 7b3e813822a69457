#pragma once

#include <cstdint>

#include "tacet/privacy/guarantee.h"

namespace tacet::mechanism {

/// A privacy parameter as a fraction, so that the laws that depend on it can be sampled exactly.
struct RationalEpsilon {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;

  [[nodiscard]] double value() const {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  friend bool operator==(const RationalEpsilon&, const RationalEpsilon&) = default;
};

/// The largest denominator of a RationalEpsilon; with the limits below, an exponent epsilon s / D
/// of 64-bit integers s and D is a fraction of 128-bit integers.
inline constexpr std::uint64_t largest_epsilon_denominator = std::uint64_t{1} << 20;
inline constexpr double smallest_epsilon = 0x1p-20;
inline constexpr double largest_epsilon = 0x1p20;

/// The largest fraction with a denominator of at most 2^20 that is not above epsilon: a mechanism
/// that runs with it protects at least as well. UsageError outside of [2^-20, 2^20].
[[nodiscard]] RationalEpsilon round_down(privacy::Epsilon epsilon);

}  // namespace tacet::mechanism
