#include "tacet/model/original_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/data/schema/numeric_map.h"

namespace tacet::model {
namespace {

struct SquaredLength {
  double min = 0;
  double max = 0;
};

/// What a column adds to the squared length of a complete record.
struct BlockLength {
  SquaredLength operator()(const data::NumericColumn& rule) const {
    const data::NumericMap map(rule);
    return {map.min_square(), map.max_square()};
  }
  SquaredLength operator()(const data::CategoricalColumn& rule) const {
    if (rule.scales.empty()) return {1, 1};
    const auto [min, max] = std::ranges::minmax(rule.scales);
    return {min * min, max * max};
  }
  SquaredLength operator()(const data::HashedColumn&) const { return {1, 1}; }
  SquaredLength operator()(const data::TextColumn&) const { return {0, 1}; }
  SquaredLength operator()(const data::IdsColumn&) const { return {0, 1}; }
  SquaredLength operator()(const data::CrossedColumn&) const { return {1, 1}; }
  SquaredLength operator()(const data::IgnoredColumn&) const { return {0, 0}; }
};

/// A step in the file's units and how far it moves the encoded feature before row scaling.
struct Step {
  std::string text;
  double size;
};

struct FeatureStep {
  std::int64_t category;

  Step operator()(const data::NumericColumn& rule) const {
    const data::NumericMap map(rule);
    switch (map.feature_at(category).part) {
      case data::NumericPart::line:
        return {rule.date ? "1 day" : rule.log1p ? "1 in log(1 + x)" : "1", map.step()};
      case data::NumericPart::bin:
        return {"this bin", map.bin_height()};
      case data::NumericPart::missing:
        return {"missing", 1};
      default:  // of a period; a hat function is part of its curve
        return {"from 0 to 1", 1};
    }
  }
  Step operator()(const data::CategoricalColumn& rule) const {
    if (rule.coding == data::Coding::sign) {
      return {fmt::format("{} to {}", rule.categories[0], rule.categories[1]), 2};
    }
    const auto place =
        category < 0 ? rule.categories.size() : base::checked_cast<std::size_t>(category);
    return {category < 0 ? "any other" : "this category", rule.scale(place)};
  }
  Step operator()(const data::HashedColumn&) const { return {"this bucket", 1}; }
  Step operator()(const data::TextColumn&) const { return {"the only word", 1}; }
  Step operator()(const data::IdsColumn&) const { return {"the only id", 1}; }
  Step operator()(const data::CrossedColumn&) const { return {"this bucket", 1}; }
  Step operator()(const data::IgnoredColumn&) const {
    throw base::InternalError("an ignored column has no feature");
  }
};

/// The numeric column whose line or hat function the feature is. Null if the feature is something
/// else, or the column has no hat functions.
const data::NumericColumn* curved_number(const data::Schema& schema,
                                         const data::EncodedColumn& feature) {
  if (feature.column < 0) return nullptr;
  const auto& column = schema.columns[base::checked_cast<std::size_t>(feature.column)];
  const auto* rule = std::get_if<data::NumericColumn>(&column.rule);
  return rule != nullptr && feature.category <= rule->hat_functions() && rule->hat_functions() > 0
             ? rule
             : nullptr;
}

Step step_of(const data::Schema& schema, const data::EncodedColumn& feature) {
  if (feature.column >= 0) {
    const auto& column = schema.columns[base::checked_cast<std::size_t>(feature.column)];
    return std::visit(FeatureStep{feature.category}, column.rule);
  }
  if (feature.category >= 0 && schema.features) {
    return {"1", 1 / std::max(std::abs(schema.features->lower), std::abs(schema.features->upper))};
  }
  if (feature.category >= 0) return {"both categories", 1};
  return {"constant", schema.constant};
}

/// A number's margin runs from -1 to 1 over the target's bounds; of probabilities it is the log
/// odds, of counts the logarithm of the mean.
bool on_target_scale(const LinearModel& model) {
  return model.task == PredictionTask::regression && link_of(model.loss) == Link::identity;
}

double margin_unit(const LinearModel& model) {
  return on_target_scale(model) ? (model.target_upper - model.target_lower) / 2 : 1;
}

/// A feature that is slope * number + at_zero.
struct Straight {
  double slope;
  double at_zero;
};

/// Nothing where a column is no such feature.
std::optional<std::vector<Straight>> straight_features(const data::Schema& schema) {
  std::vector<Straight> found;
  if (schema.features) {
    const double largest =
        std::max(std::abs(schema.features->lower), std::abs(schema.features->upper));
    found.assign(base::checked_cast<std::size_t>(schema.features->count), {1 / largest, 0});
    return found;
  }
  for (const auto& column : schema.columns) {
    if (column.ignored()) continue;
    const auto* rule = std::get_if<data::NumericColumn>(&column.rule);
    const bool plain = rule != nullptr && rule->width() == 1 && rule->line_count() == 1 &&
                       !rule->log1p && !rule->date;
    if (!plain) return std::nullopt;
    const data::NumericMap map(*rule);
    found.push_back({map.step(), map.feature(rule->lower) - map.step() * rule->lower});
  }
  return found;
}

}  // namespace

ScaleRange scale_range(const data::Schema& schema) {
  if (schema.row_scaling == data::RowScaling::constant_root) {
    const double factor = 1 / std::sqrt(schema.unscaled_square());
    return {factor, factor};
  }
  SquaredLength length;
  const double constant = schema.constant * schema.constant;
  if (schema.intercept) length = {constant, constant};
  for (const auto& column : schema.columns) {
    const auto block = std::visit(BlockLength{}, column.rule);
    length.min += block.min;
    length.max += block.max;
  }
  const auto pairs = static_cast<double>(schema.interactions.size());
  length.min += pairs;
  length.max += pairs;
  if (schema.features) {
    length.max +=
        static_cast<double>(schema.features->max_nonzero.value_or(schema.features->count));
  }
  return {1 / std::sqrt(std::max(1.0, length.max)), 1 / std::sqrt(std::max(1.0, length.min))};
}

double middle_length(const ScaleRange& range) {
  const double longest = 1 / range.longest_row;
  const double shortest = 1 / range.shortest_row;
  return std::sqrt((longest * longest + shortest * shortest) / 2);
}

std::vector<UnitEffect> original_units(const data::Schema& schema, const LinearModel& model,
                                       std::int64_t output) {
  expect_margins(model);
  if (schema.curves) return {};
  const auto range = scale_range(schema);
  const auto coefficients = model.output(output);
  const auto features = schema.encoded_columns();
  const double unit = margin_unit(model);
  std::vector<UnitEffect> effects;
  effects.reserve(features.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto add = [&](const std::string& name, const Step& step, double change) {
      const double effect = change * unit;
      effects.push_back({name, step.text, effect * range.longest_row, effect * range.shortest_row});
    };
    if (const auto* number = curved_number(schema, features[i])) {
      const auto place = features[i].category;
      if (place == 0) continue;  // its line is part of the curve
      const double line = coefficients[i - base::checked_cast<std::size_t>(place)];
      const data::NumericMap map(*number);
      const auto knot = map.feature_at(place).index;
      const double share = map.knot_share(knot);
      add(schema.columns[base::checked_cast<std::size_t>(features[i].column)].name,
          {fmt::format("to {}", map.text(map.knot(knot))), 0},
          line * map.feature_of_share(share) +
              coefficients[i] * data::NumericMap::hat_function_height);
      continue;
    }
    const auto step = step_of(schema, features[i]);
    add(features[i].name, step, coefficients[i] * step.size);
  }
  return effects;
}

std::optional<StraightLine> straight_line(const data::Schema& schema, const LinearModel& model,
                                          std::int64_t output) {
  const auto range = scale_range(schema);
  const bool rows_differ = range.longest_row != range.shortest_row;
  const bool mapped =
      schema.projection || schema.selected_columns || schema.curves || !schema.interactions.empty();
  if (model.wide || rows_differ || mapped) return std::nullopt;
  const auto features = straight_features(schema);
  if (!features) return std::nullopt;
  const double unit = margin_unit(model) * range.longest_row;
  const auto coefficients = model.output(output);
  StraightLine line{.factors = {}, .constant = 0};
  for (std::size_t k = 0; k < features->size(); ++k) {
    line.factors.push_back((*features)[k].slope * unit);
    line.constant += coefficients[k] * (*features)[k].at_zero * unit;
  }
  if (schema.intercept) line.constant += coefficients[features->size()] * schema.constant * unit;
  if (on_target_scale(model)) line.constant += (model.target_lower + model.target_upper) / 2;
  return line;
}

}  // namespace tacet::model
