#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/mechanism/select/scores.h"
#include "tacet/optimize/sums/row_arena.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/row_layout.h"

namespace tacet::optimize {

/// What of a score is added up.
enum class ScoreOrigin {
  zero,  ///< the score, in [0, 1]
  half   ///< the score less one half: half as long, where the number of records is public
};

/// Marks, which stand behind the scores: `places` different ones, of which each record has at most
/// `max_per_record`.
struct Marks {
  std::int64_t places = 0;
  std::int64_t max_per_record = 0;
};

/// A sum over records of a few scores in [0, 1] each: means and squares of numbers, and how often
/// marks occur.
///
/// Scores are clamped, truncated to the grid 1/G and added up in integers, where
/// G = floor(2^norm_bits / sqrt(terms)), and twice that around one half; a mark counts as much as
/// the longest score, one half of it around one half. With marks their largest number counts to the
/// terms. So one record's vector has at most 4^norm_bits as its squared length, whatever is added.
/// Not for several threads at once.
class ScoreSum {
 public:
  /// `terms` scores a record and its marks, at least 1 of both; norm_bits 14 to 30. UsageError
  /// otherwise.
  ScoreSum(std::int64_t terms, int norm_bits, ScoreOrigin origin = ScoreOrigin::zero,
           Marks marks = {});

  /// Adds one record; a score that is not a number counts 0. `scores` holds `terms` of them,
  /// `marked` places of marks: a repeated one counts once, and those beyond the most not at all. At
  /// most 2^32 records, UsageError beyond.
  ///
  /// Of k records that are `sharing` one bound, those of a unit, each is added on the grid
  /// floor(G / k): within 2^norm_bits / k, so that all of them together are within 2^norm_bits.
  void add(std::span<const double> scores, std::span<const std::size_t> marked = {},
           std::int64_t sharing = 1);

  /// The sums in real units, marks behind scores; each record contributes at most sqrt(terms) in L2
  /// norm, half of that around one half.
  [[nodiscard]] privacy::BoundedSum take() &&;
  /// What take() certifies, in grid units: as private as the records. For sums over parts.
  [[nodiscard]] std::vector<std::int64_t> integers() && { return std::move(sums_); }
  /// The sum of what integers() says of all parts of the records, each of this shape.
  [[nodiscard]] privacy::BoundedSum certified(std::vector<std::int64_t> integers) const;

  /// Real value of the bound of one record, 2^norm_bits / G, which is that up to the grid.
  [[nodiscard]] double contribution_bound() const;

 private:
  int norm_bits_;
  std::size_t terms_;
  std::int64_t max_marks_;
  std::int64_t units_;    // G
  std::int64_t longest_;  // score less its origin, and a mark, in units
  std::int64_t origin_;   // in units
  std::int64_t records_ = 0;
  std::vector<std::int64_t> marked_by_;  // the last record that had each mark, from 1
  std::vector<std::int64_t> sums_;
};

/// Whether a selection chooses whole rows or single coordinates.
enum class Granularity { row, coordinate };

/// How rows or cells are scored: by the length of a sum of gradients of which each unit's was
/// clipped to norm C.
struct RowScoreRule {
  Granularity granularity = Granularity::row;
  double clipping_norm = 1;  ///< C; 1e-100 to 1e100
  double score_bound = 1;    ///< longer sums score as this; in real units, of at least one grid
                             ///< unit C / 2^norm_bits
};

/// What is public of these scores, in grid units of C / 2^norm_bits: the plan's half of
/// RowBatch::scores, from which top_event and the others take the cost. UsageError for numbers out
/// of range.
[[nodiscard]] mechanism::ScoreBounds row_score_bounds(const privacy::RowLayout& layout,
                                                      const RowLimit& limit,
                                                      const RowScoreRule& rule,
                                                      privacy::Adjacency adjacency);

}  // namespace tacet::optimize
