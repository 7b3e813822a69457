#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Sums of products of small integers over rows: Gram matrices, exactly.
///
/// Rows are taken two by two: side by side in one word lie the integers that two rows have in one
/// column, so that one instruction multiplies both pairs and adds the two products.
namespace tacet::numeric {

/// Integers are at most this in magnitude.
constexpr int largest_paired = 2048;
/// Rows of one tile: their products stay below 2^30 * 2, within 32 bits.
constexpr std::size_t max_paired_rows = 256;

/// The distance in words from one pair of rows to the next: `columns`, rounded up to whole vectors.
[[nodiscard]] std::size_t pair_stride(std::size_t columns);

/// words[p * stride + j] = integers j of rows 2p (low half) and 2p + 1 (high half), j < columns; if
/// the number of rows is odd, the last one is paired with zeros. Other words stay as they are.
void pair_rows(std::span<const std::int16_t* const> rows, std::size_t columns,
               std::span<std::uint32_t> words, std::size_t stride);

/// The word that holds the two integers of a column.
[[nodiscard]] constexpr std::uint32_t paired(std::int16_t even, std::int16_t odd) {
  return static_cast<std::uint16_t>(even) |
         static_cast<std::uint32_t>(static_cast<std::uint16_t>(odd)) << 16;
}

/// Which products are wanted: those of columns first, ..., first + count - 1 with each column from
/// itself to `columns` - 1. `first` and `count` are multiples of panel_step, except in the last
/// panel.
struct Panel {
  std::size_t first;
  std::size_t count;
  std::size_t columns;
};
constexpr std::size_t panel_step = 4;

/// sums[(j - first) * stride + k] += sum over the rows of integers j times integers k, for every j
/// of the panel and j <= k < columns; other entries of these rows are undefined afterwards. `words`
/// holds whole pairs of at most max_paired_rows rows, zero beyond `columns`; `sums` has `count`
/// rounded up to panel_step rows of `stride` numbers.
void add_pair_products(std::span<const std::uint32_t> words, std::size_t stride, const Panel& panel,
                       std::span<std::int64_t> sums);

}  // namespace tacet::numeric
