#pragma once

#include <cstdint>

/// Public points for numbers of unknown size: 0 and, on both sides of it, 32 points between each
/// power of two and the next from 2^-30 to 2^41. Order statistics go along with any rising map, so
/// that quantiles among ranks are quantiles among points.
namespace tacet::mechanism {

inline constexpr std::int64_t magnitude_ranks = 2 * 71 * 32 + 1;

/// The rank, 0..magnitude_ranks - 1, of the point next to a number: rising with the number. What
/// lies beyond the points counts as the last one, NaN as 0.
[[nodiscard]] std::int64_t magnitude_rank(double value);
/// The point of a rank; ranks beyond the last count as that.
[[nodiscard]] double magnitude_point(std::int64_t rank);

}  // namespace tacet::mechanism
