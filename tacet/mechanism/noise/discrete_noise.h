#pragma once

#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// Noise drawn from laws on the integers. They have their own formulas: neither is the rounding of
/// a continuous law, and the continuous formulas would claim too much for coarse noise.

/// The event of release_discrete_gaussian: P(k) ~ exp(-k^2 / (2 sigma^2)), sigma = multiplier times
/// the bound K of one record's L2 norm; (distance)^2 / (2 sigma^2)-zCDP in any dimension (Canonne,
/// Kamath, Steinke 2020).
[[nodiscard]] privacy::Event discrete_gaussian_event(const privacy::BoundedSum& sum,
                                                     privacy::NoiseMultiplier multiplier);

/// Releases a bounded sum plus discrete Gaussian noise on its grid, in real units. The exact
/// sampler uses sigma^2 rounded up to a fraction with denominator 2^20. Debits `reservation` by
/// discrete_gaussian_event before a random bit is drawn. UsageError unless 2^-10 <= sigma <= 2^20.
[[nodiscard]] privacy::Released<std::vector<double>> release_discrete_gaussian(
    privacy::BoundedSum sum, privacy::NoiseMultiplier multiplier, const ReleaseContext& context);

/// The event of release_discrete_laplace: P(k) ~ exp(-|k| / t), t = multiplier times the bound of
/// one record's L1 norm; pure epsilon = distance / t.
[[nodiscard]] privacy::Event discrete_laplace_event(const privacy::BoundedSum& sum,
                                                    privacy::NoiseMultiplier multiplier);

/// As above with discrete Laplace noise. UsageError unless 2^-20 <= t <= 2^39.
[[nodiscard]] privacy::Released<std::vector<double>> release_discrete_laplace(
    privacy::BoundedSum sum, privacy::NoiseMultiplier multiplier, const ReleaseContext& context);

}  // namespace tacet::mechanism
