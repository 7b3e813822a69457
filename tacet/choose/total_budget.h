#pragma once

#include <functional>

#include "tacet/choose/read_options.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"

namespace tacet::choose {

/// The training that is left when a schema's fit and the training together may cost `total_epsilon`
/// (at the sum of both deltas, data::with_schema_cost): plan_training at the largest epsilon that
/// keeps it, to a thousandth of the total. The epsilon of the request is not read. UsageError
/// unless 0 < total_epsilon < infinity; GuaranteeError where the fit leaves nothing; else as
/// plan_training and with_schema_cost. For a schema that cost nothing it is all of it.
[[nodiscard]] learn::Training plan_within(const data::Schema& schema, ResolvedRequest request,
                                          double total_epsilon);

/// The same for whatever is planned at an epsilon, which is no larger than the total.
using PlanAt = std::function<learn::Training(double epsilon)>;
[[nodiscard]] learn::Training plan_within(const data::Schema& schema, privacy::Adjacency adjacency,
                                          double total_epsilon, const PlanAt& plan_at);

}  // namespace tacet::choose
