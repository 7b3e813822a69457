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

/// Adds one record's pieces to the sum, clipped together: their integers have a norm of at most
/// scale.share, or they add nothing (docs/proofs/wide.md, section 1). `square` is the squared norm
/// that is clipped to it, of the pieces or of all.
void add_clipped(const RowRecord& record, std::span<const Piece> pieces, double square,
                 const RowScale& scale, std::span<double> sum);

/// Adds the places of a record's parts of the dense block, which is at `place`.
void add_dense_pieces(const RowRecord& record, std::size_t place, std::vector<Piece>& out);

/// The places of a record's values and, behind them, of its dense block.
template <typename RowsOrCells>
void pieces_of(const RowRecord& record, const RowsOrCells& places, std::vector<Piece>& out) {
  places.pieces(record, out);
  add_dense_pieces(record, places.cells(), out);
}

/// Rows of all ranks, ascending, each once.
[[nodiscard]] std::vector<std::int64_t> rows_of_all(base::Reducer& reducer,
                                                    std::vector<std::int64_t> own);

}  // namespace tacet::optimize::internal
