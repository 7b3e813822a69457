#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacet::data {

/// Days since 1970-01-01 of a date that fills the text up to surrounding blanks: `YYYY-MM-DD`, ten
/// characters, of the Gregorian calendar. Nothing for any other text, such as 2100-02-29.
[[nodiscard]] std::optional<std::int64_t> parse_date(std::string_view text);

/// The date of a day between those of the years 0 and 9999.
[[nodiscard]] std::string date_text(std::int64_t day);

/// The first and the last day that have a text.
constexpr std::int64_t first_day = -719528;  // 0000-01-01
constexpr std::int64_t last_day = 2932896;   // 9999-12-31

}  // namespace tacet::data
