#include "tacet/data/read/csv_field.h"

namespace tacet::data {

std::string csv_field(std::string_view text, char separator) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool padded = !text.empty() && (blank(text.front()) || blank(text.back()));
  const bool special = text.find_first_of("\"\r\n") != std::string_view::npos;
  if (!padded && !special && text.find(separator) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::string csv_line(std::span<const std::string_view> fields, char separator) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += separator;
    line += csv_field(fields[i], separator);
  }
  return line + "\n";
}

}  // namespace tacet::data
