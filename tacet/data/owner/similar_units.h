#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tacet/data/encode/unit_index.h"

namespace tacet::data {

/// Counts names of units that look like another one: texts that differ by case or by blanks alone,
/// as two spellings of one person do. Numbers are compared by value and never look alike. Case is
/// that of Latin, Greek and Cyrillic letters. Memory: the names.
class SimilarUnits {
 public:
  void add(std::string_view field, std::int64_t line);

  /// How many names look like one that stood before them.
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Where the first of them stands; 0: there is none.
  [[nodiscard]] std::int64_t first_line() const { return first_line_; }

 private:
  UnitName name_;
  std::unordered_set<std::string> seen_;        // as they are spelt
  std::unordered_set<std::string> likenesses_;  // of these, without case and blanks
  std::int64_t count_ = 0;
  std::int64_t first_line_ = 0;
};

}  // namespace tacet::data
