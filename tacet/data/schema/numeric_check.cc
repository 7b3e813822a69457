#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/data/schema/schema_node.h"

// What numeric columns must keep.
namespace tacet::data::internal {
namespace {

constexpr double largest_bound = 1e300;  // so that upper - lower is finite

void check_standard(const Standard& standard, const std::string& what, std::string_view where) {
  if (!(standard.mean >= -1 && standard.mean <= 1)) {
    fail_at(where, fmt::format("{}: mean must be between -1 and 1, got {}", what, standard.mean));
  }
  // No spread between -1 and 1 is larger; far smaller ones would leave nothing but this column.
  if (!(standard.deviation >= 0.01 && standard.deviation <= 1)) {
    fail_at(where, fmt::format("{}: deviation must be between 0.01 and 1, got {}", what,
                               standard.deviation));
  }
}

bool is_first_encoding(const NumericColumn& rule) {
  return !rule.typical && !rule.centre && !rule.knots && !rule.standard;
}

}  // namespace

void check_bounds(double lower, double upper, std::string_view what, std::string_view where) {
  if (!(std::abs(lower) <= largest_bound) || !(std::abs(upper) <= largest_bound)) {
    fail_at(where, fmt::format("{}: bounds must be finite numbers within 1e300", what));
  }
  if (!(lower < upper)) {
    fail_at(where, fmt::format("{}: lower must be below upper, got lower = {} and upper = {}", what,
                               lower, upper));
  }
}

void check_numeric(const NumericColumn& rule, const std::string& name, std::string_view where) {
  const std::string what = fmt::format("column '{}'", name);
  check_bounds(rule.lower, rule.upper, what, where);
  if (rule.log1p && !(rule.lower > -1)) {
    fail_at(where, fmt::format("{}: log1p needs lower above -1, got {}", what, rule.lower));
  }
  // Else every value would be 0/0: no number of a row at all.
  constexpr double least_width = 1e-12;  // of the larger logarithm; far above its rounding
  const double top = rule.log1p ? std::log1p(rule.upper) : 0;
  const double bottom = rule.log1p ? std::log1p(rule.lower) : 0;
  if (rule.log1p && !(top - bottom > least_width * std::max(std::fabs(top), std::fabs(bottom)))) {
    fail_at(where, fmt::format("{}: log1p makes one number of lower = {} and upper = {}", what,
                               rule.lower, rule.upper));
  }
  if (rule.fill && !std::isfinite(*rule.fill)) {
    fail_at(where, fmt::format("{}: fill must be a finite number", what));
  }
  if (rule.typical && !(*rule.typical >= rule.lower && *rule.typical <= rule.upper)) {
    fail_at(where,
            fmt::format("{}: typical must lie within the bounds, got {}", what, *rule.typical));
  }
  if (rule.knots && *rule.knots != 0 && (*rule.knots < 2 || *rule.knots > most_knots)) {
    fail_at(where,
            fmt::format("{}: knots must be 0 or 2 to {}, got {}", what, most_knots, *rule.knots));
  }
  if (rule.standard) check_standard(*rule.standard, what, where);
  if (rule.typical && rule.centre == false) {
    fail_at(where, fmt::format("{}: give either typical or centre = false, not both", what));
  }
}

void check_encoding(const Schema& schema, std::string_view where) {
  if (schema.encoding < 1 || schema.encoding > newest_encoding) {
    fail_at(where, fmt::format("'encoding' must be 1 or 2, got {}", schema.encoding));
  }
  if (!(schema.constant > 0 && schema.constant <= 1)) {
    fail_at(where,
            fmt::format("'constant' must be above 0 and at most 1, got {}", schema.constant));
  }
  if (schema.encoding > 1) return;
  if (schema.constant != 1) fail_at(where, "'constant' belongs to encoding 2");
  for (const Column& column : schema.columns) {
    const auto* rule = std::get_if<NumericColumn>(&column.rule);
    if (rule == nullptr || is_first_encoding(*rule)) continue;
    fail_at(where, fmt::format("column '{}': typical, centre, knots, mean and deviation belong to "
                               "encoding 2, but the schema says encoding = 1",
                               column.name));
  }
}

}  // namespace tacet::data::internal
