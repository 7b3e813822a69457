#pragma once

#include <cstdint>

#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::privacy {

/// Noisy sums over Poisson samples, as minibatch training makes them: `steps` times Gaussian noise
/// on a sample that every record joins with probability `rate`. rate 1 reads all records each time.
struct SampledGaussianPlan {
  SamplingRate rate;
  std::int64_t steps;
};

/// The plan's event at a given noise.
[[nodiscard]] Event to_event(const SampledGaussianPlan& plan, NoiseMultiplier noise);

/// The smallest noise multiplier (standard deviation over the clipping norm C) that makes the plan
/// (epsilon, delta)-DP, rounded to the safe side: the returned value was itself accounted. A target
/// that no noise meets (delta 0 with finite epsilon) or an adjacency without proof is a
/// GuaranteeError.
[[nodiscard]] NoiseMultiplier calibrate_noise(const SampledGaussianPlan& plan, Epsilon epsilon,
                                              Delta delta, Adjacency adjacency);

/// The largest number of steps at `noise` that stays (epsilon, delta)-DP; 0 where not even one
/// does. At most 2^40.
[[nodiscard]] std::int64_t calibrate_steps(SamplingRate rate, NoiseMultiplier noise,
                                           Epsilon epsilon, Delta delta, Adjacency adjacency);

/// The largest sampling rate, to a relative 1e-3 and rounded down, that stays (epsilon, delta)-DP
/// for `steps` steps at `noise`; 0 where none above 1e-9 does.
[[nodiscard]] SamplingRate calibrate_rate(std::int64_t steps, NoiseMultiplier noise,
                                          Epsilon epsilon, Delta delta, Adjacency adjacency);

}  // namespace tacet::privacy
