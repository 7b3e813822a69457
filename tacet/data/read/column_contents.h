#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/encode/number_reader.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/read/unit_sample.h"
#include "tacet/data/schema/schema.h"
#include "tacet/privacy/released.h"

namespace tacet::data {

/// The contents of a column; they are private. Missing values are left out.
struct ColumnContents {
  std::vector<double> numbers;                ///< values that are numbers
  std::map<std::string, std::int64_t> codes;  ///< texts of one or two words, with their counts
  std::int64_t code_count = 0;
  std::int64_t prose_count = 0;  ///< longer texts
};

/// The names of a CSV file's columns, which are public: from the format, or the first line.
[[nodiscard]] std::vector<std::string> column_names(const std::filesystem::path& file,
                                                    const FileFormat& format);

/// How the values of one column are read.
struct ContentsRule {
  NumberReader reader = {};               ///< for its numbers, or for its dates as days
  bool codes = false;                     ///< every value is a text, even if it is a number
  std::vector<std::string> missing = {};  ///< further missing values
};

struct ContentsOptions {
  /// the columns for which the run was planned; empty: any
  std::span<const std::string> expected{};
  const base::CancelToken* cancel = nullptr;  ///< may end the reading
  UnitSample* sample = nullptr;               ///< decides which records count; null: all
  std::vector<ContentsRule> rules{};  ///< one per column; empty: all columns have plain numbers
};

/// One pass over the records; Typed values count as the text that a file would contain. Texts that
/// are not UTF-8, or contain control characters, cannot be named in a schema and count as prose.
/// DataError if the columns are not the expected ones; otherwise errors as read_dataset.
[[nodiscard]] std::vector<privacy::Private<ColumnContents>> read_contents(
    const RecordSource& records, std::span<const std::string> missing,
    const ContentsOptions& options = {});

}  // namespace tacet::data
