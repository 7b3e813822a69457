#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tacet/ledger/entry.h"

namespace tacet::ledger {

/// An attested look as its row tells it: who, why, when, and through which schema.
struct Look {
  std::string time;
  std::int64_t user = 0;
  Looked what;
};

/// On which condition whatever is released from an account after these looks holds, in words. Empty
/// where there was no look.
[[nodiscard]] std::string condition_of(std::span<const Look> looks);

/// On which condition a release holds that is made after these looks, in words for its receipt; it
/// says so where the release uses another schema than was looked through, or does not say which.
/// `schema_sha256` is that of the release's schema. Empty where there was no look.
[[nodiscard]] std::string condition_of(std::span<const Look> looks, std::string_view schema_sha256);

}  // namespace tacet::ledger
