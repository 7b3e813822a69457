#include "tacet/optimize/sums/joint_bound.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace {

using privacy::Adjacency;
__extension__ using Wide = unsigned __int128;

constexpr int moment_shift = 2 * residual_bits - 2 * coarse_bits;  // of rho^2
constexpr int curvature_shift = 2 * coarse_bits - residual_bits;   // of eta
constexpr int square_shift = 4 * coarse_bits;                      // of a squared norm of 1
constexpr int score_shift = square_shift - 2 * residual_bits;      // of rho^2
constexpr Wide whole_distance = Wide{1}
                                << (square_shift + residual_bits);  // a squared distance of 1
static_assert(moment_shift > 0 && curvature_shift > 0 && score_shift > 0);

std::int64_t moment_limit(std::int64_t residual) { return residual * residual >> moment_shift; }

// Matrices that are positive semidefinite have an inner product of at least 0, and so have squares:
// under replace_one two of them are no longer apart than the root of their squares' sum, so that
// half a distance counts half of their squares (docs/proofs/inference.md, section 1).
Wide half_counted(Adjacency adjacency) { return adjacency == Adjacency::replace_one ? 1 : 2; }

/// Twice what a record takes of the squared distance, in units of 1 / whole_distance.
Wide twice_taken(const JointShares& shares, Adjacency adjacency, std::int64_t residual,
                 std::int64_t curvature_limit) {
  const auto moment = static_cast<Wide>(moment_limit(residual));
  const auto rho = static_cast<Wide>(residual < 0 ? -residual : residual);
  const auto curvature = static_cast<Wide>(curvature_limit);
  const Wide score = (static_cast<Wide>(shares.score) * rho * rho) << score_shift;
  const Wide others = static_cast<Wide>(shares.moment) * moment * moment +
                      static_cast<Wide>(shares.curvature) * curvature * curvature +
                      (static_cast<Wide>(shares.squares) << square_shift);
  return 2 * score + half_counted(adjacency) * others;
}

}  // namespace

bool within_joint_bound(const JointShares& shares, Adjacency adjacency, std::int64_t residual,
                        std::int64_t curvature_limit) {
  return twice_taken(shares, adjacency, residual, curvature_limit) <= 2 * whole_distance;
}

RecordLimits record_limits(const JointShares& shares, Adjacency adjacency, std::int64_t residual,
                           std::int64_t curvature) {
  // Beyond these the integers below would wrap, and the limits be those of another record.
  const bool in_range = residual >= -residual_units && residual <= residual_units &&
                        curvature >= 0 && curvature <= residual_units;
  if (!in_range || std::min({shares.score, shares.curvature, shares.moment, shares.squares}) < 0) {
    throw base::InternalError("a record's residual, curvature or share is out of its range");
  }
  std::int64_t limit = curvature << curvature_shift;
  if (!within_joint_bound(shares, adjacency, residual, limit)) {
    // What is left, its root as a number, and then integers decide.
    const Wide taken = twice_taken(shares, adjacency, residual, 0);
    if (taken > 2 * whole_distance)
      throw base::InternalError("shares of a joint release add up to too much");
    const double left = static_cast<double>(2 * whole_distance - taken);
    const double each =
        static_cast<double>(half_counted(adjacency)) * static_cast<double>(shares.curvature);
    limit = std::min(limit, static_cast<std::int64_t>(std::sqrt(left / each)) + 1);
    while (limit > 0 && !within_joint_bound(shares, adjacency, residual, limit)) --limit;
  }
  constexpr int longer = score_bits - residual_bits;
  return {.score = (residual * residual) << (2 * longer),
          .curvature = limit,
          .moment = moment_limit(residual)};
}

std::int64_t logistic_curvature(std::int64_t residual) {
  const std::int64_t size = residual < 0 ? -residual : residual;
  return 4 * size * (residual_units - size) >> residual_bits;
}

std::int64_t logistic_curvature_share(std::int64_t score, std::int64_t moment,
                                      Adjacency adjacency) {
  const JointShares others{.score = score, .curvature = 0, .moment = moment};
  const Wide half = half_counted(adjacency);
  Wide least = static_cast<Wide>(residual_units) << residual_bits;
  for (std::int64_t rho = 1; rho <= residual_units; ++rho) {
    const auto limit = static_cast<Wide>(logistic_curvature(rho) << curvature_shift);
    const Wide taken = twice_taken(others, adjacency, rho, 0);
    if (taken > 2 * whole_distance)
      throw base::InternalError("shares of a joint release add up to too much");
    // The quotient is taken only where it is smaller than the least one.
    const Wide square = half * limit * limit;
    if (least * square > 2 * whole_distance - taken) least = (2 * whole_distance - taken) / square;
  }
  return static_cast<std::int64_t>(least);
}

}  // namespace tacet::optimize
