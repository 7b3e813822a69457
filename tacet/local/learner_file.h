#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "tacet/local/banco.h"
#include "tacet/local/local_sgd.h"

namespace tacet::local {

using Learner = std::variant<Banco, LocalSgd>;

/// What the binary form of a learner begins with.
inline constexpr std::string_view learner_magic = "tacet-learner\n";

/// The binary form of a learner, settings and state: "tacet-learner", a version, its kind, numbers
/// of 8 bytes with the lowest first, and the SHA-256 of all that, in hexadecimal digits. A learner
/// read back does the same as the one written, bit for bit. The checksum finds accidents and edits
/// by hand; it is no signature.
[[nodiscard]] std::string to_bytes(const Learner& learner);

/// Reads it strictly: what is cut, edited, of another version or makes no sense is a DataError that
/// starts with `file_name`.
[[nodiscard]] Learner learner_from_bytes(std::string_view bytes, std::string_view file_name);

}  // namespace tacet::local
