#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tacet/optimize/sums/slot_map.h"
#include "tacet/privacy/row_layout.h"

namespace tacet::learn {

/// What rows hold before anything was released for them: a public function of the row, so that an
/// untouched row need not be stored. Writes the row's numbers.
using RowStart = std::function<void(std::int64_t row, std::span<float> out)>;

/// The numbers of a model's tables, whatever their height: a row that no step ever chose is not
/// stored. Memory follows the rows that were chosen and what an optimizer keeps for each of their
/// numbers, never the records, so that which rows are stored is public.
///
/// Reading is for several threads at once, changing for one.
class RowTable {
 public:
  /// `kinds` numbers are kept beside each number of a stored row, zeros at first.
  RowTable(const privacy::RowLayout& layout, RowStart start, int kinds);

  struct Row {
    std::span<float> values;
    std::span<float> state;   ///< of each kind in turn, as many as values
    std::int64_t* last_step;  ///< the optimizer's mark, 0 at first
  };
  /// Where a row is stored, from now on.
  [[nodiscard]] Row change(std::int64_t row);

  struct View {
    std::span<const float> values;
    std::span<const float> state;  ///< empty for a row that is not stored
    std::int64_t last_step;
  };
  /// A row as it is: stored, or its start, which is then written to `room` (of the widest row).
  [[nodiscard]] View read(std::int64_t row, std::span<float> room) const;

  /// The rows that are stored, in the order in which they were first chosen.
  [[nodiscard]] std::span<const std::int64_t> stored_rows() const { return rows_; }
  [[nodiscard]] const privacy::RowLayout& layout() const { return layout_; }

 private:
  // Rows lie in blocks, so that more of them never means a copy of all.
  static constexpr std::size_t block_rows = 1024;

  [[nodiscard]] float* place(std::size_t slot) const {
    return blocks_[slot / block_rows].get() + (slot % block_rows) * stride_;
  }

  privacy::RowLayout layout_;
  RowStart start_;
  std::size_t kinds_;
  std::size_t stride_;
  optimize::SlotMap slots_;
  std::vector<std::unique_ptr<float[]>> blocks_;
  std::vector<std::int64_t> rows_;   // of each slot
  std::vector<std::int64_t> marks_;  // likewise
};

}  // namespace tacet::learn
