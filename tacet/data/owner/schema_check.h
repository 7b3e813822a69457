#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// How many values of one column, or of all features without names, the schema had to map.
/// `first_line` is the line of the first such value, in array files the number of its record; 0 if
/// there is none.
struct ColumnFaults {
  std::string column;
  std::int64_t missing = 0;
  std::int64_t unreadable = 0;  ///< a finite number was expected
  std::int64_t below = 0;
  std::int64_t above = 0;
  std::int64_t unknown = 0;  ///< not among the categories or classes; ids out of range
  /// Dropped: features without a column or repeated in a record, and ids behind the first
  /// `max_ids`.
  std::int64_t outside = 0;
  std::int64_t first_line = 0;

  [[nodiscard]] std::int64_t total() const {
    return missing + unreadable + below + above + unknown + outside;
  }
};

struct SchemaCheck {
  std::int64_t rows = 0;
  bool lines = true;  ///< first_line counts lines; else records
  std::vector<ColumnFaults> columns;
  /// Classes that no record has: with two of them a label was misspelt, and nothing can be learnt.
  std::vector<std::string> empty_classes;
  /// Names of the schema's unit that differ by case or blanks alone from one that stood before
  /// (similar_units.h), and the line of the first of them, or 0.
  std::int64_t similar_units = 0;
  std::int64_t similar_units_line = 0;
};

/// A warning about names of units that look alike; empty if there are none.
[[nodiscard]] std::string unit_warning(const SchemaCheck& found, const Schema& schema);

/// A message about a class of a two-class target without records; empty if both have some.
[[nodiscard]] std::string label_fault(const SchemaCheck& found, const Schema& schema);

/// Counts, for the owner of a file, the values that the schema maps: column by column in CSV files,
/// in others over all features together, and the labels. NOT PRIVATE: the result is computed from
/// the records without noise and must not leave the owner. Structural faults stay DataErrors.
[[nodiscard]] SchemaCheck check_values(const std::filesystem::path& file, const Schema& schema);

}  // namespace tacet::data
