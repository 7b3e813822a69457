#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Text that others wrote, made safe to show: a file must not move the cursor of a terminal, write
/// a second line of a verdict or turn the direction of what follows.
namespace tacet::base {

/// The text with every control character escaped: C0 and DEL (`\n`, `\x1b`), C1, line and paragraph
/// separators and marks of writing direction (`\u202e`), and bytes that are no UTF-8 (`\xff`). All
/// other UTF-8 stays as it is; so do backslashes, for paths are to be read.
[[nodiscard]] std::string printable(std::string_view text);

/// The same but for line ends, for texts of the program's own making that hold others' words.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// JSON with what a terminal would act on escaped within its texts as JSON does (`\u009b`); what it
/// means stays the same.
[[nodiscard]] std::string printable_json(std::string_view json);

/// The entry of `known` nearest to `word` by edit distance, or empty when none is near.
[[nodiscard]] std::string nearest_word(std::string_view word, std::span<const std::string> known);

/// "; did you mean 'known'?", or nothing when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// The parts of a list with commas between them; a text without a comma is one part.
[[nodiscard]] std::vector<std::string> split_at_commas(std::string_view text);

/// What is wrong with such a list if a part of it is empty ("a,,b", "a,"), in words; otherwise an
/// empty text.
[[nodiscard]] std::string empty_part_fault(std::string_view list);

/// "a, b or c"
[[nodiscard]] std::string alternatives(std::span<const std::string> list);

}  // namespace tacet::base
