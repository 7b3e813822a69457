#pragma once

#include <string>

namespace tacet::privacy {

/// The number in at most `digits` significant digits, never below it: bounds are printed so.
[[nodiscard]] std::string rounded_up(double value, int digits);

}  // namespace tacet::privacy
