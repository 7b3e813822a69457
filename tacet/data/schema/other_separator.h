#pragma once

#include <string>
#include <string_view>

namespace tacet::data {

/// For a line of names that was read as one name: which other separator cuts it, and what to write
/// in the schema. Empty when none does; never a word of the line.
[[nodiscard]] std::string other_separator(std::string_view line, char separator);

}  // namespace tacet::data
