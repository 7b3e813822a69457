#pragma once

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"

/// Trains any method on the columns that private feature selection kept
/// (learn/gradient/feature_selection.h). `gradient` does this itself, since its steps depend on the
/// budget. One release finds the columns that occur often enough, and the method is planned and run
/// on these.
///
/// Both are booked before a record is read. The method gets its own epsilon: the largest one found
/// at which the accountant proves the requested epsilon for both releases together. For Gaussian
/// noise that is exact, since mu^2 is divided. When the columns are known, the method is planned
/// again for them. Its releases must be those that were booked, so only methods whose releases do
/// not depend on the number of columns are accepted. If the method still refuses the columns, or
/// would release something else, it trains on the columns for which it was planned: after a
/// release, no run ends without a model because of what was found.
/// docs/proofs/feature-selection.md.
namespace tacet::learn {

/// The largest number of columns that are kept, the first of those that were found. It is 4,096 for
/// a method that cannot take more.
inline constexpr std::int64_t max_kept = 65536;

/// UsageError for a method whose releases depend on the number of columns, for a paper's
/// calibration and for delta 0; and the errors of the method.
[[nodiscard]] Training plan_on_selected_columns(const Method& method, const data::Schema& schema,
                                                const ParameterValues& asked, double share);

}  // namespace tacet::learn
