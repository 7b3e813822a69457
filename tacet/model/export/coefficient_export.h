#pragma once

#include <string>

#include "tacet/model/model_file.h"

namespace tacet::model::internal {

/// JSON: the coefficients with the names of their features, what a step of each column does in the
/// units of the file (effects_json.h), and the schema that says how a record becomes its features.
/// Of a wide model its architecture and numbers; of curves also the tables that they are made by.
[[nodiscard]] std::string coefficient_export(const ModelFile& file);

}  // namespace tacet::model::internal
