#pragma once

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"

/// Trains any method on the columns that private feature selection kept
/// (learn/gradient/feature_selection.h; `gradient` has its own way, whose steps follow the budget):
/// one release tells which columns occur often enough, and the method is planned and run on these.
///
/// Both are booked before a record is read. The method is planned for an epsilon of its own, the
/// largest found at which the accountant proves the one that was asked for of both releases
/// together: for Gaussian noise that is exact, mu^2 being shared. Once the columns are known it is
/// planned again for them; its releases are those that were booked, which only a method has whose
/// releases do not follow the number of columns. Should it refuse them all the same, or release
/// something else, it learns on the columns that it was planned for: once something was released,
/// no run ends without a model for what was found. docs/proofs/feature-selection.md.
namespace tacet::learn {

/// At most this number of columns are kept, the first of those that were found. It is 4,096 for a
/// method that has no room for more.
inline constexpr std::int64_t max_kept = 65536;

/// UsageError for a method whose releases follow the number of columns, a paper's calibration and
/// delta 0; what the method itself refuses.
[[nodiscard]] Training plan_on_selected_columns(const Method& method, const data::Schema& schema,
                                                const ParameterValues& asked, double share);

}  // namespace tacet::learn
