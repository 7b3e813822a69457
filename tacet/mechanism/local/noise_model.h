#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "tacet/mechanism/local/local_spec.h"

namespace tacet::mechanism {

/// What a learner may assume about decoded reports: they are unbiased estimates of the clipped
/// gradient g with |g| <= G and `dimension` coordinates. All of it is public. Privacy does not
/// depend on it.
struct NoiseModel {
  LocalMechanism mechanism = LocalMechanism::privunit;
  std::int64_t dimension = 1;  ///< of the gradient
  double clipping_norm = 1;    ///< G

  /// v: the variance in any direction, at the worst gradient; under `sign`, of the direction that
  /// was chosen.
  double variance = 0;
  /// Whether the noise is symmetric about 0.
  bool symmetric = false;
  /// B: the norm of every estimate, whatever a device sends; absent if reports are unbounded.
  std::optional<double> norm;
  /// An upper bound of the norm of decoded estimates: B if there is one. Otherwise longer estimates
  /// are cut to it, which happens to an honest report with a probability below 1e-12.
  double max_norm = 0;
  /// The largest |beta| for which `proxy` bounds E exp(beta <noise, u>).
  double range = std::numeric_limits<double>::infinity();

  // For directions, the estimate is `amplitude` times V. E<V, u>^2 is `along` in the gradient's
  // direction u, and `across` in every other direction.
  std::int64_t coordinates = 1;  ///< of the report: one more than `dimension` under lift
  double amplitude = 0;
  double along = 0;
  double across = 0;
  double tail = 0.5;       ///< probability of the cap, unrounded
  double inside = 0.5;     ///< probability that a report lies inside of the cap
  double threshold = 0;    ///< gamma, or z
  double noise_scale = 0;  ///< of additive mechanisms, in real units: theta, or s for a coordinate

  /// E |estimate|^2 for a gradient of this norm, 0 to G.
  [[nodiscard]] double second_moment(double gradient_norm) const;

  /// The least sigma^2 known with E exp(beta <noise, u>) <= exp(beta^2 sigma^2 / 2) for all |beta|
  /// <= a and unit vectors u. 0 < a <= range, below 1 / noise_scale for Laplace noise; else a
  /// UsageError. For privunit, privunitg and djw it is the largest value on a grid of beta and of
  /// directions, plus one hundredth. That is good enough for a learner's constants, but it is not a
  /// proof.
  [[nodiscard]] double proxy(double a) const;
};

}  // namespace tacet::mechanism
