#pragma once

#include <string>

namespace tacet::privacy {

/// The number in at most `digits` significant digits, never below it: bounds are printed so.
[[nodiscard]] std::string rounded_up(double value, int digits);

/// The same, never above it: what is left of a budget is printed so.
[[nodiscard]] std::string rounded_down(double value, int digits);

}  // namespace tacet::privacy
