#pragma once

#include <string>

#include "tacet/model/model_file.h"

namespace tacet::model::internal {

/// JSON: the coefficients with the names of their features, the effect of a step of each column in
/// the units of the file (effects_json.h), and the schema, which says how a record becomes
/// features. For a wide model its architecture and numbers; for curves also the tables from which
/// they are computed.
[[nodiscard]] std::string coefficient_export(const ModelFile& file);

}  // namespace tacet::model::internal
