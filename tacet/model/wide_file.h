#pragma once

#include <string_view>

#include "tacet/model/model_file.h"

/// The file of a wide model: a line of JSON, then its numbers (model/model_file.h). DataErrors name
/// the field, not the file.
namespace tacet::model::internal {

inline constexpr std::string_view wide_file_start = R"({"format":"tacet-model","version":2,)";

void write_wide_model(const ModelFile& file, const TextSink& sink);
[[nodiscard]] ModelFile read_wide_model(std::string_view content);

}  // namespace tacet::model::internal
