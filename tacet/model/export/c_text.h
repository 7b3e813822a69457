#pragma once

#include <fmt/format.h>

#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Names and texts of a schema as C99 writes them.
namespace tacet::model::internal {

/// A different identifier for each name: the name itself if C allows it as the member of a
/// structure, else column_1, column_2, ... by its place, or the next free one of these.
[[nodiscard]] std::vector<std::string> c_identifiers(std::span<const std::string> names);

/// A string literal of the bytes, in ASCII and without trigraphs. UsageError for a text with a
/// zero byte, and for one that is longer than the 4095 bytes that C99 promises to take.
[[nodiscard]] std::string c_literal(std::string_view text);

/// Whether a C string can contain it: if it has no zero byte.
[[nodiscard]] bool is_c_string(std::string_view text);

/// The text within a comment: printable, on one line, neither ending the comment nor beginning one.
[[nodiscard]] std::string c_comment(std::string_view text);

/// Appends the values in the places of the text.
template <typename... Given>
void put(std::string& out, fmt::format_string<Given...> text, Given&&... given) {
  fmt::format_to(std::back_inserter(out), text, std::forward<Given>(given)...);
}

}  // namespace tacet::model::internal
