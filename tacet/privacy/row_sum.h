#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/certified.h"
#include "tacet/privacy/released.h"
#include "tacet/privacy/row_layout.h"
#include "tacet/privacy/sample.h"

namespace tacet::privacy {

/// A bounded sum over the chosen cells of a model's tables and its dense block. The choice is
/// public; the numbers are private, and so is which of the chosen rows a record touched.
class RowSum {
 public:
  /// Only the code that clips records (the optimize module) may state this; the check of floors
  /// enforces it. The sum holds a number for every chosen cell and then for the dense block; where
  /// all rows are chosen, for the cells of the `touched` ones, ascending, and the others are 0.
  /// InternalError unless it does.
  [[nodiscard]] static RowSum from_certified(Certified proof, BoundedSum sum,
                                             RowSelection selection, RowLayout layout,
                                             std::vector<std::int64_t> touched = {});

  [[nodiscard]] const RowSelection& selection() const { return selection_; }
  [[nodiscard]] const RowLayout& layout() const { return layout_; }
  [[nodiscard]] const Sample& sample() const { return sum_.sample(); }
  [[nodiscard]] double grid() const { return sum_.grid(); }
  [[nodiscard]] std::int64_t contribution_bound() const { return sum_.contribution_bound(); }
  /// Of the chosen cells and the dense block.
  [[nodiscard]] std::int64_t size() const { return size_; }

  [[nodiscard]] const BoundedSum& open(AccessKey /*key*/) const& { return sum_; }
  [[nodiscard]] BoundedSum open(AccessKey /*key*/) && { return std::move(sum_); }
  /// Where all rows are chosen.
  [[nodiscard]] std::span<const std::int64_t> touched(AccessKey /*key*/) const { return touched_; }

 private:
  RowSum(BoundedSum sum, RowSelection selection, RowLayout layout,
         std::vector<std::int64_t> touched)
      : sum_(std::move(sum)),
        selection_(std::move(selection)),
        layout_(std::move(layout)),
        touched_(std::move(touched)) {}

  BoundedSum sum_;
  RowSelection selection_;
  RowLayout layout_;
  std::vector<std::int64_t> touched_;
  std::int64_t size_ = 0;
};

}  // namespace tacet::privacy
