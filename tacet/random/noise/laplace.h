#pragma once

#include <cstdint>
#include <span>

#include "tacet/random/source/source.h"

namespace tacet::random {

/// The largest scale of the samplers below, in grid units.
constexpr double largest_laplace_scale = 1099511627776.0;  // 2^40

/// Adds independent K_j = floor(X_j + 1/2), X_j with density exp(-|x| / scale) / (2 scale),
/// exactly. A rounding of real Laplace noise, so that the continuous law's formulas hold for
/// integer values (unlike the discrete Laplace law, whose profile differs).
///
/// Word first + j of the keystream block decides coordinate j, as for add_rounded_gaussian. A
/// UsageError unless 0 < scale <= 2^40. Sums wrap modulo 2^64.
void add_rounded_laplace(BlockClaim claim, double scale, std::span<std::int64_t> values,
                         std::uint64_t first = 0);

namespace internal {

/// UsageError unless 0 < scale <= 2^40.
void check_laplace_scale(double scale);

/// add_rounded_laplace from an open keystream block. Not for users: a keystream block could noise
/// two sums, a claim cannot.
void add_rounded_laplace(const KeystreamBlock& block, double scale, std::span<std::int64_t> values,
                         std::uint64_t first = 0);

}  // namespace internal

}  // namespace tacet::random
