#pragma once

#include <cstdint>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/training.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/optimize/sums/moment_sum.h"

/// Numbers counted by their released means and standard deviations instead of by their bounds
/// alone, and, where noise is large, categories the more the rarer they are: one release of sums
/// for a tenth of the budget, before training.
namespace tacet::learn {

/// Whether something could be released here before the steps.
[[nodiscard]] bool can_standardise(const data::Schema& schema, const GradientOptions& options);

/// Whether a plan standardises. UsageError where that was demanded and cannot be: without a number
/// or a listed category, for units, for samples, for several classes.
[[nodiscard]] bool resolve_standardise(const data::Schema& schema, const GradientOptions& options,
                                       std::int64_t records);

/// From this noise on categories are counted too: of the mean gradient, for gradients of norm 1, if
/// the whole budget went into one release.
constexpr double min_noise_counted = 0.01;

/// Whether the release counts categories: two classes, the logistic loss, categories with a feature
/// each, and as much noise; or no number to release anything of. Not where means alone are asked
/// for.
[[nodiscard]] bool counts_categories(const data::Schema& schema, Standardise asked,
                                     const model::Loss& loss, double noise);

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
