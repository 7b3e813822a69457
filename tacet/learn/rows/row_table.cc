#include "tacet/learn/rows/row_table.h"

#include <algorithm>
#include <utility>

namespace tacet::learn {
namespace {

// Numbers between two kinds of state, so that a number and its state do not share a set of the
// first cache.
constexpr std::size_t gap = 80;

}  // namespace

RowTable::RowTable(const privacy::RowLayout& layout, RowStart start, int kinds)
    : layout_(layout),
      start_(std::move(start)),
      kinds_(static_cast<std::size_t>(kinds)),
      stride_(static_cast<std::size_t>(layout.widest())),
      apart_(block_rows * stride_ + gap) {}

RowTable::Rows RowTable::change(std::int64_t row) {
  const auto width = static_cast<std::size_t>(layout_.width(row));
  const auto next = static_cast<std::int32_t>(rows_.size());
  const auto slot = in_order(row) ? static_cast<std::size_t>(row)
                                  : static_cast<std::size_t>(slots_.insert(row, next));
  if (slot == rows_.size()) {
    if (slot % block_rows == 0) {
      blocks_.push_back(std::make_unique<float[]>(apart_ * kinds_ + block_rows * stride_));
    }
    rows_.push_back(row);
    marks_.push_back(0);
    start_(row, {place(slot), width});
  }
  return {{place(slot), width}, apart_, {&marks_[slot], 1}};
}

RowTable::Rows RowTable::change_from(std::int64_t row, std::int64_t max) {
  const auto first = change(row);
  if (first.values.size() != stride_ || !in_order(row)) return first;
  const auto slot = static_cast<std::size_t>(row);
  const auto next_table = layout_.row(layout_.table_of(row) + 1, 0);
  const std::size_t end =
      std::min({slot + static_cast<std::size_t>(max), rows_.size(),
                (slot / block_rows + 1) * block_rows, static_cast<std::size_t>(next_table)});
  std::size_t behind = slot + 1;
  while (behind < end && rows_[behind] == static_cast<std::int64_t>(behind)) ++behind;
  return {{first.values.data(), (behind - slot) * stride_},
          apart_,
          std::span(marks_).subspan(slot, behind - slot)};
}

RowTable::View RowTable::read(std::int64_t row, std::span<float> room) const {
  const auto width = static_cast<std::size_t>(layout_.width(row));
  const auto slot = in_order(row) ? static_cast<std::int32_t>(row) : slots_.find(row);
  if (slot < 0) {
    start_(row, room.first(width));
    return {room.first(width), 0, 0};
  }
  const float* const numbers = place(static_cast<std::size_t>(slot));
  return {{numbers, width}, apart_, marks_[static_cast<std::size_t>(slot)]};
}

}  // namespace tacet::learn
