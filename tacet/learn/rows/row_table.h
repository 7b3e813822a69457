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

  /// A stored row, or several whose numbers lie one behind the other.
  struct Rows {
    std::span<float> values;
    std::size_t apart;                   ///< from a number to what is kept of it, kind by kind
    std::span<std::int64_t> last_steps;  ///< the optimizer's mark of each row, 0 at first

    /// What is kept of each number, of one kind.
    [[nodiscard]] std::span<float> state(std::size_t kind) const {
      return {values.data() + (kind + 1) * apart, values.size()};
    }
    /// Some of the numbers, of whatever rows, without marks.
    [[nodiscard]] Rows numbers(std::size_t first, std::size_t count) const {
      return {values.subspan(first, count), apart, {}};
    }
    /// One of several rows.
    [[nodiscard]] Rows row(std::size_t k) const {
      const auto width = values.size() / last_steps.size();
      return {values.subspan(k * width, width), apart, last_steps.subspan(k, 1)};
    }
  };
  /// Where a row is stored, from now on.
  [[nodiscard]] Rows change(std::int64_t row);
  /// The same for a row and as many after it, `max` in all, as lie behind it: all that were
  /// stored in their own order, but for the boundaries of blocks of memory and for narrow tables.
  [[nodiscard]] Rows change_from(std::int64_t row, std::int64_t max);

  struct View {
    std::span<const float> values;
    std::size_t apart;  ///< as of Rows; 0 for a row that is not stored, of which nothing is kept
    std::int64_t last_step;

    [[nodiscard]] bool stored() const { return apart > 0; }
    [[nodiscard]] std::span<const float> state(std::size_t kind) const {
      return {values.data() + (kind + 1) * apart, values.size()};
    }
  };
  /// A row as it is: stored, or its start, which is then written to `room` (of the widest row).
  [[nodiscard]] View read(std::int64_t row, std::span<float> room) const;

  /// The rows that are stored, in the order in which they were first chosen.
  [[nodiscard]] std::span<const std::int64_t> stored_rows() const { return rows_; }
  [[nodiscard]] const privacy::RowLayout& layout() const { return layout_; }

 private:
  // Rows lie in blocks, so that more of them never means a copy of all: first their values, then
  // what is kept of the first kind, and so on.
  static constexpr std::size_t block_rows = 1024;

  [[nodiscard]] float* place(std::size_t slot) const {
    return blocks_[slot / block_rows].get() + (slot % block_rows) * stride_;
  }
  // Whether the row stands where it would if all had been stored in their own order: known without
  // the map.
  [[nodiscard]] bool in_order(std::int64_t row) const {
    const auto slot = static_cast<std::size_t>(row);
    return slot < rows_.size() && rows_[slot] == row;
  }

  privacy::RowLayout layout_;
  RowStart start_;
  std::size_t kinds_;
  std::size_t stride_;  // of rows
  std::size_t apart_;
  optimize::SlotMap slots_;
  std::vector<std::unique_ptr<float[]>> blocks_;
  std::vector<std::int64_t> rows_;   // of each slot
  std::vector<std::int64_t> marks_;  // likewise
};

}  // namespace tacet::learn
