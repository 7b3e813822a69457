#pragma once

#include <string>

namespace tacet::apps {

/// A word of a shell, in quotes where it needs them: for command lines that a person copies.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace tacet::apps
