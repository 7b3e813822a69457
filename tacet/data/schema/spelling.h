#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// How a file spells its values, as far as a schema can state it: for the whole file under
/// [format], for one column, or for the target.
namespace tacet::data {

struct Spelling {
  std::optional<char> decimal{};           ///< a point or a comma; absent: a point
  std::optional<std::string> thousands{};  ///< between groups of digits; absent or empty: nothing
  /// dropped before or after a number, such as "$"
  std::optional<std::vector<std::string>> symbols{};
  std::optional<std::string> date_format{};  ///< absent or empty: ISO 8601 (date_format.h)
  std::vector<std::string> missing{};        ///< for one column: further texts for a missing value

  friend bool operator==(const Spelling&, const Spelling&) = default;
};

/// The spelling of a column: what it states itself, and the file's for the rest.
[[nodiscard]] Spelling merged(const Spelling& file, const Spelling& own);

/// What is wrong with it; empty if nothing is.
[[nodiscard]] std::string spelling_fault(const Spelling& spelling);

/// The characters of a file of text.
enum class TextEncoding { utf_8, latin_1, windows_1252, utf_16 };

/// The names "utf-8", "latin-1", "windows-1252", "utf-16", in the order of the type.
[[nodiscard]] const std::vector<std::string>& encoding_names();

}  // namespace tacet::data
