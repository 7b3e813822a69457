#pragma once

#include <cstddef>
#include <string_view>

namespace tacet::data {

/// Whether the text can stand in a schema.
[[nodiscard]] inline bool valid_utf8(std::string_view text) {
  std::size_t following = 0;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (following > 0) {
      if ((code & 0xc0U) != 0x80U) return false;
      --following;
    } else if (code >= 0x80) {
      if (code < 0xc2 || code > 0xf4) return false;
      following = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : 1;
    }
  }
  return following == 0;
}

}  // namespace tacet::data
