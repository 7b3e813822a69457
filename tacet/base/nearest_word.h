#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tacet::base {

/// The entry of `known` nearest to `word` by edit distance, or empty when none is near.
[[nodiscard]] std::string nearest_word(std::string_view word, std::span<const std::string> known);

/// "; did you mean 'known'?", or nothing when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace tacet::base
