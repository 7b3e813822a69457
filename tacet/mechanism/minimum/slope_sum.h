#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// Fills `slopes` with the slopes at `point` of the losses of the records first, first + 1, ...
/// Each must be a function of its record and the point alone, and convex losses are part of the
/// guarantee: whatever a record says, its slope may fall from one point to a later one by 2^-33 of
/// the steepest at most, which is for rounding.
using SlopesAt = std::function<void(double point, std::int64_t first, std::span<double> slopes)>;

/// Where the slopes of all legal records lie, point by point; all of it public. Slopes are cut to
/// it: a bound that is too narrow costs utility, not privacy.
struct SlopeRange {
  double steepest;  ///< of |slope|, anywhere
  double width;     ///< between two records' slopes at one point
  /// The largest slope at a point, which must not fall from one point to a later one; the least is
  /// `width` below.
  std::function<double(double point)> largest;
};

/// A private sum over records of convex losses of one number, known by their slopes at points.
///
/// Slopes are rounded to multiples of 2^-30 of the steepest one and cut to their range in these
/// units, so that sums are exact integers and the sensitivity holds whatever the records say.
class SlopeSum {
 public:
  static constexpr std::int64_t max_records = std::int64_t{1} << 30;  // sums stay below 2^62

  /// A UsageError unless 0 <= records <= 2^30 and the range's numbers are positive and finite.
  SlopeSum(std::int64_t records, SlopesAt slopes, SlopeRange range);

  /// By how much one neighbour moves the sum at any point, in units of the slopes.
  [[nodiscard]] std::int64_t sensitivity(privacy::Adjacency adjacency) const;

  /// By how much the sum can fall from one point to a later one, in units: rounding alone, which a
  /// cut to a rising interval does not add to.
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
