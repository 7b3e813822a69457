#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/random/choose/exponential_choice.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

/// Public points lower + j step, j = 0, ..., last, from which an answer is chosen. The last digits
/// of an answer on a public grid reveal nothing.
class Grid {
 public:
  /// All multiples of `step` above lower up to upper; without a step, the smallest power of two
  /// that is at least 2^-40 of the width. UsageError unless lower < upper are finite, and the step
  /// is between 2^-45 of the width and the width.
  Grid(double lower, double upper, std::optional<double> step = std::nullopt);

  [[nodiscard]] double lower() const { return lower_; }
  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] std::int64_t last() const { return last_; }
  [[nodiscard]] double point(std::int64_t j) const {
    return lower_ + static_cast<double>(j) * step_;
  }
  /// The nearest point; values outside count as the first or last one, NaN as the first.
  [[nodiscard]] std::int64_t nearest(double value) const;

 private:
  double lower_;
  double step_;
  std::int64_t last_;
};

}  // namespace tacet::mechanism

/// Public points for numbers of unknown size: 0 and, on both sides of it, 32 points between each
/// power of two and the next from 2^-30 to 2^41. Order statistics commute with increasing maps, so
/// quantiles among ranks are quantiles among points.
namespace tacet::mechanism {

inline constexpr std::int64_t magnitude_ranks = 2 * 71 * 32 + 1;

/// The rank, 0..magnitude_ranks - 1, of the point nearest to a number; it increases with the
/// number. Numbers beyond the points count as the last one, NaN as 0.
[[nodiscard]] std::int64_t magnitude_rank(double value);
/// The point of a rank; ranks beyond the last count as that.
[[nodiscard]] double magnitude_point(std::int64_t rank);

}  // namespace tacet::mechanism

namespace tacet::mechanism::internal {

/// Draws a point of a grid with probability proportional to exp(-epsilon score / (2 sensitivity)),
/// exactly. Runs of equal scores are given in order.
[[nodiscard]] std::int64_t choose_point(std::span<const random::WeightedLevel> runs,
                                        RationalEpsilon epsilon, std::int64_t sensitivity,
                                        random::Stream& stream);

}  // namespace tacet::mechanism::internal
