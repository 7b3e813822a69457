#include "tacet/data/schema/numeric_map.h"

#include <algorithm>
#include <cmath>

#include "tacet/numeric/elementary.h"

namespace tacet::data {
namespace {

// A number's features lie within 1.25 of zero: of the length of a category, or somewhat more at
// the bounds (docs/explanations/step-rule.md).
constexpr double centred_slope = 2.5;
// Numbers by their released deviation have this one.
constexpr double standard_deviation = 0.35;

}  // namespace

bool is_centred(const NumericColumn& rule, std::int64_t encoding) {
  if (encoding < 2) return false;
  if (rule.typical) return true;
  return rule.centre.value_or(rule.lower != 0 || rule.upper != 1);
}

double missing_value(const NumericColumn& rule, std::int64_t encoding) {
  if (rule.fill) return *rule.fill;
  if (!is_centred(rule, encoding)) return rule.lower;
  if (rule.typical) return *rule.typical;
  if (!rule.log1p) return rule.lower + (rule.upper - rule.lower) / 2;
  // The geometric mean of 1 + lower and 1 + upper: the middle of their logarithms.
  const double middle = std::sqrt(1 + rule.lower) * std::sqrt(1 + rule.upper) - 1;
  return std::clamp(middle, rule.lower, rule.upper);
}

NumericMap::NumericMap(const NumericColumn& rule, std::int64_t encoding)
    : lower_(rule.lower),
      upper_(rule.upper),
      log1p_(rule.log1p),
      origin_(transform(rule.lower)),
      width_(transform(rule.upper) - origin_),
      knots_(rule.hats()) {
  if (is_centred(rule, encoding)) {
    slope_ = centred_slope;
    zero_ = rule.typical ? share(*rule.typical) : 0.5;
  }
  missing_ = rule.fill ? share(*rule.fill) : zero_;
  if (rule.standard) {
    slope_ = 2 * standard_deviation / rule.standard->deviation;
    zero_ = (1 + rule.standard->mean) / 2;
  }
}

double NumericMap::transform(double value) const {
  if (!log1p_) return value;
  // Kahan's log1p over a logarithm that has the same bits on every machine.
  const double sum = 1 + value;
  return sum == 1 ? value : numeric::log(sum) * (value / (sum - 1));
}

double NumericMap::share(double value) const {
  const double clipped = std::clamp(value, lower_, upper_);
  return std::clamp((transform(clipped) - origin_) / width_, 0.0, 1.0);
}

double NumericMap::knot(std::int64_t knot) const {
  const double place = origin_ + knot_share(knot) * width_;
  return std::clamp(log1p_ ? numeric::exp(place) - 1 : place, lower_, upper_);
}

double NumericMap::largest_square() const {
  const double longest = std::max(feature_of_share(1), -feature_of_share(0));
  return longest * longest + (knots_ > 0 ? hat_height * hat_height : 0);
}

}  // namespace tacet::data
