#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tacet/data/encode/value.h"

namespace tacet::data {

/// The text by which units are compared, valid until the next one. It is the canonical spelling
/// (decimal.h) of the value as a file would contain it; numbers have all of their digits. 7, 7.0
/// and 7e0 are one person, 2^53 and 2^53 + 1 are two, and blanks around a name do not matter. An
/// empty text is nobody.
class UnitName {
 public:
  [[nodiscard]] std::string_view of(std::string_view field);
  [[nodiscard]] std::string_view of_value(const Value& value);

 private:
  FileText text_;
  std::string digits_;
  std::string room_;
};

/// Numbers the privacy units of a file, 0, 1, ... by first appearance of their names. A missing
/// name is nobody: Dataset::no_unit. Not for several threads at once.
class UnitIndex {
 public:
  /// Texts for a missing value, compared as names are.
  explicit UnitIndex(std::span<const std::string> missing);

  [[nodiscard]] std::int64_t number(std::string_view field);
  [[nodiscard]] std::int64_t number_of(const Value& value);
  /// The names of units 0, 1, ..; numbering begins anew.
  [[nodiscard]] std::vector<std::string> take_names();

 private:
  [[nodiscard]] std::int64_t number_called(std::string_view name);

  UnitName name_;
  std::unordered_set<std::string> missing_;
  std::unordered_map<std::string, std::int64_t> numbers_;
};

}  // namespace tacet::data
