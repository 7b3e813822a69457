#include "tacet/data/schema/other_separator.h"

#include <fmt/format.h>

namespace tacet::data {

std::string other_separator(std::string_view line, char separator) {
  constexpr std::string_view usual = ";\t|,";
  for (const char other : usual) {
    if (other == separator || line.find(other) == std::string_view::npos) continue;
    const auto shown = [](char c) { return c == '\t' ? std::string("\\t") : std::string(1, c); };
    return fmt::format(
        "the first line is not cut by '{}', but would be by '{}'; write separator = \"{}\" under "
        "[format] in the schema",
        shown(separator), shown(other), shown(other));
  }
  return "";
}

}  // namespace tacet::data
