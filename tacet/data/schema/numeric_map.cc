#include "tacet/data/schema/numeric_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/data/schema/calendar.h"

namespace tacet::data {
namespace {

// A number's feature lies within 1.25 of zero, so it is about as long as a category
// (docs/explanations/step-rule.md).
constexpr double centred_slope = 2.5;

}  // namespace

bool is_centred(const NumericColumn& rule) {
  if (rule.typical) return true;
  return rule.centre.value_or(rule.lower != 0 || rule.upper != 1);
}

double middle(const NumericColumn& rule) {
  if (!rule.log1p) {
    const double value = rule.lower + (rule.upper - rule.lower) / 2;
    return rule.date ? std::floor(value) : value;
  }
  // The geometric mean of 1 + lower and 1 + upper: the middle of their logarithms.
  const double value = std::sqrt(1 + rule.lower) * std::sqrt(1 + rule.upper) - 1;
  return std::clamp(value, rule.lower, rule.upper);
}

double missing_value(const NumericColumn& rule) {
  if (rule.fill) return *rule.fill;
  if (rule.typical) return *rule.typical;
  return is_centred(rule) || rule.missing_indicator ? middle(rule) : rule.lower;
}

NumericMap::NumericMap(const NumericColumn& rule)
    : lower_(rule.lower),
      upper_(rule.upper),
      log1p_(rule.log1p),
      date_(rule.date),
      origin_(transform(rule.lower)),
      width_(transform(rule.upper) - origin_),
      fill_(missing_value(rule)),
      filled_(rule.fill.has_value()),
      period_(rule.period),
      lines_(rule.line_count()),
      knots_(rule.hat_functions()),
      edges_(rule.edges),
      bin_height_(rule.bins_only ? 1 : hat_function_height),
      indicator_(rule.missing_indicator) {
  if (is_centred(rule)) {
    slope_ = centred_slope;
    zero_ = rule.typical ? share(*rule.typical) : 0.5;
  }
  missing_ = rule.fill ? share(*rule.fill) : indicator_ && !rule.typical ? 0.5 : zero_;
  if (rule.standard) {
    slope_ = 2 * standard_deviation / rule.standard->stddev;
    zero_ = (1 + rule.standard->mean) / 2;
  }
  for (std::int64_t k = 1; k < rule.bins; ++k) edges_.push_back(equal_edge(k, rule.bins));
}

double NumericMap::transform(double value) const {
  if (!log1p_) return value;
  // Kahan's log1p over a logarithm that has the same bits on every machine.
  const double sum = 1 + value;
  return sum == 1 ? value : numeric::log(sum) * (value / (sum - 1));
}

double NumericMap::value_at(double share) const {
  const double place = origin_ + share * width_;
  return std::clamp(log1p_ ? numeric::exp(place) - 1 : place, lower_, upper_);
}

double NumericMap::equal_edge(std::int64_t edge, std::int64_t bins) const {
  const auto above = static_cast<double>(edge);
  const auto all = static_cast<double>(bins);
  if (log1p_) return value_at(above / all);
  // This form rounds only once if the bounds are whole: 29 is in bin 29 of 0 to 100 in 100 bins.
  return std::clamp((lower_ * (all - above) + upper_ * above) / all, lower_, upper_);
}

double NumericMap::knot(std::int64_t knot) const { return value_at(knot_share(knot)); }

std::int64_t NumericMap::bin_of(double value) const {
  return std::upper_bound(edges_.begin(), edges_.end(), value) - edges_.begin();
}

numeric::SineCosine NumericMap::place_in_period(double value) const {
  return numeric::sine_cosine(std::clamp(value, lower_, upper_) / *period_);
}

NumericFeature NumericMap::feature_at(std::int64_t place) const {
  if (place < lines_ && period_) return {place == 0 ? NumericPart::sine : NumericPart::cosine};
  if (place < lines_) return {NumericPart::line};
  place -= lines_;
  if (place < knots_) return {NumericPart::hat_function, place};
  place -= knots_;
  if (place < bin_count()) return {NumericPart::bin, place};
  return {NumericPart::missing};
}

std::string NumericMap::text(double value) const {
  // A date is at or after an edge within a day if it is at or after the next midnight.
  if (date_) return date_text(static_cast<std::int64_t>(std::ceil(value)));
  return fmt::format("{:.6g}", value);
}

std::string NumericMap::feature_name(const std::string& column, std::int64_t place) const {
  const auto [part, index] = feature_at(place);
  const auto bin = static_cast<std::size_t>(index);
  switch (part) {
    case NumericPart::line:
      return column;
    case NumericPart::sine:
      return fmt::format("sin({})", column);
    case NumericPart::cosine:
      return fmt::format("cos({})", column);
    case NumericPart::hat_function:
      return fmt::format("{}~{}", column, text(knot(index)));
    case NumericPart::bin:
      return fmt::format("{} in [{}, {}{}", column, text(bin == 0 ? lower_ : edges_[bin - 1]),
                         text(bin == edges_.size() ? upper_ : edges_[bin]),
                         bin == edges_.size() ? "]" : ")");
    case NumericPart::missing:
      break;
  }
  return column + " missing";
}

double NumericMap::max_square() const {
  const double hat_function_square = knots_ > 0 ? hat_function_height * hat_function_height : 0;
  const double longest = std::max(feature_of_share(1), -feature_of_share(0));
  const double line = period_ ? 1 : lines_ == 1 ? longest * longest : 0;
  const double filled = feature_of_share(missing_);
  const double none = period_ ? (filled_ ? 1 : 0) : lines_ == 1 ? filled * filled : 0;
  return std::max(line, indicator_ ? none + 1 : 0) + hat_function_square + bin_square();
}

double NumericMap::min_square() const { return (period_ ? 1 : 0) + bin_square(); }

NumericConstants NumericMap::constants() const {
  return {.lower = lower_,
          .upper = upper_,
          .log1p = log1p_,
          .origin = origin_,
          .width = width_,
          .slope = slope_,
          .zero = zero_,
          .fill = fill_,
          .missing_share = missing_,
          .filled = filled_,
          .period = period_,
          .lines = lines_,
          .knots = knots_,
          .edges = edges_,
          .bin_height = bin_height_,
          .indicator = indicator_};
}

}  // namespace tacet::data
