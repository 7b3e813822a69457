#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tacet/data/encode/unit_index.h"

namespace tacet::data {

/// Counts names of units that look like another one: texts that differ only by case or blanks, and
/// may be two spellings of one person. Numbers are compared by value and never look alike. Case is
/// known for Latin, Greek and Cyrillic letters. Keeps all names in memory.
class SimilarUnits {
 public:
  void add(std::string_view field, std::int64_t line);

  /// The number of names that look like an earlier one.
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// The line of the first of them; 0 if there is none.
  [[nodiscard]] std::int64_t first_line() const { return first_line_; }

 private:
  UnitName name_;
  std::unordered_set<std::string> seen_;        // as they are spelt
  std::unordered_set<std::string> likenesses_;  // the names seen, without case and blanks
  std::int64_t count_ = 0;
  std::int64_t first_line_ = 0;
};

}  // namespace tacet::data
