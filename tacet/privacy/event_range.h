#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

/// The ranges of an event's numbers.
namespace tacet::privacy::range {

/// A test of a number, and the text of its refusal: "gaussian.noise_multiplier must be 0 or more".
struct Range {
  bool (*holds)(double);
  const char* allowed;
};

/// Minus zero counts as negative: a division by it would have the wrong sign.
inline bool is_nonnegative(double value) { return value >= 0 && !std::signbit(value); }

inline constexpr Range nonnegative{is_nonnegative, "0 or more"};
inline constexpr Range finite{
    [](double value) { return is_nonnegative(value) && std::isfinite(value); },
    "finite and 0 or more"};
inline constexpr Range positive{[](double value) { return value > 0 && std::isfinite(value); },
                                "positive and finite"};
inline constexpr Range probability{[](double value) { return is_nonnegative(value) && value <= 1; },
                                   "in [0, 1]"};
inline constexpr Range inner_probability{[](double value) { return value > 0 && value < 1; },
                                         "in (0, 1)"};
inline constexpr Range above_minus_one{
    [](double value) { return value > -1 && std::isfinite(value); }, "above -1 and finite"};

/// The range of a whole number.
struct CountRange {
  std::int64_t min;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  /// this value is left out of the JSON form
  std::optional<std::int64_t> unwritten = std::nullopt;
};
/// The whole numbers from `min` up.
constexpr CountRange at_least(std::int64_t min) { return {.min = min}; }

}  // namespace tacet::privacy::range
