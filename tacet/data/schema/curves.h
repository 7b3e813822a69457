#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/data/schema/standard.h"

/// Principal curves: features of all numbers and categories of a record together, beside the
/// linear ones. They are smooth random functions and hat functions, less what a linear model
/// says, along the directions in which invented records differ most
/// (docs/methods/curves.md). A part of the schema that training adds, and that models alone have.
namespace tacet::data {

struct Schema;

struct Curves {
  static constexpr std::int64_t max_numbers = 64;
  static constexpr std::int64_t max_directions = 4096;
  static constexpr std::int64_t max_levels = 1024;  ///< categories of all columns
  static constexpr std::int64_t max_frequencies = 1024;
  static constexpr double max_share = 0.5;
  static constexpr double largest_standard = 3;  ///< numbers are cut there, in standard deviations
  static constexpr std::int64_t hats = 16;       ///< hat functions per number
  /// The integer that stands for a weight of 1 of a function.
  static constexpr std::int64_t weight_unit = 1 << 14;
  /// Of the weights of one direction, in these units: sums over its functions, which are at most
  /// 78,400 long (encode/curve_features.h), then stay within 32 bits. Directions have length 1.
  static constexpr std::int64_t max_square = 1 << 29;
  /// Of the map in a model file.
  static constexpr std::int64_t max_bytes = 3'000'000;

  double share = 0;  ///< of the squared norm that a row is filled to
  std::int64_t directions = 0;
  std::int64_t frequencies = 1000;
  std::int64_t seed = 0;  ///< of the frequencies: public

  // What training makes of it. Target and whitening are functions of what it released.
  Standard target{};                ///< of the labels, on their scale from -1 to 1
  std::vector<double> whitening{};  ///< numbers x numbers, row by row
  // Functions of the whitening and of public facts (encode/curve_directions.h).
  std::int64_t even = 0;  ///< directions of even functions, the first ones; without categories
  double energy = 0;      ///< mean square of the curves of an invented record
  std::vector<std::int16_t> weights{};  ///< of functions: encode/curve_map.h says in which order
  std::vector<float> lines{};           ///< what is taken off: likewise
};

/// What of a schema its curves are made of.
struct CurveShape {
  std::int64_t numbers = 0;
  std::vector<std::int64_t> levels{};  ///< of each categorical column
  std::int64_t others = 0;             ///< features beside: whether a number is missing

  /// Columns of categories, and features beside: a row has at most one feature 1 of each.
  [[nodiscard]] std::int64_t categories() const {
    return static_cast<std::int64_t>(levels.size()) + others;
  }
  [[nodiscard]] std::int64_t all_levels() const;
  /// Numbers per direction: those of its functions, and of its linear part.
  [[nodiscard]] std::int64_t function_weights(const Curves& curves) const;
  [[nodiscard]] std::int64_t line_weights() const { return 1 + numbers + all_levels(); }
  /// Directions whose map is of max_bytes.
  [[nodiscard]] std::int64_t max_directions(const Curves& curves) const;
};
[[nodiscard]] CurveShape curve_shape(const Schema& schema);

/// Why a schema's rows can have no curves, in words that follow "here: "; null where they can. Its
/// columns must be numbers, 1 to max_numbers of them, and lists of at most max_levels categories
/// together.
[[nodiscard]] const char* curve_obstacle(const Schema& schema);

/// How long the parts of a row are: their squares, before the row is cut to norm 1. Together they
/// are 1.5 on average, so that few rows have room left.
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
