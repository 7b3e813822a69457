#pragma once

#include <string_view>

namespace tacet::data {

/// A way to write characters beyond ASCII in ASCII alone.
struct WrittenCode {
  std::string_view of;   ///< who writes in this way
  std::string_view way;  ///< what to do
};

/// The kind of code in a text; nullptr if there is none. UTF-7 (K+APY-ln), HTML (K&ouml;ln), JSON
/// (K\u00f6ln), R (K<U+00F6>ln), addresses (K%C3%B6ln) and mails (K=C3=B6ln).
[[nodiscard]] const WrittenCode* written_code(std::string_view text);

/// Whether a question mark occurs within a word, which may replace a lost character: K?ln.
[[nodiscard]] bool lost_in_word(std::string_view text);

}  // namespace tacet::data
