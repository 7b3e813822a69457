#include "tacet/model/column_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <variant>

#include "tacet/base/checked_cast.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/model/original_units.h"
#include "tacet/numeric/special.h"

namespace tacet::model {
namespace {

constexpr double false_alarms = 0.05;

const data::NumericColumn* number_of(const data::Schema& schema,
                                     const data::EncodedColumn& feature) {
  if (feature.column < 0) return nullptr;
  const auto place = base::checked_cast<std::size_t>(feature.column);
  return std::get_if<data::NumericColumn>(&schema.columns[place].rule);
}

/// The factor from the effect in the longest row to that in a row of middle length.
double to_middle_row(const ScaleRange& range) {
  return 1 / range.longest_row / middle_length(range);
}

struct ReadStep {
  std::string text;
  double times;  ///< this step over the step of original_units()
};

/// The step for which a number's line is reported. `step` is the name that original_units() gives
/// to its own step.
ReadStep step_of(const data::NumericColumn& rule, const std::string& step) {
  const data::NumericMap map(rule);
  if (rule.log1p) {
    // Half of the distance between the logarithms of the bounds.
    const double half = (std::log1p(rule.upper) - std::log1p(rule.lower)) / 2;
    return {fmt::format("{} to {}", map.text(rule.lower), map.text(data::middle(rule))), half};
  }
  if (rule.step) return {fmt::format("{:g}{}", *rule.step, rule.date ? " days" : ""), *rule.step};
  const double width = rule.upper - rule.lower;
  if (rule.lower == 0 && rule.upper == 1) return {step, 1};
  return {fmt::format("{:g}{}", width / 2, rule.date ? " days" : ""), width / 2};
}

std::string direction_of(std::span<const double> points, const std::vector<std::string>& knots) {
  std::vector<std::size_t> turns;
  double way = 0;  // of the last change
  bool rises = false;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double change = points[k] - points[k - 1];
    if (change == 0) continue;
    if (way == 0) rises = change > 0;
    if (way * change < 0) turns.push_back(k - 1);
    way = change;
  }
  if (way == 0) return "is level";
  if (turns.empty()) return rises ? "rises" : "falls";
  if (turns.size() > 1) return fmt::format("turns {} times", turns.size());
  return fmt::format("{} to {}, then {}", rises ? "rises" : "falls", knots[turns.front()],
                     rises ? "falls" : "rises");
}

EffectCurve curve_of(std::span<const double> points, const std::vector<std::string>& knots) {
  const auto [min, max] = std::ranges::minmax(points);
  std::size_t steepest = 1;
  for (std::size_t k = 2; k < points.size(); ++k) {
    const auto change = [&](std::size_t at) { return std::abs(points[at] - points[at - 1]); };
    if (change(k) > change(steepest)) steepest = k;
  }
  return {min, max, direction_of(points, knots),
          fmt::format("{} to {}", knots[steepest - 1], knots[steepest])};
}

/// Reads features and the entries of original_units() side by side.
class Reader {
 public:
  Reader(const data::Schema& schema, const LinearModel& model)
      : schema_(schema),
        features_(schema.encoded_columns()),
        model_(model),
        to_middle_(to_middle_row(scale_range(schema))) {
    // Effects are linear in the coefficients: computes those of all ones, and of all ones without
    // the lines of curves.
    auto ones = model;
    ones.noise_stddevs.clear();
    ones.coefficients.assign(ones.coefficients.size(), 1.0);
    effects_ = original_units(schema, ones, 0);
    for (std::size_t i = 0; i < features_.size(); ++i) {
      if (is_curve(i)) ones.coefficients[i] = 0;
    }
    without_lines_ = original_units(schema, ones, 0);
  }

