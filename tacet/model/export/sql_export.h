#pragma once

#include <string>

#include "tacet/model/export/export.h"

namespace tacet::model::internal {

/// One query that scores the rows of a table: the columns to keep, `prediction`, the margins
/// (`margin`, or `margin_1` to `margin_k`) and probabilities (`probability` of the second of two
/// classes, or `probability_1` to `probability_k`). UsageError for a model that SQL cannot hold.
[[nodiscard]] std::string sql_export(const ModelFile& file, const ExportOptions& options);

}  // namespace tacet::model::internal
