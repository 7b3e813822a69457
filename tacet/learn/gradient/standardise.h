#pragma once

#include <cstdint>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/linear_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/bounded_sum.h"

/// Numbers counted by their released means and deviations instead of by their bounds alone: one
/// release of sums for a tenth of the budget, before training.
namespace tacet::learn {

/// Share of mu^2 that the release of the sums takes; mu^2 of Gaussian releases add up.
constexpr double standardise_share = 0.1;

/// Whether means and deviations could be released here before the steps.
[[nodiscard]] bool can_standardise(const data::Schema& schema, const LinearOptions& options);

/// Whether a plan standardises. UsageError where that was demanded and cannot be: without numeric
/// columns, under encoding 1, for units, for samples, for several classes.
[[nodiscard]] bool settle_standardise(const data::Schema& schema, const LinearOptions& options,
                                      std::int64_t records);

/// Sums over the records of (2 v - 1) / 2 and (2 v - 1)^2 - 1/2, a pair a numeric column: within
/// 1/2 each, so that a record contributes at most sqrt(2 k) / 2, certified in integers. `raw` holds
/// records of data::raw_schema(schema).
[[nodiscard]] privacy::BoundedSum moment_sum(const data::Dataset& raw, const data::Schema& schema,
                                             int norm_bits);

/// Mean and deviation from released means of 2 v - 1 and its square, which have noise of standard
/// deviation `noise` at most: drawn towards 0 and a variance of 0.1 as the noise grows.
[[nodiscard]] data::Standard standard_of(double mean, double square, double noise);

/// Releases the sums and gives the schema with its standards.
[[nodiscard]] data::Schema release_standards(const data::Dataset& raw, const data::Schema& schema,
                                             double noise_multiplier, std::int64_t public_row_count,
                                             const TrainingMeans& means);

}  // namespace tacet::learn
