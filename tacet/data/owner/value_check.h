#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/id_bag.h"
#include "tacet/data/encode/missing_values.h"
#include "tacet/data/encode/number_reader.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// How many values of one column, or of all features without names, the schema had to replace.
/// `first_line` is the line of the first one, or in array files the number of its record; 0 if
/// there is none.
struct ColumnFaults {
  std::string column;
  std::int64_t missing = 0;
  std::int64_t unreadable = 0;  ///< a finite number was expected
  std::int64_t below = 0;
  std::int64_t above = 0;
  std::int64_t unknown = 0;  ///< not among the categories or classes; ids out of range
  /// Dropped: features without a column or repeated in a record, and ids after the first `max_ids`.
  std::int64_t outside = 0;
  std::int64_t first_line = 0;
  /// The first value that is neither missing nor valid, and its line; 0 if there is none.
  std::string strange_value = {};
  std::int64_t strange_line = 0;

  [[nodiscard]] std::int64_t total() const {
    return missing + unreadable + below + above + unknown + outside;
  }
};

/// Counts the values of one column, or of the target, that the schema replaces.
struct ValueCheck {
  std::size_t file_column = 0;
  std::optional<std::pair<double, double>> bounds;
  NumberReader read;
  std::optional<MissingValues> missing;
  std::optional<ValueIndex> values;
  std::optional<IdBag> ids;
  ColumnFaults faults;

  void check(std::string_view field, std::int64_t line);
  /// A number of an array: NaN and infinities are unreadable.
  void check_number(double number, std::int64_t line);
  void count_outside(std::int64_t count, std::int64_t line);

 private:
  void count_number(std::optional<double> number);
  void note_first(std::int64_t before, std::int64_t line);
  void note_strange(std::string_view field, std::int64_t line);
};

/// For the target; `file_column` stays 0.
[[nodiscard]] ValueCheck check_of_target(const Schema& schema);

/// Checks the schema's columns in a file with these columns, and then the target if it is read. NOT
/// PRIVATE, see schema_check.h.
class RecordCheck {
 public:
  RecordCheck(const Schema& schema, std::span<const std::string> names, TargetUse target);

  /// Returns the columns of this record in which a value was replaced; valid until the next call.
  std::span<const std::string> check(std::span<const std::string_view> fields, std::int64_t line);

  [[nodiscard]] std::vector<ColumnFaults> take_faults();
  [[nodiscard]] std::size_t target_column() const { return columns_.back().file_column; }

 private:
  ColumnMissingValues missing_;  // the checks of ids refer to it
  std::vector<ValueCheck> columns_;
  std::vector<std::string> mapped_;
};

}  // namespace tacet::data
