#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/released.h"
#include "tacet/privacy/sample.h"

namespace tacet::privacy {

/// One of the disjoint blocks that a pass over the records by position is cut into.
struct BlockSelection {
  std::int64_t block;
};

/// A bounded vector computed from some records only, in a way that is accounted otherwise than a
/// sum over all of them: neighbours are zero_out or replace_one, never add_remove. The mechanisms
/// for sums over all records do not take it.
class SelectedSum {
 public:
  using Selection = std::variant<Sample, BlockSelection>;

  /// As for BoundedSum, only the code that selects and clips records may state this. A Sample is
  /// one of fixed size.
  [[nodiscard]] static SelectedSum from_certified(BoundedSum sum, Selection selection) {
    return SelectedSum(std::move(sum), selection);
  }

  [[nodiscard]] const Selection& selection() const { return selection_; }
  [[nodiscard]] double grid() const { return sum_.grid(); }
  [[nodiscard]] std::size_t size() const { return sum_.size(); }
  [[nodiscard]] BoundedSum take(MechanismDoor /*door*/) && { return std::move(sum_); }

 private:
  SelectedSum(BoundedSum sum, Selection selection) : sum_(std::move(sum)), selection_(selection) {}

  BoundedSum sum_;
  Selection selection_;
};

}  // namespace tacet::privacy
