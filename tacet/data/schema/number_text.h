#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::data {

/// Numbers in base64 (RFC 4648, section 4), least significant byte of each number first.
[[nodiscard]] std::string text_of_floats(std::span<const float> values);
[[nodiscard]] std::string text_of_shorts(std::span<const std::int16_t> values);
/// The inverses; nothing for an invalid text.
[[nodiscard]] std::optional<std::vector<float>> floats_of_text(std::string_view text);
[[nodiscard]] std::optional<std::vector<std::int16_t>> shorts_of_text(std::string_view text);

}  // namespace tacet::data
