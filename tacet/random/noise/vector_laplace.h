#pragma once

#include <cstdint>
#include <span>

#include "tacet/random/exact/race.h"
#include "tacet/random/source/source.h"

namespace tacet::random {

/// Adds the coordinatewise rounding floor(X_j + 1/2) of a vector X of density proportional to
/// exp(-|X| / scale), |.| the Euclidean norm, exactly: A vector of integers plus this noise is a
/// rounding of the vector plus X. So it is epsilon-DP, without delta, for a Euclidean sensitivity
/// of epsilon * scale.
///
/// X| / scale is Gamma of shape d, a sum of d exponential variables; X / |X| is uniform on the
/// sphere, a normalised normal vector. Doubles with error bounds decide the coordinates; when one
/// is too close to a boundary, all are computed again with 512 random bits each (seconds for 10^4
/// coordinates). A UsageError unless 0 < scale <= 2^40. Sums wrap modulo 2^64.
void add_rounded_l2_laplace(BlockClaim claim, double scale, std::span<std::int64_t> values);

/// The largest number of words per coordinate that this reads from the claim: 512 bits for the
/// direction and 512 for the length.
constexpr std::int64_t l2_laplace_words = 16;

namespace internal {

/// The noise of one vector, computed with `arithmetic`.
void draw_rounded_l2_laplace(Stream& stream, double scale, std::span<std::int64_t> noise,
                             Arithmetic arithmetic);

}  // namespace internal
}  // namespace tacet::random
