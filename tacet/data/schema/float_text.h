#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::data {

/// 4-byte floats as base 64 (RFC 4648, section 4), each float's least significant byte first.
[[nodiscard]] std::string text_of_floats(std::span<const float> values);
/// The inverse; nothing for any other text.
[[nodiscard]] std::optional<std::vector<float>> floats_of_text(std::string_view text);

}  // namespace tacet::data
