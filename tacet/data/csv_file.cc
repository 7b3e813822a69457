#include "tacet/data/csv_file.h"

#include <fmt/format.h>

#include "tacet/base/error.h"

namespace tacet::data {

CsvOptions csv_options(const FileFormat& format) {
  return {.separator = format.separator,
          .quote = format.quote,
          .trim = format.trim,
          .fill_short = format.fill_short};
}

std::vector<std::string> read_column_names(CsvReader& reader, const FileFormat& format) {
  std::vector<std::string> names = format.names;
  if (format.header) {
    const auto header = reader.next();
    if (!header) {
      throw base::DataError(fmt::format(
          "{}:1: the file is empty; a line of column names is expected", reader.file_name()));
    }
    names.assign(header->begin(), header->end());
  }
  reader.expect_columns(names.size());
  return names;
}

}  // namespace tacet::data
