#include "tacet/optimize/sums/row_arena.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/truncate.h"
#include "tacet/privacy/event.h"

namespace tacet::optimize {
namespace {

constexpr std::int64_t max_rows_allowed = std::int64_t{1} << 20;
// 2^-600 times the largest double has a square, and so have 2^40 of them.
constexpr int overflow_exponent = 600;
constexpr auto out_of_order =
    "parts of a record's dense block do not ascend or end behind the block";

void check_row_limit(const RowLimit& limit) {
  if (limit.max_rows < 1 || limit.max_rows > max_rows_allowed) {
    throw base::UsageError("the rows of a record must be limited to 1 to 2^20, got {}",
                           limit.max_rows);
  }
  if (limit.norm_bits < 14 || limit.norm_bits > 26) {
    throw base::UsageError("the clipping norm of rows must be 2^14 to 2^26 grid units, got 2^{}",
                           limit.norm_bits);
  }
  if (limit.max_records_per_unit < 1 ||
      limit.max_records_per_unit > privacy::records_per_unit_limit) {
    throw base::UsageError("records per unit must be 1 to 2^20, got {}",
                           limit.max_records_per_unit);
  }
}

}  // namespace

RowArena::RowArena(const privacy::RowLayout& layout, const RowLimit& limit, RecordLife life)
    : layout_(layout),
      max_rows_(static_cast<std::size_t>(limit.max_rows)),
      dense_(static_cast<std::size_t>(layout.dense())),
      surplus_(static_cast<std::size_t>(layout.widest())) {
  check_row_limit(limit);
  if (life == RecordLife::borrowed) return;
  memory_ = std::make_unique<std::pmr::monotonic_buffer_resource>();
}

void RowArena::start(std::int64_t unit) {
  slots_.clear();
  offsets_.clear();
  row_values_ = 0;
  has_values_ = false;
  used_dense_ = 0;
  dense_end_ = 0;
  records_.push_back({.first_row = rows_.size(),
                      .first_value = used_values_,
                      .first_square = squares_.size(),
                      .first_part = parts_.size(),
                      .first_products = products_.size(),
                      .unit = unit});
  // The record's rows must not move while they are added to: all the room that it can need.
  const std::size_t max = max_rows_ * static_cast<std::size_t>(layout_.widest());
  const std::size_t needed = used_values_ +
                             std::min(max, static_cast<std::size_t>(layout_.cells())) +
                             static_cast<std::size_t>(layout_.dense());
  if (values_.size() < needed) values_.resize(std::max(needed, 2 * values_.size()));
}

std::int32_t RowArena::slot_of(std::int64_t row) {
  if (row < 0 || row >= layout_.rows()) {
    throw base::InternalError("a record touches a row that the tables do not have");
  }
  const std::int32_t known = slots_.find(row);
  if (known >= 0 || slots_.size() == max_rows_) return known;
  const auto slot = static_cast<std::int32_t>(slots_.size());
  slots_.insert(row, slot);
  rows_.push_back(row);
  offsets_.push_back(row_values_);
  const auto width = static_cast<std::size_t>(layout_.width(row));
  const std::size_t first = records_.back().first_value + row_values_;
  std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(first), width, 0.0);
  row_values_ += width;
  return slot;
}

std::span<double> RowArena::row(std::int64_t row) {
  has_values_ = true;
  const std::int32_t slot = slot_of(row);
  if (slot < 0) return std::span(surplus_).first(static_cast<std::size_t>(layout_.width(row)));
  const std::size_t offset = offsets_[static_cast<std::size_t>(slot)];
  const auto s = static_cast<std::size_t>(slot);
  const std::size_t end = s + 1 < offsets_.size() ? offsets_[s + 1] : row_values_;
  return std::span(values_).subspan(records_.back().first_value + offset, end - offset);
}

void RowArena::add_part(std::size_t first, std::size_t count) {
  if (first < dense_end_ || first > dense_.size() || count > dense_.size() - first) {
    throw base::InternalError(out_of_order);
  }
  parts_.push_back({first, count});
  dense_end_ = first + count;
  std::fill_n(dense_.begin() + static_cast<std::ptrdiff_t>(used_dense_), count, 0.0);
  used_dense_ += count;
}

