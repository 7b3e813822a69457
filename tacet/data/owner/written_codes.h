#pragma once

#include <string_view>

namespace tacet::data {

/// How a file writes characters beyond ASCII where it has none of them.
struct WrittenCode {
  std::string_view of;   ///< who writes so
  std::string_view way;  ///< what to do
};

/// The kind of code that a text holds; nullptr: none. UTF-7 (K+APY-ln), HTML (K&ouml;ln), JSON
/// (K\u00f6ln), R (K<U+00F6>ln), addresses (K%C3%B6ln) and mails (K=C3=B6ln).
[[nodiscard]] const WrittenCode* written_code(std::string_view text);

/// Whether a question mark stands within a word, as where a character was lost: K?ln.
[[nodiscard]] bool lost_in_word(std::string_view text);

}  // namespace tacet::data
