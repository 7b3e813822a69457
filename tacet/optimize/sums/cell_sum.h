#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/privacy/bounded_sum.h"

namespace tacet::optimize {

/// What of a record is counted: it lies in one of `groups`, and there in one of `cells`.
struct CellShape {
  std::int64_t groups = 1;
  std::int64_t cells = 1;
  std::int64_t scores = 0;  ///< so many numbers in [0, 1] are added up, by group, less one half
  /// Counts are taken around their even share of a record, for neighbours with one number of
  /// records.
  bool centred = false;
  /// Records may lie in no cell (add_none): of a single centred cell the count is then told, around
  /// one half.
  bool may_lack = false;
};

/// Counts of records by cell, groups one after the other, then by group the sums of scores.
///
/// Scores are clamped and truncated to the grid 1/G, one half is taken away (if the number of
/// records is known, it is added back later: docs/proofs/evaluation.md), and everything is added up
/// in integers. With m cells in all, one record's vector has a squared length in grid units of at
/// most
///   G^2 (1 + scores / 4)             or, centred,
///   G^2 ((m - 1) / m + scores / 4),
/// where G is the largest number that keeps this within 4^norm_bits: certified in integers,
/// whatever is added. (A record that is alone in its only cell tells nothing when centred: that
/// count is left out, unless records may lack: then it is told around one half, and a record has a
/// squared length of at most G^2 (1 + scores) / 4.) Not for several threads at once.
class CellSum {
 public:
  static constexpr std::int64_t max_cells = 4096;
  /// At most max_cells in all, each number at least 1; at most 8 scores; norm_bits 14 to 30.
  /// UsageError otherwise.
  CellSum(const CellShape& shape, int norm_bits);

  /// Adds one record with as many scores as the shape has; one that is not a number counts 0.
  void add(std::int64_t group, std::int64_t cell, std::span<const double> scores = {});
  /// Adds one record that lies in no cell and has no scores, of a shape that may lack such; it is
  /// no longer than others: of no length, or centred G^2 / m (m > 1) and G^2 / 4 (m = 1).
  void add_none();

  [[nodiscard]] static std::int64_t counts(const CellShape& shape);
  /// How many sums there are.
  [[nodiscard]] static std::int64_t terms(const CellShape& shape);

  /// The sums in real units.
  [[nodiscard]] privacy::BoundedSum take() &&;
  /// What take() certifies, in grid units: as private as the records. For sums over parts.
  [[nodiscard]] std::vector<std::int64_t> integers() && { return std::move(sums_); }
  /// The sum of what integers() says of all parts of the records, each of this shape.
  [[nodiscard]] privacy::BoundedSum certified(std::vector<std::int64_t> integers) const;

  /// Real value of the bound of one record, 2^norm_bits / G.
  [[nodiscard]] double contribution_bound() const;

 private:
  void take_share();

  CellShape shape_;
  int norm_bits_;
  std::int64_t units_;  // G
  std::vector<std::int64_t> sums_;
};

}  // namespace tacet::optimize
