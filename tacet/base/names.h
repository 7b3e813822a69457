#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tacet/base/error.h"

namespace tacet::base {

template <typename Value>
struct Name {
  Value value;
  const char* text;
};

/// The names of an enumeration's values, listed once.
template <typename Value, std::size_t count>
struct Names {
  std::array<Name<Value>, count> all;

  /// InternalError for a number that is no value of the enumeration.
  [[nodiscard]] const char* of(Value value) const {
    for (const auto& name : all) {
      if (name.value == value) return name.text;
    }
    throw InternalError("a value outside its enumeration");
  }
  [[nodiscard]] std::optional<Value> find(std::string_view text) const {
    for (const auto& name : all) {
      if (name.text == text) return name.value;
    }
    return std::nullopt;
  }
};

/// names<E>({{E::first, "first"}, {E::second, "second"}}).
template <typename Value, std::size_t count>
[[nodiscard]] constexpr Names<Value, count> names(const Name<Value> (&list)[count]) {
  return {std::to_array(list)};
}

}  // namespace tacet::base
