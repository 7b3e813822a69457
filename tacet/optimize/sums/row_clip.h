#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/optimize/sums/row_arena.h"
#include "tacet/optimize/sums/row_places.h"

namespace tacet::optimize::internal {

/// How records are scaled and what they may add, in grid units.
struct RowScale {
  double per_unit;  ///< grid units of one real unit
  double share;     ///< an integer: the norm of what one record may add

  /// For records clipped to `clipping_norm`, which is checked.
  [[nodiscard]] static RowScale of(double clipping_norm, const RowLimit& limit);
};

/// What of a record takes part in a sum, and where: pieces without a number in common, and its
/// products of the dense block, which begins at `dense`.
struct RecordPlaces {
  std::vector<Piece> pieces = {};
  std::size_t dense = 0;
  double square = 0;  ///< squared norm of all of it
};

/// Adds what takes part of one record to the sum, clipped together: their integers have a norm of
/// at most scale.share, or they add nothing (docs/proofs/wide.md, section 1). `square` is the
/// squared norm that is clipped to it, of what takes part or of all.
void add_clipped(const RowRecord& record, const RecordPlaces& places, double square,
                 const RowScale& scale, std::span<double> sum);

/// Behind a record's pieces in rows its dense block, which is at `dense`.
void place_dense(const RowRecord& record, std::size_t dense, RecordPlaces& out);

/// The places of a record's values and, behind them, of its dense block.
template <typename RowsOrCells>
void place_record(const RowRecord& record, const RowsOrCells& places, RecordPlaces& out) {
  places.pieces(record, out.pieces);
  place_dense(record, places.cells(), out);
}

/// The rows ascending, each once.
[[nodiscard]] std::vector<std::int64_t> each_row_once(std::vector<std::int64_t> rows);

/// The norm rounded down to 24 significant bits, so that dividing it by a power of two is exact.
/// UsageError outside [1e-100, 1e100].
[[nodiscard]] double checked_row_norm(double norm);

/// The largest integer that is not above the Euclidean norm; values within 2^53 of 0, at most 2^20
/// of them.
[[nodiscard]] std::int64_t floor_norm(std::span<const std::int64_t> values);

struct AggregateClip {
  double norm;               ///< of the sum, in grid units, at least 1
  std::int64_t record_norm;  ///< of what each unit adds to it, in grid units
  std::int64_t cells;        ///< of the sum, those that are 0 without being held included
};

/// Shortens the vector to `norm` where it is longer, and rounds it to integers. Returns what a unit
/// more or less moves the result by at most, which is at least half of what a replaced one does:
/// min(record_norm, 2 norm), the projection's diameter, and sqrt(cells) for rounding
/// (docs/proofs/wide.md, section 5). UsageError for a norm below 1 or above 2^40.
[[nodiscard]] std::int64_t clip_aggregate(std::span<std::int64_t> values,
                                          const AggregateClip& clip);

}  // namespace tacet::optimize::internal
