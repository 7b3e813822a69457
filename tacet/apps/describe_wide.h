#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacet/model/model_file.h"

namespace tacet::apps {

/// A wide model's architecture, field by field, for a person and for a program. Its numbers say
/// nothing by themselves.
[[nodiscard]] std::string wide_text(const model::ModelFile& file);
[[nodiscard]] nlohmann::ordered_json wide_json(const model::ModelFile& file);

}  // namespace tacet::apps
