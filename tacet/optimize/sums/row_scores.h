#pragma once

#include "tacet/mechanism/select/scores.h"
#include "tacet/optimize/sums/row_arena.h"
#include "tacet/privacy/row_layout.h"

namespace tacet::optimize {

/// What a selection chooses.
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
