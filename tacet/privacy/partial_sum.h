#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/certified.h"
#include "tacet/privacy/released.h"
#include "tacet/privacy/sample.h"

namespace tacet::privacy {

/// One of the disjoint blocks that a pass over the records by position is cut into.
struct PassBlock {
  std::int64_t block;
};

/// One record alone, as a device holds it; its number tells it from the others.
struct OneRecord {
  std::int64_t record;
};

/// A bounded vector computed from some records only, in a way that is accounted otherwise than a
/// sum over all of them: neighbours are zero_out or replace_one, never add_remove. The mechanisms
/// for sums over all records do not take it.
class PartialSum {
 public:
  using Part = std::variant<Sample, PassBlock, OneRecord>;

  /// As for BoundedSum, only the code that takes and clips records may state this. A Sample is
  /// one of fixed size.
  [[nodiscard]] static PartialSum from_certified(Certified /*proof*/, BoundedSum sum, Part part) {
    return PartialSum(std::move(sum), part);
  }

  [[nodiscard]] const Part& part() const { return part_; }
  [[nodiscard]] double grid() const { return sum_.grid(); }
  [[nodiscard]] std::size_t size() const { return sum_.size(); }
  [[nodiscard]] BoundedSum take(AccessKey /*key*/) && { return std::move(sum_); }

 private:
  PartialSum(BoundedSum sum, Part part) : sum_(std::move(sum)), part_(part) {}

  BoundedSum sum_;
  Part part_;
};

}  // namespace tacet::privacy
