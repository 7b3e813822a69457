#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/data/schema/standard.h"

/// Principal curves: further features, besides the linear ones, of all numbers and categories of a
/// record together. They consist of smooth random functions and hat functions without their linear
/// part, along the directions in which simulated public records vary most (docs/methods/curves.md).
/// Training adds them to the schema; only models have them.
namespace tacet::data {

struct Schema;

struct Curves {
  static constexpr std::int64_t max_numbers = 64;
  static constexpr std::int64_t max_directions = 4096;
  static constexpr std::int64_t max_levels = 1024;  ///< categories of all columns
  static constexpr std::int64_t max_frequencies = 1024;
  static constexpr double max_share = 0.5;
  /// numbers are clipped there, in standard deviations
  static constexpr double largest_standard = 3;
  static constexpr std::int64_t hats = 16;  ///< hat functions per number
  /// The integer that represents a weight of 1.
  static constexpr std::int64_t weight_unit = 1 << 14;
  /// The largest sum of squares of one direction's weights, in these units. Sums over its
  /// functions, whose norm is at most 78,400 (encode/curve_features.h), then fit 32 bits.
  /// Directions have length 1.
  static constexpr std::int64_t max_square = 1 << 29;
  /// The largest size of the map in a model file.
  static constexpr std::int64_t max_bytes = 3'000'000;

  double share = 0;  ///< the share of the curves in the squared norm of a row
  std::int64_t directions = 0;
  std::int64_t frequencies = 1000;
  std::int64_t seed = 0;  ///< of the frequencies: public

  // Results of training. Target and whitening are functions of released numbers.
  Standard target{};                ///< of the labels, on their scale from -1 to 1
  std::vector<double> whitening{};  ///< numbers x numbers, row by row
  // Functions of the whitening and of public facts (encode/curve_directions.h).
  /// the number of directions of even functions, which come first; 0 with categories
  std::int64_t even = 0;
  double energy = 0;  ///< mean square of the curves of a simulated record
  /// of the functions, in the order that encode/curve_map.h states
  std::vector<std::int16_t> weights{};
  std::vector<float> lines{};  ///< of the linear part that is subtracted, in the same order
};

/// The facts about a schema that decide its curves.
struct CurveShape {
  /// From this number of categorical columns on, the first directions explain less, since each
  /// combination of categories has its own function.
  static constexpr std::size_t several_columns = 2;

  std::int64_t numbers = 0;
  std::vector<std::int64_t> levels{};  ///< number of levels of each categorical column
  std::int64_t others = 0;  ///< number of other features, which say whether a number is missing

  /// The number of categorical columns and other features: a row has at most one feature of 1 for
  /// each.
  [[nodiscard]] std::int64_t categories() const {
    return static_cast<std::int64_t>(levels.size()) + others;
  }
  [[nodiscard]] std::int64_t all_levels() const;
  /// Numbers per direction: weights of its functions, and numbers of its linear part.
  [[nodiscard]] std::int64_t function_weights(const Curves& curves) const;
  [[nodiscard]] std::int64_t line_weights() const { return 1 + numbers + all_levels(); }
  /// The number of directions whose map has max_bytes.
  [[nodiscard]] std::int64_t max_directions(const Curves& curves) const;
};
[[nodiscard]] CurveShape curve_shape(const Schema& schema);

/// Why a schema's rows cannot have curves, in words that follow "here: "; null if they can. Its
/// columns must be numbers, 1 to max_numbers of them, and lists of at most max_levels categories
/// together.
[[nodiscard]] const char* curve_obstacle(const Schema& schema);

/// The scales of the parts of a row, as squares, before the row is cut to norm 1. Together they are
/// 1.5 on average, so that few rows are shorter than the bound.
struct CurveScales {
  double constant;
  double number;    ///< of each whitened number
  double category;  ///< of a category that a record has
  double curve;     ///< of all curves together, on average
};
[[nodiscard]] CurveScales curve_scales(const CurveShape& shape, double share);

/// UsageError that says what makes no sense.
void check_curves(const Schema& schema);

}  // namespace tacet::data
