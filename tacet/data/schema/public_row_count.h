#pragma once

#include <cstdint>

#include "tacet/base/error.h"

namespace tacet::data {

/// The largest number of records that can be declared. Sums of 2^30 per record then fit 64 bits,
/// and no method accepts more.
inline constexpr std::int64_t max_public_rows = std::int64_t{1} << 32;

/// UsageError unless `count` is valid; `what` names it in the message.
inline void check_public_row_count(const char* what, std::int64_t count) {
  if (count >= 1 && count <= max_public_rows) return;
  throw base::UsageError("{} must be between 1 and {} (2^32), got {}", what, max_public_rows,
                         count);
}

}  // namespace tacet::data
