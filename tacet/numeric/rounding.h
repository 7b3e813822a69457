#pragma once

#include <cstdint>

/// Arithmetic with a visible safe side. Sums of privacy costs round up, what is left of a budget
/// rounds down; exact results stay exact.
namespace tacet::numeric {

/// The next double above, except that 0 and infinity stay.
[[nodiscard]] double round_up(double value);

/// a + b and a b for values of at least 0, rounded up; exact results stay exact.
[[nodiscard]] double add_up(double a, double b);
[[nodiscard]] double multiply_up(double a, double b);
/// a b, rounded down.
[[nodiscard]] double multiply_down(double a, double b);
/// a / b and the square root, rounded outwards; exact results stay exact.
[[nodiscard]] double divide_up(double a, double b);
[[nodiscard]] double divide_down(double a, double b);
[[nodiscard]] double sqrt_up(double value);

/// A bound that is already raised (or lowered) by a relative 2^-51 or more. Below 1e-300 that is
/// less than the steps between doubles, where the second next double is taken instead: so an upper
/// bound is never 0, and a lower one may be.
[[nodiscard]] double raise_tiny(double upper);
[[nodiscard]] double lower_tiny(double lower);
/// The exponentials of such bounds of a logarithm; 0 for minus infinity.
[[nodiscard]] double exp_of_upper(double log_upper);
[[nodiscard]] double exp_of_lower(double log_lower);

/// A count of at least 0 as a double that is not below it; exact up to 2^53.
[[nodiscard]] double count_up(std::int64_t count);

}  // namespace tacet::numeric
