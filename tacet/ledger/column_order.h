#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacet::ledger::internal {

/// A hashed value of a record, and its column.
struct PlacedValue {
  std::uint32_t column = 0;
  std::uint64_t value = 0;
};

/// A table of hashed values. Record k has the values from `ends[k - 1]` up to, but not including,
/// `ends[k]`.
struct PlacedTable {
  std::span<const PlacedValue> values;
  std::span<const std::size_t> ends;
};

/// Orders the columns 0 to `columns` - 1 by their contents; returns the rank of each. Tables that
/// differ only in the order of their records and columns get the same order. It uses colour
/// refinement (Weisfeiler and Leman 1968), and picks out one column after the other among columns
/// of the same colour. If columns still cannot be told apart, the given order decides. This never
/// makes two different tables equal, since a fingerprint covers the records with their values in
/// the order of the ranks.
[[nodiscard]] std::vector<std::uint32_t> column_ranks(const PlacedTable& table,
                                                      std::size_t columns);

}  // namespace tacet::ledger::internal
