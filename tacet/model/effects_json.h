#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"

namespace tacet::model {

/// What column_effects() finds, as it is printed and exported: of each output a list with an entry
/// per column. A step has its effect, the standard deviation of privacy's noise in it where that is
/// known, and of classes with probabilities its odds ratio; a curve has its range and direction.
/// Empty lists where no coefficient is one of a column.
[[nodiscard]] std::vector<nlohmann::ordered_json> effects_json(const data::Schema& schema,
                                                               const LinearModel& model);

}  // namespace tacet::model
