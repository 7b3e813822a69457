#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tacet::data {

/// Numbers the privacy units of a file, 0, 1, ... by first appearance. Blanks around a name do not
/// make another person; a missing one makes no person at all: Dataset::no_unit. Not for several
/// threads at once.
class UnitIndex {
 public:
  /// Texts that stand for a missing value.
  explicit UnitIndex(std::span<const std::string> missing);

  [[nodiscard]] std::int64_t number(std::string_view field);
  /// The names of units 0, 1, ..; numbering begins anew.
  [[nodiscard]] std::vector<std::string> take_names();

 private:
  std::vector<std::string> missing_;
  std::unordered_map<std::string, std::int64_t> numbers_;
};

}  // namespace tacet::data
