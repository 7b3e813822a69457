#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Texts in a figure, whose room is known and whose font is not.
namespace tacet::report {

/// A number for a person: six significant digits, or as many as asked for, all of the digits before
/// the point below ten millions, "inf", exponents without zeros in front (1e-5).
[[nodiscard]] std::string number_text(double value, int digits = 6);

/// How wide a text is at most, in units of the size of its font, in any usual font without serifs.
[[nodiscard]] double text_width(std::string_view text);

/// The text on one line, cut to a width in units of the font size; "..." says that something was
/// cut.
[[nodiscard]] std::string fitted(std::string_view text, double width);

/// The text cut to `max` code points.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t max);

}  // namespace tacet::report
