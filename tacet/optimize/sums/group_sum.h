#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/mechanism/select/group_scores.h"
#include "tacet/model/loss/loss.h"
#include "tacet/privacy/adjacency.h"

namespace tacet::optimize {

/// Each coordinate of a record's gradient is clipped to [-bound, bound] by itself, 2^norm_bits grid
/// units being the bound.
struct CoordinateClip {
  double bound = 1;    ///< above 0, finite
  int norm_bits = 24;  ///< 14 to 30
};

/// Records in groups by a public hash of what one column says of them: a function of the record
/// alone, so that a record more or less moves nobody else to another group. Gradients of a group
/// are sums with one bound a coordinate (Zhang, Mironov, Hejazinia 2021, algorithm 2, whose bound
/// is assumed and is enforced here).
class GroupedRecords {
 public:
  /// By the encoded features of `column`. Keeps a reference to the records. UsageError unless there
  /// are 1 to 2^30 groups.
  GroupedRecords(const data::Dataset& dataset, data::ColumnRange column, std::int64_t groups);

  [[nodiscard]] std::int64_t groups() const { return static_cast<std::int64_t>(members_.size()); }

  /// The sum over the group's records of the gradients of a linear model with one output, clipped
  /// coordinate by coordinate, in grid units; a gradient that is no finite number counts 0. A
  /// record moves each coordinate by at most 2^norm_bits. UsageError for a clip out of range and
  /// under replace_one.
  [[nodiscard]] mechanism::GroupScores gradient(std::int64_t group, std::span<const double> weights,
                                                const model::Loss& loss, const CoordinateClip& clip,
                                                privacy::Adjacency adjacency) const;

 private:
  const data::Dataset& dataset_;
  std::vector<std::vector<std::int64_t>> members_;  // records of each group, ascending
};

}  // namespace tacet::optimize
