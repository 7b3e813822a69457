#pragma once

#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"
#include "tacet/privacy/weighted_sum.h"

namespace tacet::mechanism {

/// Releases a sum of blocks plus Gaussian noise, in real units: rounded Gaussians of standard
/// deviation `multiplier` times the block's scale, rounded up, on the sum's grid.
///
/// Divided by its block's standard deviation every value has noise of standard deviation 1, and
/// neighbours differ by at most distance_factor(adjacency) / multiplier in L2: Gaussian DP with
/// that mu, as release_gaussian of a BoundedSum, and the same event, Gaussian{multiplier}, debited
/// before a random bit is drawn (docs/proofs/gram.md). Block i takes its noise from tensor
/// address.tensor + i. UsageError when noise would be zero or wider than 2^32 grid units;
/// InternalError where the sum is not certified for the reservation's adjacency.
[[nodiscard]] privacy::Released<std::vector<double>> release_gaussian(
    privacy::WeightedSum sum, privacy::NoiseMultiplier multiplier, ReleaseContext context);

}  // namespace tacet::mechanism
