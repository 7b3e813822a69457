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

/// A decimal number that fills the text up to surrounding blanks: `12`, `+1.5e3`, `-0`. What is no
/// number, or not finite, is nothing. A number beyond the doubles is the double nearest to it:
/// 1e400 the largest one, which is clipped to a column's bound, and 1e-400 is 0.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// The same for what is spelt by up to 15 digits and at most one point, with a minus or without:
/// most numbers of most files. NaN for any other text, which may be a number too.
[[nodiscard]] double plain_number(std::string_view text);

/// Finds values of a public list by their text or, failing that, as another spelling of the same
/// number (`1.0` finds `1`). Numbers are compared exactly, also where several integers share a
/// double.
class ValueIndex {
 public:
  explicit ValueIndex(std::span<const std::string> values);

  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;
  [[nodiscard]] std::optional<std::uint32_t> find_number(double number) const;
  /// By the spelling of the value, of single precision failing that by the number itself; a boolean
  /// finds true or false in any case, failing that 1 or 0.
  [[nodiscard]] std::optional<std::uint32_t> find_value(const Value& value) const;

 private:
  [[nodiscard]] std::optional<std::uint32_t> find_text(std::string_view text) const;

  // Open addressing with linear probing; a slot holds the upper half of the hash and 1 + index.
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t entry = 0;
  };

  std::vector<std::string> texts_;
  std::vector<Slot> slots_;  // a power of two of them, at most half of them used
  std::unordered_map<double, std::uint32_t> numbers_;
  std::array<std::optional<std::uint32_t>, 2> booleans_;
};

}  // namespace tacet::data
