#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"

namespace tacet::model {

/// The result of column_effects() in the form that is printed and exported: for each output a list
/// with one entry per column. A step has its effect, the standard deviation of the privacy noise in
/// it if that is known, and for classes with probabilities its odds ratio; a curve has its range
/// and direction. Empty lists if no coefficient belongs to a column.
[[nodiscard]] std::vector<nlohmann::ordered_json> effects_json(const data::Schema& schema,
                                                               const LinearModel& model);

}  // namespace tacet::model
