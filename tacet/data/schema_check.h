#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacet/data/schema.h"

namespace tacet::data {

/// How the values of one column meet the schema. `first_line` is that of the first value that was
/// mapped; 0 when none was.
struct ColumnFaults {
  std::string column;
  std::int64_t missing = 0;
  std::int64_t unreadable = 0;  ///< a number was expected
  std::int64_t below = 0;
  std::int64_t above = 0;
  std::int64_t unknown = 0;  ///< not among the categories or classes
  std::int64_t first_line = 0;

  [[nodiscard]] std::int64_t total() const {
    return missing + unreadable + below + above + unknown;
  }
};

struct SchemaCheck {
  std::int64_t rows = 0;
  std::vector<ColumnFaults> columns;
};

/// Counts, for the owner of a CSV file, the values that the schema maps. NOT PRIVATE: the result
/// is computed from the records without noise and must not leave the owner.
[[nodiscard]] SchemaCheck check_values(const std::filesystem::path& file, const Schema& schema);

}  // namespace tacet::data
