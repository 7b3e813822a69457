#pragma once

#include <optional>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"

/// How methods whose proof is about one record protect units of several: one record of each takes
/// part, drawn at random in secret (docs/proofs/unit_draw.md). The public number of records is
/// then that of units.
namespace tacet::learn {

/// Nothing without a unit column; else the draws' part of the PRG slack, and a reason. Before
/// resolve_delta_left.
void resolve_unit_draw(MethodPlan& plan, const data::Schema& schema);

/// The records that take part; nothing without a unit column: then all do.
[[nodiscard]] std::optional<data::Dataset> drawn_records(const data::Dataset& dataset,
                                                         const data::Schema& schema,
                                                         const TrainingContext& context);

}  // namespace tacet::learn
