#pragma once

#include <string>

#include "tacet/privacy/receipt.h"

namespace tacet::privacy {

/// The guarantee in words: what is protected, against whom, how strongly, and on what assumptions.
/// `privacy_unit` is "record" or the name of the column whose records are protected together.
[[nodiscard]] std::string statement(const Guarantee& guarantee, const std::string& privacy_unit);

/// The same for a result, with the mark of an unprotected one and the cipher's term.
[[nodiscard]] std::string statement(const Receipt& receipt);

}  // namespace tacet::privacy
