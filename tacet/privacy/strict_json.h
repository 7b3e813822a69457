#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tacet::privacy::internal {

/// What a reader takes, and how its messages call the text.
struct JsonLimits {
  const char* what;       ///< "receipt", "event file"
  std::size_t max_bytes;  ///< longer texts are refused unread
  int max_depth;          ///< of objects and arrays
};

/// DataError, which begins with `what`, for a text with a zero byte. The parser takes one for the
/// end of the text: whatever stands behind it would be neither read nor covered by a checksum.
void refuse_zero_byte(std::string_view text, std::string_view what);

/// Parses a whole JSON text. A repeated key, of which a plain parser silently keeps one, deeper
/// nesting, more bytes and anything that is no JSON are DataErrors.
[[nodiscard]] nlohmann::ordered_json parse_strictly(std::string_view text,
                                                    const JsonLimits& limits);

/// The number, infinity as "inf".
[[nodiscard]] nlohmann::ordered_json number_json(double value);

}  // namespace tacet::privacy::internal
