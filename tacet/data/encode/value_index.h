#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tacet/data/encode/value.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// A decimal number that fills the text up to surrounding blanks: `12`, `+1.5e3`, `-0`. Nothing if
/// the text is not a number or not finite. A number outside of the doubles' range becomes the
/// nearest double: 1e400 is the largest one, which is then clipped to the column's bound, and
/// 1e-400 is 0.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// As parse_number(), for texts of up to 15 digits, at most one point and perhaps a minus: most
/// numbers in most files. NaN for any other text, even if it is a number.
[[nodiscard]] double plain_number(std::string_view text);

/// Finds values of a public list by their text. If the text is not listed, it finds another
/// spelling of the same number (`1.0` finds `1`). Numbers are compared exactly, even if several
/// integers share a double.
class ValueIndex {
 public:
  explicit ValueIndex(std::span<const std::string> values);

  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;
  [[nodiscard]] std::optional<std::uint32_t> find_number(double number) const;
  /// Finds a value by its spelling. If that is not listed, a float is found by its exact number,
  /// and a boolean as true or false in any case, or as 1 or 0.
  [[nodiscard]] std::optional<std::uint32_t> find_value(const Value& value) const;

 private:
  [[nodiscard]] std::optional<std::uint32_t> find_text(std::string_view text) const;

  // Open addressing with linear probing. A slot holds the upper half of the hash, and the index +
  // 1.
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t entry = 0;
  };

  std::vector<std::string> texts_;
  std::vector<Slot> slots_;  // their number is a power of two, and at most half of them are used
  std::unordered_map<double, std::uint32_t> numbers_;
  std::array<std::optional<std::uint32_t>, 2> booleans_;
};

}  // namespace tacet::data
