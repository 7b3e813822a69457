#pragma once

#include <string>
#include <vector>

#include "tacet/data/csv.h"
#include "tacet/data/schema.h"

namespace tacet::data {

[[nodiscard]] CsvOptions csv_options(const FileFormat& format);

/// The file's column names, from its first record or from the format; further records must have as
/// many columns. A file without even a header is a DataError.
[[nodiscard]] std::vector<std::string> read_column_names(CsvReader& reader,
                                                         const FileFormat& format);

}  // namespace tacet::data
