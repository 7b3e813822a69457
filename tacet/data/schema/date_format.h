#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacet::data {

/// The day, in days since 1970-01-01, that a text spells in a format as of strptime: %Y (four
/// digits), %y (two: 69 to 99 are 1969 to 1999, others from 2000 on), %m, %d, %H, %M, %S (one or
/// two digits), %I and %p (an hour up to 12 and AM or PM), %f (up to nine digits), %b and %B
/// (English names of months, in any case), %z (+02:00, +0200 or Z), %% and any other character for
/// itself. Blanks around the text are dropped. With a time zone it is the day in UTC, as for typed
/// values; without one it is the day as written.
///
/// An empty format is ISO 8601: 2011-01-31, perhaps followed by a T or a blank and a time, with or
/// without seconds, fractions and a zone. Nothing for any other text, and for days and times that
/// do not exist.
[[nodiscard]] std::optional<std::int64_t> parse_date(std::string_view text,
                                                     std::string_view format);

/// What is wrong with a format; empty if nothing is. It needs a year, a month and a day.
[[nodiscard]] std::string date_format_fault(std::string_view format);

}  // namespace tacet::data
