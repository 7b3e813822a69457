#pragma once

#include <cstdint>
#include <functional>

#include "tacet/accounting/routes/language.h"
#include "tacet/base/progress.h"

namespace tacet::accounting {

/// The guarantee that a calibration must keep. `work`, if given, counts the accountings' work and
/// may end them.
struct CalibrationTarget {
  Epsilon epsilon;
  Delta delta;
  Adjacency adjacency;
  WorkMeter* work = nullptr;
};

/// Noisy sums over Poisson samples, as minibatch training makes them: `steps` times Gaussian noise
/// on a sample that every record joins with probability `rate`. rate 1 reads all records each time.
/// The noise is relative to the bound of a whole unit, as in PoissonSampled.
struct SampledGaussianPlan {
  SamplingRate rate;
  std::int64_t steps;
  std::int64_t max_records_per_unit = 1;
};

/// The plan's event with the given noise.
[[nodiscard]] Event to_event(const SampledGaussianPlan& plan, NoiseMultiplier noise);

/// The smallest noise multiplier (standard deviation over the clipping norm C) that makes the plan
/// (epsilon, delta)-DP, rounded to the safe side: the returned value was itself accounted, and
/// spends at least epsilon (1 - 1e-3) (less where its interval is wider), or a multiplier smaller
/// by 2e-4 spends too much. A target
/// that no noise meets (delta 0 with finite epsilon) or an adjacency without proof is a
/// GuaranteeError.
[[nodiscard]] NoiseMultiplier calibrate_noise(const SampledGaussianPlan& plan,
                                              const CalibrationTarget& target);

/// As calibrate_noise(), for any family of events whose cost falls as the number grows. The number
/// is between e^-14 and e^30.
[[nodiscard]] double min_noise(const std::function<Event(double)>& event,
                               const CalibrationTarget& target);

/// The search ends at this number of steps.
inline constexpr std::int64_t max_steps_sought = std::int64_t{1} << 40;

/// The largest number of steps that stays (epsilon, delta)-DP, for a family of events whose cost
/// grows with the steps; 0 if one step is too many. At most max_steps_sought. It was itself
/// accounted. Up to 5000, one step more was accounted too and exceeds epsilon; larger numbers spend
/// at least epsilon (1 - 1e-3), or one larger by 2e-4 exceeds it.
[[nodiscard]] std::int64_t max_steps(const std::function<Event(std::int64_t)>& event,
                                     const CalibrationTarget& target);

/// The largest sampling rate that stays (epsilon, delta)-DP for `steps` steps at `noise`; 0 if no
/// rate above 1e-9 does. It was itself accounted, and spends at least epsilon (1 - 1e-3), or a rate
/// larger by 2e-4 exceeds it.
[[nodiscard]] SamplingRate calibrate_rate(std::int64_t steps, NoiseMultiplier noise,
                                          const CalibrationTarget& target);

}  // namespace tacet::accounting
