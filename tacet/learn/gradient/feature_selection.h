#pragma once

#include <cstdint>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/release_context.h"

/// Training on the columns worth having: of very many hashed words or numbered features most never
/// occur, and each would get as much noise as the others. One release tells which of them occur
/// often enough to be told from noise; training goes on with these.
///
/// The release is that of mechanism::release_crossings on the counts of columns, each record a
/// vector of norm 1 (optimize/sums/presence_sum.h), at a threshold of feature_selection_threshold()
/// standard deviations of its noise: one Gaussian event, whatever the number of columns.
/// The list is public and stands in the model's schema. docs/methods/feature-selection.md.
namespace tacet::learn {

/// Columns that the course of training is planned for before their number is known.
inline constexpr std::int64_t expected_kept = 1024;

/// Choosable columns from which `auto` selects: bench/utility/auto.py.
inline constexpr std::int64_t min_columns_to_select = 4096;

/// How many standard deviations of its noise a count has to reach: those that about 16 of the
/// columns to choose among would pass if none occurred, 3 at least.
[[nodiscard]] double feature_selection_threshold(const data::Schema& schema);

/// The share of mu^2 that goes to the choice, 0 where all columns are kept. UsageError where a
/// choice is asked for and not possible.
/// `in_the_way` is what else of the method excludes a choice, null where nothing does.
[[nodiscard]] double resolve_column_share(const data::Schema& schema,
                                          const FeatureSelectionOptions& options,
                                          const char* in_the_way = nullptr);

/// NumericError, before anything is booked, for noise wider than the sampler's grid.
void check_kept_noise(double noise_multiplier);

/// The PRG slack of the choice among this number of columns.
[[nodiscard]] double kept_prg_slack(std::int64_t columns);
/// Number of columns that may be left out.
[[nodiscard]] std::int64_t choosable_count(const data::Schema& schema);

/// Releases which columns to keep; the schema with their list.
[[nodiscard]] data::Schema release_selected_columns(
    optimize::PartSums& records, const data::Schema& schema, double noise_multiplier,
    const TrainingContext& context, mechanism::NoiseAddress address = {.tensor = 2});

}  // namespace tacet::learn
