#pragma once

#include <string>

namespace tacet::privacy {

/// The largest double that is not above the decimal of `value`, which is the shortest decimal that
/// reads back as `value`. The double 0.1 is above a tenth, and ten of them are above 1. So a budget
/// that a user writes as 0.1 is spent as 0.09999999999999999. `value` must be at least 0; infinity
/// stays infinity. Anything else is an InternalError.
[[nodiscard]] double decimal_down(double value);

/// The smallest double whose decimal is at least `value`. So a bound that is proved to be `value`
/// may be stated as that decimal. Range and errors as decimal_down().
[[nodiscard]] double decimal_up(double value);

/// The double that prints as the sum of the decimals of `a` and `b`, if that sum has few enough
/// digits (0.1 and 0.2 give 0.3); else the sum of both, rounded up. Use it for statements only, and
/// compare the statement with its proof: the double may lie one unit in the last place below the
/// exact sum.
[[nodiscard]] double decimal_sum(double a, double b);

/// The number in at most `digits` significant digits, rounded up. Bounds are printed with it.
[[nodiscard]] std::string rounded_up(double value, int digits);

/// The number in at most `digits` significant digits, rounded down. Remaining budgets are printed
/// with it.
[[nodiscard]] std::string rounded_down(double value, int digits);

}  // namespace tacet::privacy
