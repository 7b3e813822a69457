#pragma once

#include <cstdint>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/release_context.h"

/// Private feature selection. Most of very many hashed words or numbered features never occur, but
/// each would get as much noise as the others. One release finds the columns that occur often
/// enough to stand out from the noise, and training continues with these.
///
/// The release is that of mechanism::release_crossings on the counts of columns, where each record
/// is a vector of norm 1 (optimize/sums/presence_sum.h). Its threshold is
/// feature_selection_threshold() standard deviations of its noise. It is one Gaussian event,
/// whatever the number of columns. The list is public, and the model's schema contains it.
/// docs/methods/feature-selection.md.
namespace tacet::learn {

/// Columns that the course of training is planned for before their number is known.
inline constexpr std::int64_t expected_kept = 1024;

/// Choosable columns from which `auto` selects: bench/utility/auto.py.
inline constexpr std::int64_t min_columns_to_select = 4096;

/// The threshold in standard deviations of the noise of a count. If no column occurred, about 16 of
/// the columns would pass it by chance; at least 3.
[[nodiscard]] double feature_selection_threshold(const data::Schema& schema);

/// The share of mu^2 for the selection; 0 if all columns are kept. UsageError if a selection is
/// asked for but not possible. `in_the_way` names another part of the method that excludes it; null
/// if none does.
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
