#pragma once

#include <string>

namespace tacet::privacy {

/// The largest double that is not above the decimal which `value` prints as: the shortest one that
/// reads back as it. The double 0.1 is above a tenth, and ten of it are above 1; so what a user
/// writes as 0.1 is spent as 0.09999999999999999. `value` must be at least 0; infinity is itself,
/// anything else is an InternalError.
[[nodiscard]] double decimal_down(double value);

/// The smallest double that prints as a decimal of at least `value`, which is as for decimal_down:
/// what is proved to be `value` may be stated as that decimal.
[[nodiscard]] double decimal_up(double value);

/// The double that prints as the sum of the decimals which `a` and `b` print as, where that sum has
/// few enough digits (0.1 and 0.2 are 0.3); else their sum, rounded up. For statements whose proof
/// is held against them: the double itself may lie a unit in its last place below the sum.
[[nodiscard]] double decimal_sum(double a, double b);

/// The number in at most `digits` significant digits, never below it: bounds are printed so.
[[nodiscard]] std::string rounded_up(double value, int digits);

/// The same, never above it: what is left of a budget is printed so.
[[nodiscard]] std::string rounded_down(double value, int digits);

}  // namespace tacet::privacy
