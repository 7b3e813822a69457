#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tacet::data {

/// Some programs put it before a text in UTF-8. Readers drop it at the start of a file; anywhere
/// else it is text.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

[[nodiscard]] inline std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text;
}

/// Whether the text may be in a schema: well-formed UTF-8 (Unicode 15, table 3-7). Otherwise
/// writing JSON or TOML could fail after the release was paid for.
[[nodiscard]] inline bool valid_utf8(std::string_view text) {
  std::size_t following = 0;
  unsigned min =
      0x80;  // of the next byte: no overlong forms, no surrogates, no end beyond U+10FFFF
  unsigned max = 0xbf;
  for (const char c : text) {
    const unsigned code = static_cast<unsigned char>(c);
    if (following > 0) {
      if (code < min || code > max) return false;
      min = 0x80;
      max = 0xbf;
      --following;
    } else if (code >= 0x80) {
      if (code < 0xc2 || code > 0xf4) return false;
      following = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : 1;
      if (code == 0xe0) min = 0xa0;
      if (code == 0xed) max = 0x9f;
      if (code == 0xf0) min = 0x90;
      if (code == 0xf4) max = 0x8f;
    }
  }
  return following == 0;
}

/// Appends a character of Unicode.
inline void append_utf8(std::uint32_t code, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace tacet::data
