#pragma once

#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// Noise drawn on the integers themselves. Its formulas are its own: neither law is the rounding of
/// the continuous one, and the continuous formulas would promise too much for coarse noise.

/// The event of release_discrete_gaussian: P(k) ~ exp(-k^2 / (2 sigma^2)), sigma = multiplier times
/// the bound K of one record's L2 norm; (distance)^2 / (2 sigma^2)-zCDP in any dimension (Canonne,
/// Kamath, Steinke 2020).
[[nodiscard]] privacy::Event discrete_gaussian_event(const privacy::BoundedSum& sum,
                                                     privacy::NoiseMultiplier multiplier);

/// Releases a bounded sum plus discrete Gaussian noise on its grid, in real units. The exact
/// sampler takes the smallest fraction of denominator 2^20 from sigma^2 on. Debits `reservation` by
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
