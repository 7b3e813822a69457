#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/ledger/entry.h"

namespace tacet::ledger {

/// An attested look at exact figures: who, why, when, and with which schema.
struct Look {
  std::string time;
  std::int64_t user = 0;
  Looked what;
};

/// The looks of an account in the form in which another ledger with the same records copies them:
/// their condition is about the records.
[[nodiscard]] std::vector<Look> taken_over(std::span<const Look> looks, const std::string& ledger);

/// A look for an account whose records had one in a ledger that cannot be read, so that nobody
/// knows whether their owner looked. It has the current time; `ledger` is the name of the
/// unreadable ledger.
[[nodiscard]] Look unread_looks(const std::string& reason, const std::string& ledger);

/// The condition, in words, on which every release from an account after these looks is private.
/// Empty if there were none.
[[nodiscard]] std::string condition_of(std::span<const Look> looks);

/// The condition, in words for a receipt, on which a release after these looks is private. It says
/// so if the release uses another schema than the look did, or does not state its schema.
/// `schema_sha256` is that of the release's schema. Empty if there were no looks.
[[nodiscard]] std::string condition_of(std::span<const Look> looks, std::string_view schema_sha256);

}  // namespace tacet::ledger
