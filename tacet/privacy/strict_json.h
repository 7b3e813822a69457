#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tacet::privacy::internal {

/// The limits of a reader, and how its messages name the text.
struct JsonLimits {
  const char* what;       ///< "receipt", "event file"
  std::size_t max_bytes;  ///< longer texts are refused unread
  int max_depth;          ///< of objects and arrays
};

/// DataError, which begins with `what`, for a text that contains a zero byte. The parser would take
/// it for the end of the text, and the rest would be neither read nor covered by a checksum.
void refuse_zero_byte(std::string_view text, std::string_view what);

/// Parses a whole JSON text. DataError for a repeated key (a plain parser would silently keep one),
/// for deeper nesting, for more bytes, and for a text that is not JSON.
[[nodiscard]] nlohmann::ordered_json parse_strictly(std::string_view text,
                                                    const JsonLimits& limits);

/// The number; infinity as "inf".
[[nodiscard]] nlohmann::ordered_json number_json(double value);

}  // namespace tacet::privacy::internal
