#pragma once

#include <optional>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"

/// Protects units of several records with methods whose proof is about one record: a secret random
/// draw lets one record of each unit take part (docs/proofs/unit_draw.md). The public number of
/// records is then that of units.
namespace tacet::learn {

/// Does nothing without a unit column. Otherwise adds the draws' part of the PRG slack and a
/// reason. Call it before resolve_delta_left.
void resolve_unit_draw(MethodPlan& plan, const data::Schema& schema);

/// The records that take part; nothing without a unit column: then all do.
[[nodiscard]] std::optional<data::Dataset> drawn_records(const data::Dataset& dataset,
                                                         const data::Schema& schema,
                                                         const TrainingContext& context);

}  // namespace tacet::learn
