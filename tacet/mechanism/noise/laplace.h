#pragma once

#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The event of release_laplace: Laplace{multiplier}. UsageError when the noise would be zero, or
/// wider than 2^40 grid units.
[[nodiscard]] privacy::Event laplace_event(const privacy::BoundedSum& sum,
                                           privacy::NoiseMultiplier multiplier);

/// Releases a bounded sum plus Laplace noise on each coordinate, of scale `multiplier` times the
/// bound of one record's L1 norm: pure epsilon = distance / multiplier. The noise is the rounding
/// of real Laplace noise to the sum's grid, so that every formula of the continuous law holds
/// (Mironov 2017, proposition 6 for Renyi orders).
///
/// Debits `reservation` by laplace_event before a random bit is drawn; errors of that come before
/// the debit.
[[nodiscard]] privacy::Released<std::vector<double>> release_laplace(
    privacy::BoundedSum sum, privacy::NoiseMultiplier multiplier, const ReleaseContext& context);

/// The event of release_l2_laplace: pure epsilon, and nothing better in general.
[[nodiscard]] privacy::Event l2_laplace_event(privacy::Epsilon epsilon,
                                              privacy::Adjacency adjacency);

/// Releases a bounded sum plus a noise vector of density proportional to exp(-|z| / b), |.| the
/// Euclidean norm and b the sum's L2 sensitivity over epsilon, rounded to the grid: pure epsilon
/// with about 1/sqrt(2) of the noise that Laplace noise on each coordinate needs. In one dimension
/// both are the same.
///
/// Debits `reservation` by l2_laplace_event before a random bit is drawn. UsageError, before the
/// debit, if the noise would be zero or wider than 2^40 grid units.
[[nodiscard]] privacy::Released<std::vector<double>> release_l2_laplace(
    privacy::BoundedSum sum, privacy::Epsilon epsilon, privacy::Adjacency adjacency,
    const ReleaseContext& context);

}  // namespace tacet::mechanism
