#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/model/class_weights.h"

namespace tacet::optimize {

/// What one privacy unit may contribute to a sum of gradients.
struct ContributionLimit {
  double clipping_norm = 1;       ///< C, in real units: bound of one unit's contribution
  int norm_bits = 26;             ///< C is 2^norm_bits grid units; 14 to 30
  double slope_bound = HUGE_VAL;  ///< of one record's scalar slope, in real units; for GradientSum
  std::int64_t max_records_per_unit = 1;  ///< records of a unit that take part, at least 1; the
                                          ///< bound C is shared equally among them
  model::ClassWeights class_weights{};    ///< of gradients before they are clipped; for GradientSum
};

/// The largest integer A with A^2 * squared_norm <= norm^2; 0 for a row of zeros, whose gradient is
/// zero anyway. 0 <= norm <= 2^30.
[[nodiscard]] std::int32_t scalar_bound(std::int64_t norm, std::int64_t squared_norm);

/// Which records take part where at most `max_per_unit` of each unit do: the first ones in the
/// data's order. Records without a unit do not; where the data have no units, all do. To be asked
/// about each record once, in their order. Which records of a unit those are depends on them alone,
/// so a unit more or less moves no other one.
class FirstOfUnits {
 public:
  FirstOfUnits(const data::Dataset& dataset, std::int64_t max_per_unit);

  [[nodiscard]] bool takes_part(std::int64_t row);

 private:
  const data::Dataset& dataset_;
  std::int64_t max_per_unit_;
  base::SpooledVector<std::int64_t> seen_;  // records of each unit
};

/// A for every record of a data set: what its scalar may be so that its unit stays within the
/// limit; 0 for one that takes no part, beyond the first `max_records_per_unit` of its unit.
[[nodiscard]] base::SpooledVector<std::int32_t> scalar_bounds(const data::Dataset& dataset,
                                                              const ContributionLimit& limit);

/// The integer nearest to `scalar`, clamped to [-bound, bound]; 0 when it is not finite. The clamp
/// comes first and in floating point, so no value is ever out of an integer's range.
[[nodiscard]] double clamp_scalar(double scalar, std::int32_t bound);
/// The same for many, each with a limit of its own, an integer of at most 2^30.
void clamp_each(std::span<double> scalars, std::span<const double> limits);

/// Replaces several scalars of one record, one an output, by integers whose L2 norm is at most
/// `bound`: scaled down where it is larger, truncated toward zero, and checked in integers.
void clamp_scalars(std::span<double> scalars, std::int32_t bound);

/// The limit's norm rounded down to 24 significant bits, so that dividing it by a power of two is
/// exact. UsageError unless the norm is positive and finite, norm_bits is 14 to 30 and
/// max_records_per_unit is at least 1.
[[nodiscard]] double checked_clipping_norm(const ContributionLimit& limit);

}  // namespace tacet::optimize
