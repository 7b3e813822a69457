#pragma once

#include <optional>
#include <string>

#include "tacet/ledger/ledger.h"

namespace tacet::run {

/// Keyed fingerprint of the lines of a file, by which a ledger knows records again; nothing when it
/// is no regular file and can be read only once.
[[nodiscard]] std::optional<std::string> fingerprint_of(ledger::Ledger& ledger,
                                                        const std::string& file);

}  // namespace tacet::run
