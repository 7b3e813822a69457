#pragma once

#include <cstdint>
#include <limits>

/// Arithmetic that shows on which side a rounding is safe. Sums of privacy costs round up, what is
/// left of a budget rounds down; exact results stay exact.
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
/// less than the distance between doubles, so the second next double is taken instead. An upper
/// bound is therefore never 0, but a lower one may be.
[[nodiscard]] double raise_tiny(double upper);
[[nodiscard]] double lower_tiny(double lower);
/// The exponentials of such bounds of a logarithm; 0 for minus infinity.
[[nodiscard]] double exp_of_upper(double log_upper);
[[nodiscard]] double exp_of_lower(double log_lower);

/// The largest relative error of one rounded operation of doubles, 2^-53.
inline constexpr double unit_roundoff = 0x1p-53;

/// A relative error of n units in the last place, 2^-52 each. k operations in a row err by at most
/// k u / (1 - k u), u = 2^-53 (Higham 2002, lemma 3.1): n units cover 2 n - 2 operations besides
/// the one that applies them. An exp or log of glibc counts as two (its manual, "Known Maximum
/// Errors in Math Functions").
[[nodiscard]] constexpr double ulps(double n) { return n * 0x1p-52; }
/// Factors that move a result of at least 0 up or down by n units in the last place.
[[nodiscard]] constexpr double up_ulps(double n) { return 1 + ulps(n); }
[[nodiscard]] constexpr double down_ulps(double n) { return 1 - ulps(n); }
/// Factors that cover some thousand operations, where an exact count would gain nothing.
inline constexpr double amply_up = 1 + 0x1p-40;
inline constexpr double amply_down = 1 - 0x1p-40;

/// A count of at least 0 as a double, rounded up; exact up to 2^53.
[[nodiscard]] double count_up(std::int64_t count);

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace tacet::numeric
