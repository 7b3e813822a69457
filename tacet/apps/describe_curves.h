#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacet/model/model_file.h"

/// Describes models with curves, for people and for programs, by their predictions along each
/// column.
namespace tacet::apps {

/// One paragraph, above reports that say more.
[[nodiscard]] std::string curves_summary(const model::ModelFile& file);
[[nodiscard]] std::string curves_text(const model::ModelFile& file);
[[nodiscard]] nlohmann::ordered_json curves_json(const model::ModelFile& file);

}  // namespace tacet::apps