void RowArena::dense_products(std::size_t first, const numeric::PickedRows& picked,
                              std::span<const double> vector) {
  has_values_ = true;
  if (picked.places.empty() || vector.empty()) return;
  // Rows that had a number in common would be clipped as if they had none.
  bool ascending = first >= dense_end_ && first <= dense_.size();
  for (std::size_t k = 1; k < picked.places.size(); ++k) {
    ascending &= picked.places[k - 1] < picked.places[k];
  }
  if (!ascending || picked.places.back() >= (dense_.size() - first) / vector.size()) {
    throw base::InternalError(out_of_order);
  }
  dense_end_ = first + (picked.places.back() + std::size_t{1}) * vector.size();
  products_.push_back({first, {kept(picked.places), kept(picked.factors)}, kept(vector)});
}

template <typename T>
std::span<const T> RowArena::kept(std::span<const T> values) const {
  if (!memory_) return values;
  auto* const copy = static_cast<T*>(memory_->allocate(values.size_bytes(), alignof(T)));
  std::ranges::copy(values, copy);
  return {copy, values.size()};
}

void RowArena::touch(std::int64_t row) { static_cast<void>(slot_of(row)); }

void RowArena::drop_record() {
  auto& place = records_.back();
  rows_.resize(place.first_row);
  squares_.resize(place.first_square);
  parts_.resize(place.first_part);
  place.row_count = 0;
  place.value_count = 0;
  place.part_count = 0;
  place.exponent = 0;
}

void RowArena::write_products(int exponent) {
  auto& place = records_.back();
  for (const auto& [first, picked, vector] : std::span(products_).subspan(place.first_products)) {
    for (std::size_t k = 0; k < picked.places.size(); ++k) {
      parts_.push_back({first + picked.places[k] * vector.size(), vector.size()});
      for (const double number : vector) {
        values_[place.first_value + place.value_count++] =
            std::ldexp(picked.factors[k] * number, exponent);
      }
    }
  }
  place.part_count = parts_.size() - place.first_part;
  products_.resize(place.first_products);
  place.products_count = 0;
}

double RowArena::add_squares() {
  auto& place = records_.back();
  squares_.resize(place.first_square);
  const auto values = std::span(values_).subspan(place.first_value, place.value_count);
  double total = 0;
  const auto add = [&](double square) {
    squares_.push_back(square);
    total += square;
  };
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    const std::size_t end = i + 1 < offsets_.size() ? offsets_[i + 1] : row_values_;
    add(numeric::sum_of_squares(values.subspan(offsets_[i], end - offsets_[i])));
  }
  std::size_t first = row_values_;
  for (const DensePart& part : std::span(parts_).subspan(place.first_part)) {
    add(numeric::sum_of_squares(values.subspan(first, part.width)));
    first += part.width;
  }
  for (const auto& products : std::span(products_).subspan(place.first_products)) {
    add(numeric::sum_of_squares(products.picked.factors) *
        numeric::sum_of_squares(products.vector));
  }
  return total;
}

void RowArena::finish() {
  auto& place = records_.back();
  place.row_count = slots_.size();
  if (!has_values_) return;
  std::ranges::copy(std::span(dense_).first(used_dense_),
                    values_.begin() + static_cast<std::ptrdiff_t>(place.first_value + row_values_));
  place.value_count = row_values_ + used_dense_;
  place.part_count = parts_.size() - place.first_part;
  place.products_count = products_.size() - place.first_products;
  if (!std::isfinite(add_squares())) {
    const auto values = std::span(values_).subspan(place.first_value, place.value_count);
    for (double& value : values) value = std::ldexp(value, -overflow_exponent);
    place.exponent = overflow_exponent;
    write_products(-overflow_exponent);
    // Finite numbers whose squares were not have finite ones in the smaller unit. Before clipping:
    // what is clipped are finite numbers.
    if (!std::isfinite(add_squares())) return drop_record();
  }
  place.square_count = squares_.size() - place.first_square;
  used_values_ += place.value_count;
}

RowRecord RowArena::record(std::int64_t i) const {
  const auto& place = records_[static_cast<std::size_t>(i)];
  return {std::span(rows_).subspan(place.first_row, place.row_count),
          std::span(values_).subspan(place.first_value, place.value_count),
          std::span(squares_).subspan(place.first_square, place.square_count),
          place.exponent,
          place.unit,
          std::span(parts_).subspan(place.first_part, place.part_count),
          std::span(products_).subspan(place.first_products, place.products_count)};
}

void RowArena::clear() {
  rows_.clear();
  squares_.clear();
  parts_.clear();
  products_.clear();
  if (memory_) memory_->release();
  records_.clear();
  used_values_ = 0;
}

}  // namespace tacet::optimize
