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

/// Everything a column holds, private. A missing value is in none of these.
struct ColumnContents {
  std::vector<double> numbers;                ///< values that are numbers
  std::map<std::string, std::int64_t> codes;  ///< texts of one or two words, with their counts
  std::int64_t code_count = 0;
  std::int64_t prose_count = 0;  ///< longer texts
};

/// The names of a CSV file's columns, which are public: from the format, or the first line.
[[nodiscard]] std::vector<std::string> column_names(const std::filesystem::path& file,
                                                    const FileFormat& format);

/// What the values of one column are taken for.
struct ContentsRule {
  NumberReader reader = {};               ///< of its numbers, or of its dates as days
  bool codes = false;                     ///< every value is a text, also where it is a number
  std::vector<std::string> missing = {};  ///< further missing values
};

struct ContentsOptions {
  std::span<const std::string> expected{};    ///< the columns that were planned for; empty: any
  const base::CancelToken* cancel = nullptr;  ///< may end the reading
  UnitSample* sample = nullptr;               ///< only records that it takes; null: all
  std::vector<ContentsRule> rules{};          ///< one a column; empty: plain numbers in all
};

/// One pass over the records; values that have types count as a file would spell them. Texts that
/// are no UTF-8 or hold control characters, which no schema can name, count as prose. DataError
/// where the columns are not those expected, else errors as read_dataset.
[[nodiscard]] std::vector<privacy::Private<ColumnContents>> read_contents(
    const RecordSource& records, std::span<const std::string> missing,
    const ContentsOptions& options = {});

}  // namespace tacet::data
