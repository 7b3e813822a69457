#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacet::data {

/// The features of one record, added in any order. If several have the same column, the first one
/// counts, so no record can be invalid. Memory is within a constant factor of the number of
/// different columns, however often a record repeats one.
class FeatureList {
 public:
  void clear();
  void add(std::uint32_t column, double value) {
    if (!columns_.empty() && column <= columns_.back()) ascending_ = false;
    if (columns_.size() == sort_at_) make_room();
    columns_.push_back(column);
    values_.push_back(value);
  }
  /// Sorts the features; afterwards columns() ascend strictly.
  void finish();

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// How many were dropped because their column had been there before.
  [[nodiscard]] std::int64_t repeated() const { return repeated_; }

 private:
  static constexpr std::size_t usual_size = std::size_t{1} << 16;

  void make_room();

  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  std::size_t sort_at_ = usual_size;
  bool ascending_ = true;
  std::int64_t repeated_ = 0;
};

}  // namespace tacet::data
