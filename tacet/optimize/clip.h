#pragma once

#include <cstdint>

namespace tacet::optimize {

/// What one record may contribute to a sum of gradients.
struct ContributionLimit {
  double clipping_norm = 1;  ///< C, in real units
  int norm_bits = 26;        ///< C is 2^norm_bits grid units; 14 to 30
};

/// The largest integer A with A^2 * squared_norm <= 4^norm_bits; 0 for a row of zeros, whose
/// gradient is zero anyway. norm_bits is 1 to 30.
[[nodiscard]] std::int32_t scalar_bound(int norm_bits, std::int64_t squared_norm);

/// The integer nearest to `scalar`, clamped to [-bound, bound]; 0 when it is not finite. The clamp
/// comes first and in floating point, so no value is ever out of an integer's range.
[[nodiscard]] double clamp_scalar(double scalar, std::int32_t bound);

/// The limit's norm rounded down to 24 significant bits, so that dividing it by a power of two is
/// exact. UsageError unless the norm is positive and finite and norm_bits is 14 to 30.
[[nodiscard]] double checked_clipping_norm(const ContributionLimit& limit);

}  // namespace tacet::optimize
