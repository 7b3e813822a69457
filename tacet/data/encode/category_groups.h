#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Finds the category that a record has in one column, from its encoded row. Names are the schema's
/// own categories, and "other" for all others, so no text of a record ever becomes a name.
class CategoryGroups {
 public:
  /// UsageError unless the schema lists categories for the column.
  CategoryGroups(const Schema& schema, std::string_view column);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::string& column() const { return column_; }
  /// The index into names(); private, like the record.
  [[nodiscard]] std::int64_t group_of(const Dataset& dataset, std::int64_t row) const;

 private:
  std::string column_;
  std::vector<std::string> names_;
  bool sign_ = false;
  std::int64_t first_ = 0;  // of the column's encoded features
  std::int64_t count_ = 0;  // number of features that stand for a listed category
};

}  // namespace tacet::data
