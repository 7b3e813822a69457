#pragma once

#include <cstdint>
#include <vector>

#include "tacet/privacy/bounded_sum.h"

namespace tacet::optimize {

/// What of a record is counted: it lies in one of `groups`, and there in one of `cells`.
struct CellShape {
  std::int64_t groups = 1;
  std::int64_t cells = 1;
  bool score = false;  ///< a score in [0, 1] is added up, by group
  /// Each record's vector is taken around a middle that is the same for all, for neighbours with
  /// one number of records: counts around their even share of a record, scores around one half.
  bool centred = false;
};

/// Counts of records by cell, groups one after the other, then by group the sum of a score.
///
/// Scores are clamped and truncated to the grid 1/G, and everything is added up in integers. With m
/// cells in all, one record's vector has a squared length in grid units of at most
///   G^2 (1 + score)                 or, centred,
///   G^2 ((m - 1) / m + score / 4),
/// where G is the largest number that keeps this within 4^norm_bits: certified in integers,
/// whatever is added. (A record that is alone in its only cell tells nothing when centred: that
/// count is left out.)
class CellSum {
 public:
  /// At most 4096 cells in all, each number at least 1; norm_bits 14 to 30. UsageError otherwise.
  CellSum(const CellShape& shape, int norm_bits);

  /// Adds one record; a score that is not a number counts 0, and without scores it is not used.
  void add(std::int64_t group, std::int64_t cell, double score = 0);

  [[nodiscard]] static std::int64_t counts(const CellShape& shape);
  /// How many sums there are.
  [[nodiscard]] static std::int64_t terms(const CellShape& shape);

  /// The sums in real units.
  [[nodiscard]] privacy::BoundedSum take() &&;

  /// Real value of the bound of one record, 2^norm_bits / G.
  [[nodiscard]] double contribution_bound() const;

 private:
  CellShape shape_;
  int norm_bits_;
  std::int64_t units_;  // G
  std::vector<std::int64_t> sums_;
};

}  // namespace tacet::optimize
