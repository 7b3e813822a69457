#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// Finds the coordinates of a sum of sparse vectors that reach `threshold` grid units after each
/// got Gaussian noise: the rows that a step of private sparse training may touch (Ghazi and others
/// 2023, DP-AdaFEST). The noisy values themselves stay secret.
///
/// The law is that of release_gaussian on all coordinates followed by a comparison, exactly. That
/// holds also for coordinates that are 0: the result must not reveal which coordinates were
/// touched. Time and memory grow with the touched coordinates and the released ones only.
///
/// Debits `reservation` by Gaussian{multiplier}, under PoissonSampled where the sum says so, before
/// a random bit is drawn; comparing costs nothing. UsageError if the noise would be zero or wider
/// than 2^32 grid units, and for a threshold beyond 2^60. InternalError if anything was released
/// from the sum's sample before.
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> release_crossings(
    const privacy::SparseBoundedSum& sum, privacy::NoiseMultiplier multiplier,
    std::int64_t threshold, const ReleaseContext& context);

/// One of several releases from one sample, such as the rows that a step then noises: takes
/// Gaussian{multiplier} out of the permit.
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> release_crossings(
    const privacy::SparseBoundedSum& sum, privacy::NoiseMultiplier multiplier,
    std::int64_t threshold, const PermitContext& context);

}  // namespace tacet::mechanism
