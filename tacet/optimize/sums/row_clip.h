#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/base/reducer.h"
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

/// Rows of all ranks, ascending, each once.
[[nodiscard]] std::vector<std::int64_t> rows_of_all(base::Reducer& reducer,
                                                    std::vector<std::int64_t> own);

}  // namespace tacet::optimize::internal
