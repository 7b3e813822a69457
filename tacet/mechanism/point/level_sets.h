#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/random/choose/exponential_choice.h"

/// Inverse-sensitivity scores of all points of a public grid, as runs of points with equal scores.
namespace tacet::mechanism::internal {

/// The place of a record's breakpoint on the grid: 2 floor(p) + [p is between two points], where p
/// is in grid steps from the first point.
using Key = std::int64_t;

[[nodiscard]] constexpr Key key_at(std::int64_t point) { return 2 * point; }
[[nodiscard]] constexpr Key key_after(std::int64_t point) { return 2 * point + 1; }

/// Sorts keys within [0, bound], in place. Linear time.
void sort_keys(std::vector<Key>& keys, Key bound);

/// The points j = 0, ..., last, and the radius R in [0, last], in steps, within which a point
/// counts as correct.
struct GridShape {
  std::int64_t last;
  std::int64_t radius;
};

/// Counts that pull a point to either side: with W(m) = weights[0] + ... + weights[m - 1],
/// a point pulls to the left by left_pull + W(keys before it) and to the
/// right by right_pull - W(keys up to it). Keys ascend within [0, 2 last]; weights are positive;
/// left_pull + right_pull is 0 or 1.
///
/// For a sum of convex piecewise linear functions, keys are the breakpoints, weights the jumps of
/// the slope, left_pull the slope left of all of them and right_pull its negative. For the k-th
/// smallest of n keys, left_pull = 1 - k and right_pull = k.
struct Pulls {
  std::int64_t left_pull;
  std::int64_t right_pull;
  std::span<const Key> keys;
  std::span<const std::int64_t> weights;  ///< one per key; empty: all are common_weight
  std::int64_t common_weight = 1;

  [[nodiscard]] std::int64_t weight(std::size_t i) const {
    return weights.empty() ? common_weight : weights[i];
  }
};

/// The scores of the points 0, 1, ..., last, in order, as runs of `count` points at `level`:
///   max(0, pull to the left at j - R unless j - R <= 0,
///          pull to the right at j + R unless j + R >= last).
/// For convex functions that is the smallest norm of a subgradient plus a normal vector of the
/// interval within R steps of j; for order statistics the number of records to replace until the
/// k-th smallest is within R steps of j (Asi, Duchi 2020).
[[nodiscard]] std::vector<random::WeightedLevel> level_runs(const Pulls& pulls, GridShape grid);

}  // namespace tacet::mechanism::internal
