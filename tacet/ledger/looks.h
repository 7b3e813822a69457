#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/ledger/entry.h"

namespace tacet::ledger {

/// An attested look as its row tells it: who, why, when, and through which schema.
struct Look {
  std::string time;
  std::int64_t user = 0;
  Looked what;
};

/// The looks of an account as another ledger takes them over, which gives the records an account
/// too: the condition is about the records.
[[nodiscard]] std::vector<Look> taken_over(std::span<const Look> looks, const std::string& ledger);

/// For an account whose records had one in a ledger that cannot be read: whether their owner looked
/// is not known. Written now; `ledger` is the name of the unread one.
[[nodiscard]] Look unread_looks(const std::string& reason, const std::string& ledger);

/// On which condition whatever is released from an account after these looks holds, in words. Empty
/// where there was no look.
[[nodiscard]] std::string condition_of(std::span<const Look> looks);

/// On which condition a release holds that is made after these looks, in words for its receipt; it
/// says so where the release uses another schema than was looked through, or does not say which.
/// `schema_sha256` is that of the release's schema. Empty where there was no look.
[[nodiscard]] std::string condition_of(std::span<const Look> looks, std::string_view schema_sha256);

}  // namespace tacet::ledger
