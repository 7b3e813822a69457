#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/numeric/elementary.h"

namespace tacet::data {

/// The kinds of features of a number.
enum class NumericPart {
  line,  ///< the number itself
  sine,  ///< or sine and cosine of its phase in the period
  cosine,
  hat_function,  ///< around a knot
  bin,           ///< whether the number is in that bin
  missing        ///< whether the number is missing
};

/// A feature of a number: its kind, and the index of the knot or bin.
struct NumericFeature {
  NumericPart part;
  std::int64_t index = 0;
};

/// The constants of a NumericMap, for programs that compute its features elsewhere.
struct NumericConstants {
  double lower;
  double upper;
  bool log1p;
  double origin;  ///< of the lower bound; its log(1 + x) with log1p
  double width;   ///< distance from there to the upper bound
  double slope;   ///< the line is slope * (share - zero)
  double zero;
  double fill;           ///< stands for a missing number
  double missing_share;  ///< its share
  bool filled;           ///< whether the schema says so
  std::optional<double> period;
  std::int64_t lines;
  std::int64_t knots;
  std::vector<double> edges;
  double bin_height;
  bool indicator;
};

/// Maps a number to its features before row scaling; only the schema decides how. The features are,
/// in this order:
///
/// - line: the number, clipped to the bounds, by log(1 + x) if asked, as the share v in [0, 1] of
/// the
///   way between them; then `slope` (v - `zero`), which is 1.25 (2 v - 1): zero in the middle, or
///   at the typical value. Columns bounded by exactly 0 and 1 (flags, shares, pixels) keep v, so
///   that their zero stays zero. With a released mean m and standard deviation s of 2 v - 1 it is
///   0.35 (2 v - 1 - m) / s.
/// - or instead, sine and cosine of 2 pi x / period, x clipped; or nothing (bins only).
/// - hat functions: piecewise linear functions of v; hat function k of N is 1/2 at k / (N - 1) and
/// 0
///   at all other knots. At most two neighbours differ from 0.
/// - bins: 1/2 for the bin that the number is in, like a hat function; 1 if bins replace the
/// number,
///   like a category.
/// - missing: 1 if there is no number. The other features then are those of its replacement, but
///   sine and cosine are 0 unless the schema names one.
class NumericMap {
 public:
  /// The standard deviation of the line if a released standard deviation scales it.
  static constexpr double standard_deviation = 0.35;

  explicit NumericMap(const NumericColumn& rule);

  /// Calls take(place, value) for the features that can differ from 0, ascending. No value means
  /// missing or unreadable.
  template <typename Take>
  void features(std::optional<double> value, Take take) const {
    const double share = value ? this->share(*value) : missing_;
    if (!period_ && lines_ == 1) take(0, feature_of_share(share));
    if (period_ && (value || filled_)) {
      const auto turn = place_in_period(value.value_or(fill_));
      take(0, turn.sine);
      take(1, turn.cosine);
    }
    hat_functions(share, [&](std::int64_t knot, double height) { take(lines_ + knot, height); });
    if (!edges_.empty()) take(lines_ + knots_ + bin_of(value.value_or(fill_)), bin_height_);
    if (!value && indicator_) take(width() - 1, 1.0);
  }
  [[nodiscard]] std::int64_t width() const {
    return lines_ + knots_ + bin_count() + (indicator_ ? 1 : 0);
  }
  [[nodiscard]] NumericFeature feature_at(std::int64_t place) const;
  /// `age`, `age~40`, `age in [20, 30)`, `sin(month)`, `age missing`.
  [[nodiscard]] std::string feature_name(const std::string& column, std::int64_t place) const;

  [[nodiscard]] double share(double value) const {
    const double clipped = std::clamp(value, lower_, upper_);
    const double place = log1p_ ? transform(clipped) : clipped;
    return std::clamp((place - origin_) / width_, 0.0, 1.0);
  }
  [[nodiscard]] double feature_of_share(double share) const { return slope_ * (share - zero_); }
  [[nodiscard]] double feature(double value) const { return feature_of_share(share(value)); }
  /// The share of a missing or unreadable value.
  [[nodiscard]] double missing_share() const { return missing_; }

  /// Calls take(k, value) for the hat functions around the share, ascending.
  template <typename Take>
  void hat_functions(double share, Take take) const {
    if (knots_ == 0) return;
    const double place = share * static_cast<double>(knots_ - 1);
    const auto left = std::min(static_cast<std::int64_t>(place), knots_ - 2);
    const double right_share = place - static_cast<double>(left);
    take(left, hat_function_height * (1 - right_share));
    take(left + 1, hat_function_height * right_share);
  }
  static constexpr double hat_function_height = 0.5;
  /// The share of the way at which a knot lies, and the number there.
  [[nodiscard]] double knot_share(std::int64_t knot) const {
    return static_cast<double>(knot) / static_cast<double>(knots_ - 1);
  }
  [[nodiscard]] double knot(std::int64_t knot) const;
  /// The number at that share of the way.
  [[nodiscard]] double value_at(double share) const;
  /// The bin of a number; one on an edge is in the bin above.
  [[nodiscard]] std::int64_t bin_of(double value) const;
  [[nodiscard]] double bin_height() const { return bin_height_; }
  /// The numbers at which one bin ends and the next begins, ascending.
  [[nodiscard]] const std::vector<double>& edges() const { return edges_; }
  /// A number of the column as text: rounded to six digits, or the date of its day.
  [[nodiscard]] std::string text(double value) const;

  /// How far a step of 1 in the number (or in log(1 + x) with log1p) moves the line.
  [[nodiscard]] double step() const { return slope_ / width_; }
  /// Bounds of the features' squared norm: the largest one for any value or none, and the smallest
  /// one for a value.
  [[nodiscard]] double max_square() const;
  [[nodiscard]] double min_square() const;
  [[nodiscard]] NumericConstants constants() const;

 private:
  [[nodiscard]] double transform(double value) const;
  [[nodiscard]] double equal_edge(std::int64_t edge, std::int64_t bins) const;
  [[nodiscard]] numeric::SineCosine place_in_period(double value) const;
  [[nodiscard]] std::int64_t bin_count() const {
    return edges_.empty() ? 0 : static_cast<std::int64_t>(edges_.size()) + 1;
  }
  [[nodiscard]] double bin_square() const { return edges_.empty() ? 0 : bin_height_ * bin_height_; }

  double lower_;
  double upper_;
  bool log1p_;
  bool date_;
  double origin_;  // of the lower bound
  double width_;   // distance from there to the upper bound
  double slope_ = 1;
  double zero_ = 0;
  double fill_;  // replaces a missing number; then its share, and whether the schema names it
  double missing_ = 0;
  bool filled_;
  std::optional<double> period_;
  std::int64_t lines_;
  std::int64_t knots_;
  std::vector<double> edges_;
  double bin_height_;
  bool indicator_;
};

/// The number, within the bounds, that stands for a missing one.
[[nodiscard]] double missing_value(const NumericColumn& rule);

/// The number in the middle of the bounds (or of their logarithms, with log1p); for dates a day.
[[nodiscard]] double middle(const NumericColumn& rule);

/// Whether the feature is 0 in the middle: if the bounds are not 0 and 1, unless the schema says
/// `centre` or `typical`.
[[nodiscard]] bool is_centred(const NumericColumn& rule);

}  // namespace tacet::data