  [[nodiscard]] std::vector<ColumnEffect> read(std::int64_t output) {
    estimates_ = model_.output(output);
    if (!model_.noise_stddevs.empty()) {
      const auto first = static_cast<std::size_t>(output) * estimates_.size();
      stddevs_ = std::span(model_.noise_stddevs).subspan(first, estimates_.size());
    }
    next_ = 0;
    std::vector<ColumnEffect> out;
    for (std::size_t i = 0; i < features_.size();) {
      const auto* number = number_of(schema_, features_[i]);
      out.push_back(is_curve(i) ? curve(i, *number) : single(i, number));
      i += out.back().features.size();
    }
    return out;
  }

 private:
  /// Whether the feature is the line of a number with hat functions.
  [[nodiscard]] bool is_curve(std::size_t i) const {
    const auto* number = number_of(schema_, features_[i]);
    return number != nullptr && features_[i].category == 0 && number->line_count() == 1 &&
           number->hat_functions() > 0;
  }

  ColumnEffect curve(std::size_t first, const data::NumericColumn& rule) {
    const auto column = base::checked_cast<std::size_t>(features_[first].column);
    ColumnEffect out{.name = schema_.columns[column].name, .features = {}};
    const auto knots = base::checked_cast<std::size_t>(rule.hat_functions());
    std::vector<double> points;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < knots; ++k, ++next_) {
      const double hat = without_lines_[next_].longest_row;
      const double line = effects_[next_].longest_row - hat;
      points.push_back((estimates_[first] * line + estimates_[first + 1 + k] * hat) * to_middle_);
      names.push_back(effects_[next_].step.substr(std::string_view("to ").size()));
    }
    for (std::size_t k = 0; k <= knots; ++k) out.features.push_back(first + k);
    out.curve = curve_of(points, names);
    out.effect = out.curve->max - out.curve->min;
    out.clearness = clearness(out.features);
    return out;
  }

  ColumnEffect single(std::size_t i, const data::NumericColumn* number) {
    const auto& effect = effects_[next_];
    ReadStep step{effect.step, 1};
    const bool line = number != nullptr && features_[i].category == 0 && number->line_count() == 1;
    if (line) step = step_of(*number, effect.step);
    ColumnEffect out{.name = effect.name,
                     .features = {i},
                     .intercept = features_[i].column < 0 && features_[i].category < 0,
                     .step = step.text};
    const double of_one = effect.longest_row * to_middle_ * step.times;
    out.effect = estimates_[i] * of_one;
    if (!stddevs_.empty()) out.noise = stddevs_[i] * std::abs(of_one);
    out.clearness = clearness(out.features);
    ++next_;
    return out;
  }

  [[nodiscard]] double clearness(const std::vector<std::size_t>& features) const {
    double largest = 0;
    if (stddevs_.empty()) return largest;
    for (const auto i : features) {
      if (stddevs_[i] > 0) largest = std::max(largest, std::abs(estimates_[i]) / stddevs_[i]);
    }
    return largest;
  }

  const data::Schema& schema_;
  std::vector<data::EncodedColumn> features_;
  const LinearModel& model_;
  double to_middle_;
  std::vector<UnitEffect> effects_;        // of coefficients that are 1
  std::vector<UnitEffect> without_lines_;  // of curves without their lines
  std::span<const double> estimates_;
  std::span<const double> stddevs_;
  std::size_t next_ = 0;  // of the effects; a curve's line has none
};

}  // namespace

std::vector<std::vector<ColumnEffect>> column_effects(const data::Schema& schema,
                                                      const LinearModel& model) {
  Reader reader(schema, model);
  std::vector<std::vector<ColumnEffect>> out;
  for (std::int64_t output = 0; output < model.output_count(); ++output) {
    out.push_back(reader.read(output));
  }
  return out;
}

double clearness_of_noise(std::size_t coefficients) {
  const auto many = static_cast<double>(std::max<std::size_t>(coefficients, 1));
  return -numeric::normal_quantile(false_alarms / 2 / many);
}

}  // namespace tacet::model
