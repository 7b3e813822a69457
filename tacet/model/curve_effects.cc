#include "tacet/model/curve_effects.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "tacet/data/encode/curve_rows.h"
#include "tacet/data/schema/numeric_map.h"

namespace tacet::model {
namespace {

constexpr std::int64_t effect_places = 9;

/// Predictions of invented records, by the features of their columns.
class Predictions {
 public:
  Predictions(const data::Schema& schema, const LinearModel& model)
      : model_(model), rows_(schema), records_(schema.unlabelled_shape()) {}

  /// Of a record with these features other than 0, columns ascending.
  [[nodiscard]] double margin(const data::PlainFeatures& features) {
    data::EncodedRow row;
    rows_.row(features.columns, features.values, row);
    records_.append(row);
    double margin = 0;
    margins(model_, records_, records_.rows() - 1, {&margin, 1});
    return margin;
  }
  [[nodiscard]] double prediction(const data::PlainFeatures& features) {
    return regression_value(model_, margin(features));
  }

 private:
  const LinearModel& model_;
  data::CurveRows rows_;
  data::Dataset records_;
};

/// A number's column and the first of its features.
struct NumberPlace {
  std::string name;
  std::uint32_t feature;
};

std::vector<NumberPlace> number_places(const data::Schema& schema) {
  std::vector<NumberPlace> found;
  std::int64_t first = 0;
  for (const auto& column : schema.columns) {
    if (std::holds_alternative<data::NumericColumn>(column.rule)) {
      found.push_back({column.name, static_cast<std::uint32_t>(first)});
    }
    first += column.width();
  }
  return found;
}

CurveEffect effect_of_number(const data::NumericColumn& rule, std::uint32_t feature,
                             Predictions& predictions) {
  CurveEffect effect;
  auto with_places = rule;
  with_places.knots = effect_places;
  const data::NumericMap map(with_places);
  for (std::int64_t k = 0; k < effect_places; ++k) {
    const double value = map.feature_of_share(map.knot_share(k));
    data::PlainFeatures features;
    if (value != 0) features = {{feature}, {value}};
    effect.points.push_back({map.text(map.knot(k)), predictions.prediction(features)});
  }
  return effect;
}

CurveEffect effect_of_categories(const data::CategoricalColumn& rule, std::uint32_t first,
                                 Predictions& predictions) {
  CurveEffect effect;
  for (std::size_t k = 0; k < rule.categories.size(); ++k) {
    const bool sign = rule.coding == data::Coding::sign;
    const auto feature = sign ? first : first + static_cast<std::uint32_t>(k);
    const double value = sign && k == 0 ? -1 : 1;
    effect.points.push_back({rule.categories[k], predictions.prediction({{feature}, {value}})});
  }
  return effect;
}

}  // namespace

std::vector<CurveEffect> curve_effects(const data::Schema& schema, const LinearModel& model) {
  Predictions predictions(schema, model);
  std::vector<CurveEffect> effects;
  std::int64_t first = 0;
  for (const auto& column : schema.columns) {
    const auto feature = static_cast<std::uint32_t>(first);
    first += column.width();
    const auto* number = std::get_if<data::NumericColumn>(&column.rule);
    const auto* listed = std::get_if<data::CategoricalColumn>(&column.rule);
    if (number == nullptr && listed == nullptr) continue;
    auto effect = number != nullptr ? effect_of_number(*number, feature, predictions)
                                    : effect_of_categories(*listed, feature, predictions);
    effect.column = column.name;
    const auto [least, most] =
        std::ranges::minmax_element(effect.points, {}, &EffectPoint::prediction);
    if (!effect.points.empty()) effect.spread = most->prediction - least->prediction;
    effects.push_back(std::move(effect));
  }
  return effects;
}

std::vector<PairEffect> strongest_pairs(const data::Schema& schema, const LinearModel& model,
                                        std::size_t count) {
  constexpr double deviation = data::NumericMap::standard_deviation;
  Predictions predictions(schema, model);
  const auto numbers = number_places(schema);
  const double none = predictions.margin({});
  std::vector<double> alone;
  for (const auto& number : numbers) {
    alone.push_back(predictions.margin({{number.feature}, {deviation}}) - none);
  }
  // A margin of 2 is the width of the target's bounds.
  const double unit = (model.target_upper - model.target_lower) / 2;
  std::vector<PairEffect> pairs;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = i + 1; j < numbers.size(); ++j) {
      const double both =
          predictions.margin({{numbers[i].feature, numbers[j].feature}, {deviation, deviation}});
      pairs.push_back(
          {numbers[i].name, numbers[j].name, unit * (both - none - alone[i] - alone[j])});
    }
  }
  std::ranges::stable_sort(pairs, std::greater(),
                           [](const PairEffect& pair) { return std::abs(pair.together); });
  pairs.resize(std::min(pairs.size(), count));
  return pairs;
}

}  // namespace tacet::model
