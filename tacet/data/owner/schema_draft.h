#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacet/data/owner/guess_spelling.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

struct DraftOptions {
  std::string target;  ///< name of the target's column; empty: no target
  FileFormat format;   ///< from guess_format(), or from the caller
  /// where the knowledge comes from that the first line contains names
  HeaderTrust trust = HeaderTrust::guessed;
  std::int64_t max_categories = 50;  ///< columns of texts with more different values are hashed
  SaidSpelling said = {};            ///< how numbers and dates are spelt, if that is known
  std::vector<std::string> missing = {};  ///< further texts for a missing value
  bool encoding_is_said = false;          ///< stated by a person, not guessed
};

/// A schema, and what the file cannot tell: remarks about columns, by their name, and about
/// [format] and [target].
struct SchemaDraft {
  Schema schema;
  ColumnRemarks remarks;
  /// Columns whose values may mean something else than the draft says, as their remarks explain.
  std::vector<std::string> doubtful = {};
};

/// A first schema for a CSV file that is declared public: types, bounds and categories are read off
/// its values, and so is how numbers, dates and missing values are spelt. DataError if the values
/// allow two readings (31.01. or 01.31., 1,234 as a fraction or a thousand): a person has to say
/// which, in `said`. DataError, with line and value, if the target is neither a number nor a class.
/// NOT PRIVATE: never use it on the data that are to be protected, since bounds and categories
/// would reveal records. Every bound and list is to be reviewed by a person.
[[nodiscard]] SchemaDraft draft_schema(const std::filesystem::path& public_file,
                                       const DraftOptions& options);
/// The same for public records, whose format is the one in the options.
[[nodiscard]] SchemaDraft draft_schema(const RecordSource& public_records,
                                       const DraftOptions& options);

}  // namespace tacet::data
