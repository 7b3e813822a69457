#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tacet::data {

/// A decimal number that fills the text up to surrounding blanks: `12`, `+1.5e3`, `-0`. What is no
/// number, not finite or too large is nothing; what is too small for a double is 0.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// Finds values of a public list by their text or, failing that, as another spelling of the same
/// number (`1.0` finds `1`).
class ValueIndex {
 public:
  explicit ValueIndex(std::span<const std::string> values);

  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;
  [[nodiscard]] std::optional<std::uint32_t> find_number(double number) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> texts_;
  std::unordered_map<double, std::uint32_t> numbers_;
};

}  // namespace tacet::data
