#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tacet::data {

/// A field as RFC 4180 wants it: in quotes where it holds a separator, a quote or a line break, or
/// blanks at its ends, which a reader may drop.
[[nodiscard]] std::string csv_field(std::string_view text, char separator = ',');

/// A record with its line end.
[[nodiscard]] std::string csv_line(std::span<const std::string_view> fields, char separator);

}  // namespace tacet::data
