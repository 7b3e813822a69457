#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// Fills `slopes` with the slopes at `point` of the losses of the records first, first + 1, ...
/// Each slope must be a function of its record and the point alone. The guarantee needs convex
/// losses: for every record, the slope may fall from one point to a later one by at most 2^-33 of
/// the steepest slope, which allows for rounding.
using SlopesAt = std::function<void(double point, std::int64_t first, std::span<double> slopes)>;

/// The range of the slopes of all legal records at each point. All of it is public. Slopes are cut
/// to it, so a range that is too narrow costs utility and not privacy.
struct SlopeRange {
  double steepest;  ///< of |slope|, anywhere
  double width;     ///< largest difference between two records' slopes at one point
  /// The largest slope at a point, which must not fall from one point to a later one. The smallest
  /// slope is `width` below it.
  std::function<double(double point)> largest;
};

/// A private sum over records of convex losses of one number, known through their slopes.
///
/// Slopes are rounded to multiples of 2^-30 of the steepest one and cut to their range. So sums are
/// exact integers, and the sensitivity holds whatever the records are.
class SlopeSum {
 public:
  static constexpr std::int64_t max_records = std::int64_t{1} << 30;  // sums stay below 2^62

  /// A UsageError unless 0 <= records <= 2^30 and the range's numbers are positive and finite.
  SlopeSum(std::int64_t records, SlopesAt slopes, SlopeRange range);

  /// The largest change of the sum at any point between neighbours, in units of the slopes.
  [[nodiscard]] std::int64_t sensitivity(privacy::Adjacency adjacency) const;

  /// The largest fall of the sum from one point to a later one, in units. It comes from rounding
  /// alone; cutting to a rising interval adds nothing.
  [[nodiscard]] std::int64_t max_fall() const { return records_; }

  [[nodiscard]] double unit() const { return unit_; }

  /// The sum at a point, in units: one pass over the records.
  [[nodiscard]] std::int64_t open(privacy::AccessKey key, double point) const;

 private:
  std::int64_t records_;
  SlopesAt slopes_;
  SlopeRange range_;
  double unit_;
  std::int64_t steepest_;  // in units, as is
  std::int64_t width_;
};

}  // namespace tacet::mechanism
