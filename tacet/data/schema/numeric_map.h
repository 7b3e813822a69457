#pragma once

#include <algorithm>
#include <cstdint>

#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// From a number to its feature before row scaling, by the schema alone: clipped to the bounds, by
/// log(1 + x) if asked, to the share v in [0, 1] of the way between them; then
/// `slope` (v - `zero`). Under encoding 1 that is v itself. Under encoding 2 it is 1.25 (2 v - 1),
/// zero in the middle or at the typical value; columns bounded by exactly 0 and 1 (flags, shares,
/// pixels) keep v, so that their zero stays zero.
///
/// A column with N knots has N more features, hats: piecewise linear functions of v, hat k being
/// 1/2 at k / (N - 1), 0 at all other knots. At most two neighbours differ from 0.
///
/// A column with a released mean m and deviation s of 2 v - 1 becomes 0.35 (2 v - 1 - m) / s.
class NumericMap {
 public:
  NumericMap(const NumericColumn& rule, std::int64_t encoding);

  [[nodiscard]] double share(double value) const;
  [[nodiscard]] double feature_of_share(double share) const { return slope_ * (share - zero_); }
  [[nodiscard]] double feature(double value) const { return feature_of_share(share(value)); }
  /// The share of a missing or unreadable value.
  [[nodiscard]] double missing_share() const { return missing_; }

  /// Calls take(k, value) for the hats around the share, ascending.
  template <typename Take>
  void hats(double share, Take take) const {
    if (knots_ == 0) return;
    const double place = share * static_cast<double>(knots_ - 1);
    const auto left = std::min(static_cast<std::int64_t>(place), knots_ - 2);
    const double right_share = place - static_cast<double>(left);
    take(left, hat_height * (1 - right_share));
    take(left + 1, hat_height * right_share);
  }
  static constexpr double hat_height = 0.5;
  /// The share of the way at which a knot is, and the number there.
  [[nodiscard]] double knot_share(std::int64_t knot) const {
    return static_cast<double>(knot) / static_cast<double>(knots_ - 1);
  }
  [[nodiscard]] double knot(std::int64_t knot) const;

  /// How far a step of 1 (of 1 in log(1 + x) where the column asks for logarithms) moves the
  /// feature.
  [[nodiscard]] double step() const { return slope_ / width_; }
  /// Bound of the feature's square, hats included.
  [[nodiscard]] double largest_square() const;

 private:
  [[nodiscard]] double transform(double value) const;

  double lower_;
  double upper_;
  bool log1p_;
  double origin_;  // of the lower bound
  double width_;   // from there to the upper one
  double slope_ = 1;
  double zero_ = 0;
  double missing_ = 0;
  std::int64_t knots_;
};

/// The number, within the bounds, that stands for a missing one.
[[nodiscard]] double missing_value(const NumericColumn& rule, std::int64_t encoding);

/// Whether the schema centres the column: encoding 2, and bounds other than 0 and 1 unless it says
/// `centre` or `typical`.
[[nodiscard]] bool is_centred(const NumericColumn& rule, std::int64_t encoding);

}  // namespace tacet::data
