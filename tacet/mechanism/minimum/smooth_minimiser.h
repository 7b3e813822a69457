#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tacet/mechanism/minimum/slope_sum.h"
#include "tacet/mechanism/point/inverse_sensitivity.h"
#include "tacet/mechanism/release_context.h"

namespace tacet::mechanism {

/// A private minimiser of a sum of convex losses of one number, smooth ones or any others, by the
/// inverse sensitivity mechanism on a grid: the law of release_minimiser for PiecewiseLinearSum,
/// with scores that are computed only when they are needed. Exactly epsilon-private (bounded
/// range): scores are integers, and no probability is rounded.
///
/// It is drawn by rejection. Scores fall towards the minimiser and rise after it, so the better end
/// of a run of points bounds the scores in it. Runs are halved until two of three proposals are
/// accepted. The choice of runs, and the time, depend on the records, but the sampler is exact
/// whatever they are (docs/proofs/selection.md, section 7).
///
/// Debits `reservation` by minimiser_event before a record is read. A UsageError for a radius
/// outside [0, grid.last()].
[[nodiscard]] privacy::Released<double> release_minimiser(const SlopeSum& sum,
                                                          const MinimiserQuery& query,
                                                          privacy::Epsilon epsilon,
                                                          const ReleaseContext& context);

namespace internal {

/// How strongly a point is pulled to the left, and to the right; each at least 0.
struct PointPulls {
  std::int64_t left;
  std::int64_t right;
  [[nodiscard]] std::int64_t score() const { return left > right ? left : right; }
};
using PullsAt = std::function<PointPulls(std::int64_t point)>;

/// The points first, ..., end - 1; their scores are at least `lowest` and at most `highest`.
struct ScoreCell {
  std::int64_t first;
  std::int64_t end;
  std::int64_t lowest;
  std::int64_t highest;
};

/// The pulls by a sum's slopes: to the left the slope at j - R unless j - R <= 0, to the right the
/// negative slope at j + R unless j + R >= last. See level_runs.
[[nodiscard]] PullsAt pulls_of(const SlopeSum& sum, const Grid& grid, std::int64_t radius);

/// All points 0, ..., last in cells, in any order. Pulls to the left fall, and those to the right
/// rise, by at most `slack` from one point to a later one. `rate` is the weight of a unit of score.
/// Cells are made small where most weight is, until the total of exp(-rate lowest) exceeds that of
/// exp(-rate highest) by at most a half, or there are too many cells.
[[nodiscard]] std::vector<ScoreCell> score_cells(const PullsAt& pulls, std::int64_t last,
                                                 std::int64_t slack, double rate);

/// A point with probability proportional to exp(-rate score), exactly.
[[nodiscard]] std::int64_t draw_point(const PullsAt& pulls, const std::vector<ScoreCell>& cells,
                                      random::WideRatio rate, random::Stream& stream);

}  // namespace internal

}  // namespace tacet::mechanism
