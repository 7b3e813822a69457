#pragma once

#include <cstdint>
#include <span>

namespace tacet::optimize::internal {

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
