#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Makes text that others wrote safe to show. A file must not be able to move the cursor of a
/// terminal, to add a second line to a verdict, or to change the writing direction.
namespace tacet::base {

/// The text with every control character escaped: C0 and DEL (`\n`, `\x1b`), C1, line and paragraph
/// separators and marks of writing direction (`\u202e`), and bytes that are no UTF-8 (`\xff`). All
/// other UTF-8 stays as it is; so do backslashes, for paths are to be read.
[[nodiscard]] std::string printable(std::string_view text);

/// As printable(), but line ends stay. For texts that the program wrote around words of others.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// JSON in which the strings' control characters are escaped as JSON does (`\u009b`). The meaning
/// stays the same.
[[nodiscard]] std::string printable_json(std::string_view json);

/// The entry of `known` nearest to `word` by edit distance, or empty when none is near.
[[nodiscard]] std::string nearest_word(std::string_view word, std::span<const std::string> known);

/// "; did you mean 'known'?", or nothing when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// The parts of a list with commas between them; a text without a comma is one part.
[[nodiscard]] std::vector<std::string> split_at_commas(std::string_view text);

/// Says what is wrong with such a list if one of its parts is empty ("a,,b", "a,"); otherwise an
/// empty text.
[[nodiscard]] std::string empty_part_fault(std::string_view list);

/// "a, b or c"
[[nodiscard]] std::string alternatives(std::span<const std::string> list);

}  // namespace tacet::base
