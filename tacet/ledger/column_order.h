#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacet::ledger::internal {

/// A value of a record, by a hash, and its column.
struct PlacedValue {
  std::uint32_t column = 0;
  std::uint64_t value = 0;
};

/// A table of hashed values: record k has those from `ends[k - 1]` on to before `ends[k]`.
struct PlacedTable {
  std::span<const PlacedValue> values;
  std::span<const std::size_t> ends;
};

/// An order of the columns 0 to `columns` - 1 by what stands in them: the rank of each. Tables that
/// differ by the order of their records and columns get one and the same order but where their
/// columns cannot be told apart by colour refinement (Weisfeiler and Leman 1968) with one column
/// after the other picked out; there the given order decides. It never makes two tables one: a
/// table is known by its records with their values in the order of the ranks.
[[nodiscard]] std::vector<std::uint32_t> column_ranks(const PlacedTable& table,
                                                      std::size_t columns);

}  // namespace tacet::ledger::internal
