#pragma once

#include <cstdint>
#include <functional>

#include "tacet/accounting/routes/language.h"
#include "tacet/base/progress.h"

namespace tacet::accounting {

/// What a calibration must keep. `work`, if given, counts what the accountings compute and may end
/// them.
struct CalibrationTarget {
  Epsilon epsilon;
  Delta delta;
  Adjacency adjacency;
  WorkMeter* work = nullptr;
};

/// Noisy sums over Poisson samples, as minibatch training makes them: `steps` times Gaussian noise
/// on a sample that every record joins with probability `rate`. rate 1 reads all records each time.
/// The noise is that of the whole unit's bound, as in PoissonSampled.
struct SampledGaussianPlan {
  SamplingRate rate;
  std::int64_t steps;
  std::int64_t max_records_per_unit = 1;
};

/// The plan's event at a given noise.
[[nodiscard]] Event to_event(const SampledGaussianPlan& plan, NoiseMultiplier noise);

/// The smallest noise multiplier (standard deviation over the clipping norm C) that makes the plan
/// (epsilon, delta)-DP, rounded to the safe side: the returned value was itself accounted, and
/// spends at least epsilon (1 - 1e-3) (less where its interval is wider), or a multiplier smaller
/// by 2e-4 spends too much. A target
/// that no noise meets (delta 0 with finite epsilon) or an adjacency without proof is a
/// GuaranteeError.
[[nodiscard]] NoiseMultiplier calibrate_noise(const SampledGaussianPlan& plan,
                                              const CalibrationTarget& target);

/// The same for any family of events that cost less the larger the number is, between e^-14 and
/// e^30.
[[nodiscard]] double min_noise(const std::function<Event(double)>& event,
                               const CalibrationTarget& target);

/// Larger numbers of steps are not looked for.
inline constexpr std::int64_t max_steps_sought = std::int64_t{1} << 40;

/// The largest number of steps of a family of events that cost more the more steps they take which
/// stays (epsilon, delta)-DP; 0 where not even one does. At most max_steps_sought. It was itself
/// accounted. Up to 5000, one step more was accounted too and exceeds epsilon; larger numbers spend
/// at least epsilon (1 - 1e-3), or one larger by 2e-4 exceeds it.
[[nodiscard]] std::int64_t max_steps(const std::function<Event(std::int64_t)>& event,
                                     const CalibrationTarget& target);

/// The largest sampling rate that stays (epsilon, delta)-DP for `steps` steps at `noise`; 0 where
/// none above 1e-9 does. It was itself accounted, and spends at least epsilon (1 - 1e-3), or a rate
/// larger by 2e-4 exceeds it.
[[nodiscard]] SamplingRate calibrate_rate(std::int64_t steps, NoiseMultiplier noise,
                                          const CalibrationTarget& target);

}  // namespace tacet::accounting
