#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/optimize/sums/row_arena.h"
#include "tacet/optimize/sums/slot_map.h"
#include "tacet/privacy/row_layout.h"

namespace tacet::optimize::internal {

/// Neighbouring values of a record and where they stand in a sum over chosen cells.
struct Piece {
  std::size_t value;
  std::size_t place;
  std::size_t width;
  double square;  ///< sum of the squares of the values
};

inline void check_count(std::size_t chosen) {
  if (chosen < std::size_t{1} << 31) return;
  throw base::UsageError("a step takes fewer than 2^31 chosen rows or cells by their numbers");
}

/// Where the cells of chosen rows stand in a sum.
class RowPlaces {
 public:
  /// Of no rows.
  explicit RowPlaces(const privacy::RowLayout& layout) : layout_(layout) {}
  RowPlaces(const privacy::RowLayout& layout, std::span<const std::int64_t> rows)
      : RowPlaces(layout) {
    assign(rows);
  }

  /// Of other rows, ascending; the memory stays. UsageError for 2^31 of them or more.
  void assign(std::span<const std::int64_t> rows) {
    check_count(rows.size());
    slots_.clear();
    firsts_.clear();
    cells_ = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      slots_.insert(rows[i], static_cast<std::int32_t>(i));
      firsts_.push_back(cells_);
      cells_ += static_cast<std::size_t>(layout_.width(rows[i]));
    }
  }

  [[nodiscard]] std::size_t cells() const { return cells_; }
  [[nodiscard]] bool contains(std::int64_t row) const { return slots_.find(row) >= 0; }
  /// The place of the first cell of a row that has one.
  [[nodiscard]] std::size_t first(std::int64_t row) const {
    return firsts_[static_cast<std::size_t>(slots_.find(row))];
  }

  /// The record's values that have a place, row by row.
  void pieces(const RowRecord& record, std::vector<Piece>& out) const {
    out.clear();
    std::size_t value = 0;
    for (std::size_t i = 0; i < record.rows.size(); ++i) {
      const auto width = static_cast<std::size_t>(layout_.width(record.rows[i]));
      const std::int32_t slot = slots_.find(record.rows[i]);
      if (slot >= 0) {
        out.push_back({value, firsts_[static_cast<std::size_t>(slot)], width, record.squares[i]});
      }
      value += width;
    }
  }

 private:
  const privacy::RowLayout& layout_;
  SlotMap slots_;
  std::vector<std::size_t> firsts_;
  std::size_t cells_ = 0;
};

/// Where chosen cells stand in a sum.
class CellPlaces {
 public:
  /// Cells ascending; they must outlive it.
  CellPlaces(const privacy::RowLayout& layout, std::span<const std::int64_t> cells)
      : layout_(layout), cells_(cells) {
    check_count(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      slots_.insert(layout.row_of_cell(cells[i]), static_cast<std::int32_t>(i));  // the first only
    }
  }

  [[nodiscard]] std::size_t cells() const { return cells_.size(); }
  [[nodiscard]] bool contains(std::int64_t row) const { return slots_.find(row) >= 0; }

  void pieces(const RowRecord& record, std::vector<Piece>& out) const {
    out.clear();
    std::size_t value = 0;
    for (const auto row : record.rows) {
      const std::int64_t width = layout_.width(row);
      const std::int32_t slot = slots_.find(row);
      const std::int64_t first = layout_.first_cell(row);
      for (auto place = static_cast<std::size_t>(std::max(slot, 0));
           slot >= 0 && place < cells_.size() && cells_[place] < first + width; ++place) {
        const std::size_t at = value + static_cast<std::size_t>(cells_[place] - first);
        out.push_back({at, place, 1, record.values[at] * record.values[at]});
      }
      value += static_cast<std::size_t>(width);
    }
  }

 private:
  const privacy::RowLayout& layout_;
  std::span<const std::int64_t> cells_;
  SlotMap slots_;
};

}  // namespace tacet::optimize::internal
