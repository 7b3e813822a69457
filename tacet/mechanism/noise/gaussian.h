#pragma once

#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/mechanism/sample_permit.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The event of release_gaussian: Gaussian{multiplier}, under the sum's sample. UsageError when the
/// noise would be zero, or wider than 2^32 grid units.
[[nodiscard]] privacy::Event gaussian_event(const privacy::BoundedSum& sum,
                                            privacy::NoiseMultiplier multiplier);

/// Releases a bounded sum plus Gaussian noise, in real units.
///
/// The noise is a rounded Gaussian on the sum's own grid with standard deviation `multiplier` times
/// the bound of one record's contribution, rounded up. A sum of integers plus rounded noise is the
/// rounding of the same sum plus real Gaussian noise, so every guarantee of the continuous
/// mechanism holds for it unchanged: Gaussian DP with mu = sensitivity(adjacency) / (multiplier C)
/// (Dong, Roth, Su 2019), which is (epsilon, delta)-DP by Balle and Wang (2018).
///
/// Debits `reservation` by gaussian_event before a random bit is drawn; earlier errors cost
/// nothing. InternalError if anything was released from the sum's sample before.
///
/// The result uses the memory of `storage` if it is large enough. Pass an old release, so that a
/// long run touches new pages only once and not at every step.
///
/// Example:
///
///     // One release of a certified sum; the permit was booked before records were read.
///     const auto release = [](privacy::BoundedSum sum, privacy::Reservation& permit) {
///       const auto source = random::SecureSource::create();
///       const privacy::NoiseMultiplier noise(1.5);
///       return mechanism::release_gaussian(std::move(sum), noise, {{.step = 0}, *source, permit});
///     };
[[nodiscard]] privacy::Released<std::vector<double>> release_gaussian(
    privacy::BoundedSum sum, privacy::NoiseMultiplier multiplier, const ReleaseContext& context,
    std::vector<double> storage = {});

/// One of several releases from one sample: takes Gaussian{multiplier} out of the permit.
[[nodiscard]] privacy::Released<std::vector<double>> release_gaussian(
    privacy::BoundedSum sum, privacy::NoiseMultiplier multiplier, const PermitContext& context);

/// Releases a sum of blocks plus Gaussian noise, in real units: rounded Gaussians of standard
/// deviation `multiplier` times the block's scale, rounded up, on the sum's grid.
///
/// Proof: divided by the standard deviation of its block, every value has noise of standard
/// deviation 1, and neighbours differ by at most distance_factor(adjacency) / multiplier in L2:
/// Gaussian DP with that mu, as release_gaussian of a BoundedSum, and the same event,
/// Gaussian{multiplier}, debited before a random bit is drawn (docs/proofs/gram.md). Block i takes
/// its noise from tensor address.tensor + i. UsageError if the noise would be zero or wider than
/// 2^32 grid units; InternalError if the sum is not certified for the reservation's adjacency.
[[nodiscard]] privacy::Released<std::vector<double>> release_gaussian(
    privacy::WeightedSum sum, privacy::NoiseMultiplier multiplier, ReleaseContext context);

}  // namespace tacet::mechanism
