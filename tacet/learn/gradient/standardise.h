#pragma once

#include <cstdint>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/optimize/sums/moment_sum.h"

/// Scales numbers by their released means and standard deviations instead of only by their bounds,
/// and, if noise is large, gives rare categories larger features. One release of sums for a tenth
/// of the budget, before training.
namespace tacet::learn {

/// Mean and standard deviation from released means of 2 v - 1 and of its square, whose noise has a
/// standard deviation of at most `noise`. As the noise grows, they are drawn towards a mean of 0
/// and a variance of 0.1.
[[nodiscard]] data::Standard standard_of(double mean, double square, double noise);

/// The value of a category's feature, from the released share p of records in the category and the
/// standard deviation of its noise: (4 p)^(-1/3). A share below twice the noise counts as that.
[[nodiscard]] double scale_of(double share, double noise);

/// Releases the sums over records of data::raw_schema(schema). Returns the schema with the
/// standards of its columns, and with the target's standard in its curves if `moments` includes it.
[[nodiscard]] data::Schema release_standards(optimize::PartSums& raw, const data::Schema& schema,
                                             double noise_multiplier, std::int64_t public_row_count,
                                             optimize::Moments moments,
                                             const TrainingContext& context);

}  // namespace tacet::learn
