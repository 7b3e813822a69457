#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "tacet/numeric/picked_rows.h"
#include "tacet/optimize/sums/slot_map.h"
#include "tacet/privacy/row_layout.h"

namespace tacet::optimize {

/// What a record is held to, all of it public.
struct RowLimit {
  std::int64_t max_rows = 0;  ///< different rows that a record may touch; further ones take no
                              ///< part, so that selections can count on it; at least 1
  std::int64_t max_records_per_unit = 1;  ///< records of a privacy unit that take part in a step,
                                          ///< which share every bound equally
  int norm_bits = 26;                     ///< a clipping norm is 2^norm_bits grid units; 14 to 26
};

/// Neighbouring numbers of the dense block.
struct DensePart {
  std::size_t first;
  std::size_t width;
  [[nodiscard]] std::size_t end() const { return first + width; }
};

/// Rows of the dense block that are multiples of one vector, as a layer's gradient is: the row
/// picked.places[k], as wide as the vector, counted from the block's number `first` on, is
/// picked.factors[k] times it.
struct DenseProducts {
  std::size_t first;
  numeric::PickedRows picked;
  std::span<const double> vector;
};

/// One record's gradient: its rows in the order in which they were touched, each once, and of the
/// dense block parts and products that have no number in common; what is in none of them is 0.
struct RowRecord {
  std::span<const std::int64_t> rows;
  std::span<const double> values;   ///< row by row, then part by part
  std::span<const double> squares;  ///< squared norm of each row, of each part and of each
                                    ///< products; none for a record whose rows were only touched
  int exponent;                     ///< the gradient is 2^exponent times the values and products
  std::int64_t unit;
  std::span<const DensePart> parts = {};
  std::span<const DenseProducts> products = {};
};

/// How long an arena's records stay: until it is cleared, or, for those that are used as they come,
/// until the caller changes what it gave to dense_products(), which is not copied.
enum class RecordLife { until_cleared, borrowed };

/// Where one thread writes the gradients of records, one after the other, without anything of a
/// table's size: touched rows side by side, duplicates merged.
///
///     arena.start();
///     auto t = arena.row(target);        // to be added to; zeros at first
///     for (j ...) t[j] += ...;
///     auto h = arena.dense();            // or in parts, or dense_products()
///     arena.finish();
class RowArena {
 public:
  RowArena(const privacy::RowLayout& layout, const RowLimit& limit,
           RecordLife life = RecordLife::until_cleared);

  /// Begins a record of a privacy unit; units count only where a unit has several records.
  void start(std::int64_t unit = -1);
  /// The record's gradient with respect to a row, to be added to; valid until finish(). A row
  /// beyond max_rows goes nowhere. InternalError for a row that the layout has not.
  [[nodiscard]] std::span<double> row(std::int64_t row);
  /// The same for the dense block.
  [[nodiscard]] std::span<double> dense() { return dense(0, dense_.size()); }
  /// The same for a part of it that begins behind all parts and products asked for before, or lies
  /// in a part that was the last thing asked for. InternalError otherwise.
  [[nodiscard]] std::span<double> dense(std::size_t first, std::size_t count);
  /// The record's gradient with respect to rows of the dense block, see DenseProducts: a record of
  /// which few rows are not 0 costs what those cost, and none of their numbers is written down.
  /// They ascend, and lie behind all that was asked for before; InternalError otherwise.
  void dense_products(std::size_t first, const numeric::PickedRows& picked,
                      std::span<const double> vector);
  /// The record touches the row; its gradient is not needed. For records without any values.
  void touch(std::int64_t row);
  /// Ends the record. One with a value that is not a finite number touches nothing and counts 0.
  void finish();

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(records_.size()); }
  [[nodiscard]] RowRecord record(std::int64_t i) const;
  /// Forgets all records and keeps the memory.
  void clear();

 private:
  struct Place {
    std::size_t first_row = 0;
    std::size_t row_count = 0;
    std::size_t first_value = 0;
    std::size_t value_count = 0;
    std::size_t first_square = 0;
    std::size_t square_count = 0;
    std::size_t first_part = 0;
    std::size_t part_count = 0;
    std::size_t first_products = 0;
    std::size_t products_count = 0;
    int exponent = 0;
    std::int64_t unit = -1;
  };

  std::int32_t slot_of(std::int64_t row);
  void add_part(std::size_t first, std::size_t count);
  /// Writes products down as parts, whose values are multiplied by a power of two.
  void write_products(int exponent);
  void drop_record();
  template <typename T>
  [[nodiscard]] std::span<const T> kept(std::span<const T> values) const;
  /// The sum of the squares, which are written behind those of the records before.
  double add_squares();

  privacy::RowLayout layout_;
  std::size_t max_rows_;
  SlotMap slots_;                     // of the record's rows
  std::vector<std::size_t> offsets_;  // of each slot's values, from the record's first one
  std::vector<std::int64_t> rows_;
  std::vector<double> values_;
  std::size_t used_values_ = 0;
  std::vector<double> squares_;
  std::vector<Place> records_;
  std::vector<double> dense_;  // of the record, its parts side by side
  std::size_t used_dense_ = 0;
  std::size_t dense_end_ = 0;  // of the last part or products
  std::vector<DensePart> parts_;
  std::vector<DenseProducts> products_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;  // of products; none: borrowed
  std::vector<double> surplus_;                                  // where rows go that take no part
  std::size_t row_values_ = 0;                                   // of the record
  bool has_values_ = false;
};

inline std::span<double> RowArena::dense(std::size_t first, std::size_t count) {
  has_values_ = true;
  if (count == 0) return {};
  const bool inside = parts_.size() > records_.back().first_part && first >= parts_.back().first &&
                      first + count <= parts_.back().end() && parts_.back().end() == dense_end_;
  if (!inside) add_part(first, count);
  return {dense_.data() + (used_dense_ - (parts_.back().end() - first)), count};
}

}  // namespace tacet::optimize
