#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tacet/model/model_file.h"

namespace tacet::report {

/// The lines of a regression table as a file of another program: `csv`, all numbers of all lines
/// and then of the contrasts, with nothing where one is not identified; or `latex`, a tabular in
/// three to four digits with its notes. UsageError for another format, and as regression_json.
[[nodiscard]] std::string regression_file(const model::ModelFile& file, std::string_view format,
                                          double level = .95,
                                          std::span<const std::string> contrasts = {});

}  // namespace tacet::report
