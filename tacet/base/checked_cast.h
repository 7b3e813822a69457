#pragma once

#include <cmath>
#include <concepts>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::base {

/// Converts between integer types; a value that does not fit is an InternalError.
template <std::integral To, std::integral From>
[[nodiscard]] constexpr To checked_cast(From value) {
  if (!std::in_range<To>(value)) {
    throw InternalError("integer {} does not fit its destination", value);
  }
  return static_cast<To>(value);
}

/// A count as a real number: exact up to 2^53.
constexpr double to_double(std::int64_t count) { return static_cast<double>(count); }

}  // namespace tacet::base
