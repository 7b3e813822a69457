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

/// The initial values of rows, a public function of the row's index. So an untouched row need not
/// be stored. Writes the numbers of the row.
using RowStart = std::function<void(std::int64_t row, std::span<float> out)>;

/// The numbers of a model's tables, whatever their height: a row that no step ever chose is not
/// stored. Memory depends on the rows that were chosen and on the optimizer's state for their
/// numbers, never on records. So the set of stored rows is public.
///
/// Reading is for several threads at once, changing for one.
class RowTable {
 public:
  /// `kinds` numbers of state are stored with each number of a stored row; they begin as zeros.
  RowTable(const privacy::RowLayout& layout, RowStart start, int kinds);

  /// A stored row, or several stored rows with consecutive numbers.
  struct Rows {
    std::span<float> values;
    /// distance from a number to its state, and from one kind of state to the next
    std::size_t apart;
    std::span<std::int64_t> last_steps;  ///< the optimizer's mark of each row; 0 at first

    /// One kind of state of each number.
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
  /// Returns the stored row, and stores it if necessary.
  [[nodiscard]] Rows change(std::int64_t row);
  /// The same for a row and the rows after it, up to `max` in all, as far as they are consecutive
  /// in memory. That is so for rows that were stored in ascending order, except at the ends of
  /// memory blocks and for narrow tables.
  [[nodiscard]] Rows change_from(std::int64_t row, std::int64_t max);

  struct View {
    std::span<const float> values;
    std::size_t apart;  ///< as in Rows; 0 for a row that is not stored, which has no state
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
  // Rows are stored in blocks, so that adding rows never copies all of them. A block has first
  // their values, then their first kind of state, and so on.
  static constexpr std::size_t block_rows = 1024;

  [[nodiscard]] float* place(std::size_t slot) const {
    return blocks_[slot / block_rows].get() + (slot % block_rows) * stride_;
  }
  // Whether the row is where it would be if all rows had been stored in ascending order; this needs
  // no look into the map.
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
