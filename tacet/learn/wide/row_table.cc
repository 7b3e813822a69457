#include "tacet/learn/wide/row_table.h"

#include <utility>

namespace tacet::learn {

RowTable::RowTable(const privacy::RowLayout& layout, RowStart start, int kinds)
    : layout_(layout),
      start_(std::move(start)),
      kinds_(static_cast<std::size_t>(kinds)),
      stride_(static_cast<std::size_t>(layout.widest()) * (kinds_ + 1)) {}

RowTable::Row RowTable::change(std::int64_t row) {
  const auto width = static_cast<std::size_t>(layout_.width(row));
  const auto next = static_cast<std::int32_t>(rows_.size());
  const auto slot = static_cast<std::size_t>(slots_.insert(row, next));
  if (slot == rows_.size()) {
    if (slot % block_rows == 0) blocks_.push_back(std::make_unique<float[]>(block_rows * stride_));
    rows_.push_back(row);
    marks_.push_back(0);
    start_(row, {place(slot), width});
  }
  float* const numbers = place(slot);
  return {{numbers, width}, {numbers + width, width * kinds_}, &marks_[slot]};
}

RowTable::View RowTable::read(std::int64_t row, std::span<float> room) const {
  const auto width = static_cast<std::size_t>(layout_.width(row));
  const auto slot = slots_.find(row);
  if (slot < 0) {
    start_(row, room.first(width));
    return {room.first(width), {}, 0};
  }
  const float* const numbers = place(static_cast<std::size_t>(slot));
  return {
      {numbers, width}, {numbers + width, width * kinds_}, marks_[static_cast<std::size_t>(slot)]};
}

}  // namespace tacet::learn
