#pragma once

#include <cstdint>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/optimize/sums/moment_sum.h"

/// Numbers counted by their released means and standard deviations instead of by their bounds
/// alone, and, where noise is large, categories the more the rarer they are: one release of sums
/// for a tenth of the budget, before training.
namespace tacet::learn {

/// Mean and standard deviation from released means of 2 v - 1 and its square, which have noise of
/// standard deviation `noise` at most: as the noise grows, drawn towards a mean of 0 and a variance
/// of 0.1.
[[nodiscard]] data::Standard standard_of(double mean, double square, double noise);

/// What a category's feature holds, from the released share of the records that have it and the
/// standard deviation of its noise: (4 p)^(-1/3), shares below twice the noise taken as that.
[[nodiscard]] double scale_of(double share, double noise);

/// Releases the sums of records of data::raw_schema(schema), and gives the schema with the
/// standards of its columns, and with that of the target in its curves where `moments` has it.
[[nodiscard]] data::Schema release_standards(optimize::PartSums& raw, const data::Schema& schema,
                                             double noise_multiplier, std::int64_t public_row_count,
                                             optimize::Moments moments,
                                             const TrainingContext& context);

}  // namespace tacet::learn
