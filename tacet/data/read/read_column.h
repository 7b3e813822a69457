#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/schema/schema.h"
#include "tacet/privacy/released.h"

namespace tacet::data {

/// Public bounds of a numeric column, from the schema.
struct ColumnBounds {
  double lower;
  double upper;
  bool date = false;  ///< days since 1970-01-01
};

/// The bounds of a numeric column or of a numeric target. UsageError for a name that the schema
/// does not describe or that is not a number there, and for files without named columns.
[[nodiscard]] ColumnBounds numeric_bounds(const Schema& schema, std::string_view column);

/// The values of a numeric column, in the order of the records. Missing and unreadable values
/// become what the schema says (`fill`, else the lower bound; the middle for a target). Values are
/// not clipped here. Errors as read_dataset and numeric_bounds; UsageError for a schema that
/// protects all records of a unit together.
[[nodiscard]] privacy::Private<std::vector<double>> read_numeric_column(
    const RecordSource& records, const Schema& schema, std::string_view column,
    const base::CancelToken* cancel = nullptr);
/// The same for a CSV file.
[[nodiscard]] privacy::Private<std::vector<double>> read_numeric_column(
    const std::filesystem::path& file, const Schema& schema, std::string_view column,
    const base::CancelToken* cancel = nullptr);

}  // namespace tacet::data
