#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tacet::ledger {

/// SHA-256 as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

/// 64 hexadecimal digits of the operating system's randomness. IoError when it gives none.
[[nodiscard]] std::string random_key();

/// Whether a text is 64 lower-case hexadecimal digits.
[[nodiscard]] bool is_digest(std::string_view text);

}  // namespace tacet::ledger
