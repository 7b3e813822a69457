#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tacet/data/owner/value_check.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

struct SchemaCheck {
  std::int64_t rows = 0;
  bool lines = true;  ///< first_line is a line; else the number of a record
  std::vector<ColumnFaults> columns;
  /// Classes that no record has. If one of two classes is empty, a label was probably misspelt, and
  /// nothing can be learnt.
  std::vector<std::string> empty_classes;
  /// The number of names of the schema's unit that differ from an earlier one only by case or
  /// blanks (similar_units.h), and the line of the first of them, or 0.
  std::int64_t similar_units = 0;
  std::int64_t similar_units_line = 0;
  /// Remarks about texts in columns with categories that may be misspelt (similar_texts.h).
  std::vector<std::string> remarks;
};

/// A warning about names of units that look the same; empty if there are none.
[[nodiscard]] std::string unit_warning(const SchemaCheck& found, const Schema& schema);

/// A message about a class of a two-class target without records; empty if both have some.
[[nodiscard]] std::string label_fault(const SchemaCheck& found, const Schema& schema);

/// A message about the first target that is neither missing nor a number or class of the schema,
/// with its file, line, column and value; empty if there is none.
[[nodiscard]] std::string strange_target(const SchemaCheck& found, const Schema& schema,
                                         const std::filesystem::path& file);

/// For each record of a CSV file, the columns in which the schema replaces a value, separated by
/// semicolons; the target is not checked. NOT PRIVATE, as below.
[[nodiscard]] std::vector<std::string> mapped_columns(const std::filesystem::path& file,
                                                      const Schema& schema);
/// The same for the bytes of such a file; its name is for messages.
[[nodiscard]] std::vector<std::string> mapped_columns(std::unique_ptr<ByteSource> bytes,
                                                      const std::string& file,
                                                      const Schema& schema);

/// Counts, for the owner of a file, the values that the schema replaces: by column in CSV files,
/// over all features in others, and for the labels. NOT PRIVATE: the result is computed from the
/// records without noise and must not leave the owner. Structural faults stay DataErrors.
[[nodiscard]] SchemaCheck check_values(const std::filesystem::path& file, const Schema& schema);
/// The same for the bytes of a text file; its name is for messages.
[[nodiscard]] SchemaCheck check_values(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                       const Schema& schema);

}  // namespace tacet::data
