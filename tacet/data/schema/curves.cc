#include "tacet/data/schema/curves.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "tacet/base/error.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {
namespace {

// docs/methods/curves.md gives the reason for each number.
constexpr double filled = 1.5;            // squared norm that rows have on average before the cut
constexpr double square_of_category = 8;  // of a number's

bool finite(double value) { return std::isfinite(value); }
/// Bounds a factor, so that products with it stay finite.
bool moderate(double value) { return std::abs(value) <= 1e6; }

void expect(bool holds, const char* message) {
  if (!holds) throw base::UsageError("curves: {}", message);
}

}  // namespace

std::int64_t CurveShape::all_levels() const {
  return std::accumulate(levels.begin(), levels.end(), std::int64_t{0});
}

std::int64_t CurveShape::function_weights(const Curves& curves) const {
  const auto half = curves.frequencies + numbers * (Curves::hats / 2);
  return levels.empty() ? half : 2 * half;
}

std::int64_t CurveShape::max_directions(const Curves& curves) const {
  // Base 64 writes three bytes as four.
  return Curves::max_bytes * 3 / 4 / (2 * function_weights(curves) + 4 * line_weights());
}

CurveShape curve_shape(const Schema& schema) {
  CurveShape shape;
  for (const Column& column : schema.columns) {
    if (const auto* rule = std::get_if<NumericColumn>(&column.rule)) {
      ++shape.numbers;
      if (rule->missing_indicator) ++shape.others;
    }
    if (const auto* listed = std::get_if<CategoricalColumn>(&column.rule)) {
      shape.levels.push_back(listed->coding == Coding::sign ? 2 : listed->width());
    }
  }
  return shape;
}

const char* curve_obstacle(const Schema& schema) {
  if (schema.features) return "features without names have no curves";
  if (schema.row_scaling != RowScaling::clip1) return "the schema's row_scaling is not clip1";
  if (!schema.intercept) return "the schema has no intercept";
  if (schema.projection || schema.selected_columns) return "rows are projected or narrowed";
  if (!schema.interactions.empty()) return "the schema has interactions, which curves stand for";
  std::int64_t numbers = 0;
  for (const Column& column : schema.columns) {
    if (column.ignored() || std::holds_alternative<CategoricalColumn>(column.rule)) continue;
    const auto* rule = std::get_if<NumericColumn>(&column.rule);
    if (rule == nullptr) return "a column holds neither numbers nor listed categories";
    if (rule->line_count() != 1 || rule->bin_count() != 0) {
      return "a number has bins or a period instead of itself";
    }
    if (rule->hat_functions() != 0) return "a number has knots, which curves stand for";
    ++numbers;
  }
  if (numbers == 0) return "no column holds numbers";
  if (numbers > Curves::max_numbers) return "more than 64 columns hold numbers";
  if (curve_shape(schema).all_levels() > Curves::max_levels) return "more than 1024 categories";
  return nullptr;
}

CurveScales curve_scales(const CurveShape& shape, double share) {
  const double constant = 0.2 - 0.05 * std::min(share / 0.4, 1.0);
  const double line = 1 - constant - share;
  const auto weights = static_cast<double>(shape.numbers) +
                       square_of_category * static_cast<double>(shape.categories());
  const double number = filled * line / weights;
  return {.constant = filled * constant,
          .number = number,
          .category = square_of_category * number,
          .curve = filled * share};
}

void check_curves(const Schema& schema) {
  const auto& curves = *schema.curves;
  if (const char* obstacle = curve_obstacle(schema)) expect(false, obstacle);
  expect(curves.share >= 0 && curves.share <= Curves::max_share, "share must be 0 to 0.5");
  expect(curves.directions >= 0 && curves.directions <= Curves::max_directions,
         "directions must be 0 to 4096");
  expect(curves.frequencies >= 1 && curves.frequencies <= Curves::max_frequencies,
         "frequencies must be 1 to 1024");
  const auto shape = curve_shape(schema);
  const auto even = curves.even;
  expect(even >= 0 && even <= curves.directions && (even == 0 || shape.levels.empty()),
         "'even' counts directions of rows without categories");
  expect(finite(curves.target.mean) && std::abs(curves.target.mean) <= 1 &&
             finite(curves.target.stddev) && curves.target.stddev > 0 && curves.target.stddev <= 1,
         "the target's mean must be within 1 and its standard deviation above 0, at most 1");
  const auto size = static_cast<std::size_t>(shape.numbers * shape.numbers);
  expect(curves.whitening.size() == size && std::ranges::all_of(curves.whitening, moderate),
         "'whitening' must hold a number within 1e6 for each two numbers");
  const auto functions = shape.function_weights(curves);
  expect(std::ssize(curves.weights) == curves.directions * functions,
         "'weights' must hold one integer per function of each direction");
  for (std::int64_t d = 0; d < curves.directions; ++d) {
    std::int64_t square = 0;
    for (const auto weight : std::span(curves.weights)
                                 .subspan(static_cast<std::size_t>(d * functions),
                                          static_cast<std::size_t>(functions))) {
      square += std::int64_t{weight} * weight;
    }
    expect(square <= Curves::max_square, "'weights' must not be longer than directions are");
  }
  expect(std::ssize(curves.lines) == curves.directions * shape.line_weights() &&
             std::ranges::all_of(curves.lines, moderate),
         "'lines' must hold a number within 1e6 per part of each direction's line");
  // Factors of the curves must stay finite, and so must the squares of a row.
  expect(curves.energy == 0 || (finite(curves.energy) && curves.energy >= 1e-100),
         "'energy' must be 0 or a number of at least 1e-100");
  for (const Column& column : schema.columns) {
    const auto* rule = std::get_if<NumericColumn>(&column.rule);
    expect(rule == nullptr || rule->standard.has_value(),
           "each number must have a mean and a standard deviation");
  }
}

}  // namespace tacet::data
