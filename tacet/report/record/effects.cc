#include "tacet/report/record/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>

#include "tacet/base/checked_cast.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/data/schema/interactions.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/model/original_units.h"
#include "tacet/numeric/special.h"
#include "tacet/report/figure/labels.h"

namespace tacet::report {
namespace {

// How many of the strongest numbered features are shown.
constexpr std::size_t shown_buckets = 20;
// How many more points a curve that is not straight has between its corners.
constexpr int bend_points = 24;

/// A feature that differs from 0, and its number.
struct Touched {
  std::size_t feature;
  double number;
};
using Features = std::vector<Touched>;

std::string level_name(const data::CategoricalColumn& rule, std::size_t place) {
  return place < rule.categories.size() ? rule.categories[place] : "(other)";
}

class EffectReader {
 public:
  EffectReader(const model::ModelFile& file, double factor)
      : model_(file.model),
        outputs_(base::checked_cast<std::size_t>(model_.output_count())),
        width_(base::checked_cast<std::size_t>(model_.feature_count())) {
    const bool on_scale = model_.task == model::PredictionTask::regression &&
                          model::link_of(model_.loss) == model::Link::identity;
    unit_ = factor * (on_scale ? (model_.target_upper - model_.target_lower) / 2 : 1);
    for (std::size_t output = 0; noisy() && output < outputs_; ++output) {
      const auto first =
          model_.noise_stddevs.begin() + static_cast<std::ptrdiff_t>(output * width_);
      alike_.push_back(std::all_of(first, first + static_cast<std::ptrdiff_t>(width_),
                                   [&](double one) { return one == *first; }));
    }
  }

  [[nodiscard]] PanelPoint point(double at, std::string label, const Features& features) const {
    PanelPoint out{.at = at, .label = std::move(label), .adds = {}, .noise = {}};
    for (std::size_t output = 0; output < outputs_; ++output) {
      double sum = 0;
      for (const auto& [feature, number] : features) sum += coefficient(output, feature) * number;
      out.adds.push_back(sum * unit_);
      if (model_.noise_stddevs.empty()) continue;
      out.noise.push_back(noise(output, features));
    }
    for (const auto& touched : features) out.squared_length += touched.number * touched.number;
    return out;
  }

  /// A bound of the standard deviation of the noise in a sum of features. Where all coefficients
  /// have one standard deviation, it is that of noise alike in every direction or a bound of it in
  /// every direction (docs/explanations/coefficient-noise.md), so that it counts times the length
  /// of the features. Elsewhere nothing is known of how the noise of two coefficients goes
  /// together: it is at most the sum of their standard deviations (triangle inequality).
  [[nodiscard]] double noise(std::size_t output, const Features& features) const {
    const auto stddevs =
        std::span<const double>(model_.noise_stddevs).subspan(output * width_, width_);
    double sum = 0;
    double square = 0;
    for (const auto& [feature, number] : features) {
      const double one = std::abs(number) * stddevs[feature];
      sum += one;
      square += one * one;
    }
    return (alike_[output] ? std::sqrt(square) : sum) * std::abs(unit_);
  }

  [[nodiscard]] bool noisy() const { return !model_.noise_stddevs.empty(); }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  [[nodiscard]] double coefficient(std::size_t output, std::size_t feature) const {
    return model_.coefficients[output * width_ + feature];
  }

 private:
  const model::LinearModel& model_;
  std::size_t outputs_;
  std::size_t width_;
  double unit_;
  std::vector<bool> alike_;  ///< whether an output's coefficients all have one standard deviation
};

/// One minus the other.
Features difference(const Features& a, const Features& b) {
  Features out = a;
  for (const auto& [feature, number] : b) {
    const auto found = std::ranges::find(out, feature, &Touched::feature);
    if (found == out.end()) {
      out.push_back({feature, -number});
    } else {
      found->number -= number;
    }
  }
  return out;
}

/// Range and noise of points, of which `features` are the reasons.
void add_range(const EffectReader& reader, std::span<const PanelPoint> points,
               std::span<const Features> features, EffectPanel& effect) {
  for (std::size_t output = 0; output < reader.outputs(); ++output) {
    std::size_t min = 0;
    std::size_t max = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (points[k].adds[output] < points[min].adds[output]) min = k;
      if (points[k].adds[output] > points[max].adds[output]) max = k;
    }
    effect.range.push_back(points.empty() ? 0
                                          : points[max].adds[output] - points[min].adds[output]);
    if (!reader.noisy()) continue;
    effect.range_noise.push_back(
        points.empty() ? 0 : reader.noise(output, difference(features[max], features[min])));
  }
}

/// The 95 % quantile of the largest of all differences between `values` numbers with normal noise,
/// by the union bound over pairs and both signs.
double largest_difference_quantile(std::int64_t values) {
  const auto count = static_cast<double>(std::max<std::int64_t>(values, 2));
  return -numeric::normal_quantile(0.05 / (count * (count - 1)));
}

void sort_unique(std::vector<double>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

Features numeric_features(const data::NumericMap& map, std::size_t first,
                          std::optional<double> value) {
  Features out;
  map.features(value, [&](std::int64_t place, double number) {
    out.push_back({first + static_cast<std::size_t>(place), number});
  });
  return out;
}

/// Reads one column, whose features begin at `first`.
struct ReadColumn {
  const EffectReader& reader;
  const data::Column& column;
  std::size_t first;
  std::size_t width;
  std::span<const data::EncodedColumn> encoded;

  EffectPanel named(EffectKind kind) const {
    EffectPanel effect{.name = column.name, .kind = kind};
    effect.features = static_cast<std::int64_t>(width);
    return effect;
  }

  EffectPanel operator()(const data::NumericColumn& rule) const {
    auto effect = named(EffectKind::curve);
    const data::NumericMap map(rule);
    effect.date = rule.date;
    effect.straight = !rule.log1p && !rule.period;
    std::vector<double> numbers{rule.lower, rule.upper};
    for (std::int64_t k = 0; k < rule.hat_functions(); ++k) numbers.push_back(map.knot(k));
    numbers.insert(numbers.end(), map.edges().begin(), map.edges().end());
    if (!effect.straight) {
      for (int k = 1; k < bend_points; ++k)
        numbers.push_back(map.value_at(k / double{bend_points}));
    }
    sort_unique(numbers);
    std::vector<Features> features;
    const auto add = [&](double at, const std::string& label, double value) {
      features.push_back(numeric_features(map, first, value));
      effect.points.push_back(reader.point(at, label, features.back()));
    };
    for (const double number : numbers) {
      const bool edge = std::ranges::binary_search(map.edges(), number);
      if (edge) {
        add(number, "below " + map.text(number),
            std::nextafter(number, -std::numeric_limits<double>::infinity()));
      }
      add(number, edge ? "from " + map.text(number) : map.text(number), number);
    }
    add_range(reader, effect.points, features, effect);
    effect.noise_quantile =
        largest_difference_quantile(static_cast<std::int64_t>(effect.points.size()));
    effect.missing.push_back(reader.point(0, "(missing)", numeric_features(map, first, {})));
    return effect;
  }

  EffectPanel operator()(const data::CategoricalColumn& rule) const {
    auto effect = named(EffectKind::levels);
    std::vector<Features> features;
    const auto add = [&](const std::string& label, Features touched) {
      features.push_back(std::move(touched));
      const auto at = static_cast<double>(effect.points.size());
      effect.points.push_back(reader.point(at, label, features.back()));
    };
    if (rule.coding == data::Coding::sign) {
      add(rule.categories[0], {{first, -1.0}});
      add(rule.categories[1], {{first, 1.0}});
    } else {
      for (std::size_t k = 0; k < width; ++k) {
        add(level_name(rule, k), {{first + k, rule.scale(k)}});
      }
    }
    add_range(reader, effect.points, features, effect);
    effect.noise_quantile =
        largest_difference_quantile(static_cast<std::int64_t>(effect.points.size()));
    if (rule.other == data::OtherRule::zero)
      effect.missing.push_back(reader.point(0, "(any other)", {}));
    return effect;
  }

  EffectPanel operator()(const data::HashedColumn&) const { return buckets(); }
  EffectPanel operator()(const data::TextColumn&) const { return buckets(); }
  EffectPanel operator()(const data::IdsColumn&) const { return buckets(); }
  EffectPanel operator()(const data::CrossedColumn&) const { return buckets(); }
  EffectPanel operator()(const data::IgnoredColumn&) const { return named(EffectKind::buckets); }

  /// The strongest features of those that are too many to show; `number` is that of a feature which
  /// a record has.
  EffectPanel buckets(double number = 1) const {
    auto effect = named(EffectKind::buckets);
    const auto strength = [&](std::size_t k) {
      double max = 0;
      for (std::size_t output = 0; output < reader.outputs(); ++output) {
        max = std::max(max, std::abs(reader.coefficient(output, first + k)));
      }
      return max;
    };
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(width);
    for (std::size_t k = 0; k < width; ++k) order.emplace_back(-strength(k), k);
    const auto shown = std::min(shown_buckets, width);
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown));
    order.resize(shown);
    std::vector<Features> features;
    for (const auto& [negative, k] : order) {
      features.push_back({{first + k, number}});
      effect.points.push_back(reader.point(static_cast<double>(effect.points.size()),
                                           encoded[first + k].name, features.back()));
    }
    add_range(reader, effect.points, features, effect);
    effect.noise_quantile = largest_difference_quantile(effect.features);
    return effect;
  }
};

EffectPanel pair_effect(const EffectReader& reader, const data::Schema& schema,
                        const data::PairFeatures& pair, std::size_t place) {
  const auto& first = schema.columns[pair.first_column];
  const auto& second = schema.columns[pair.second_column];
  const auto& first_rule = std::get<data::CategoricalColumn>(first.rule);
  const auto& second_rule = std::get<data::CategoricalColumn>(second.rule);
  EffectPanel effect{.name = first.name + " and " + second.name, .kind = EffectKind::pair};
  effect.features = pair.width();
  effect.row_name = first.name;
  effect.column_name = second.name;
  for (std::int64_t k = 0; k < pair.first_width; ++k) {
    effect.rows.push_back(level_name(first_rule, static_cast<std::size_t>(k)));
  }
  for (std::int64_t k = 0; k < pair.second_width; ++k) {
    effect.columns.push_back(level_name(second_rule, static_cast<std::size_t>(k)));
  }
  std::vector<Features> features;
  for (std::size_t r = 0; r < effect.rows.size(); ++r) {
    for (std::size_t c = 0; c < effect.columns.size(); ++c) {
      const auto k = r * effect.columns.size() + c;
      features.push_back({{place + k, 1.0}});
      effect.points.push_back(reader.point(
          static_cast<double>(k), effect.rows[r] + " & " + effect.columns[c], features.back()));
    }
  }
  add_range(reader, effect.points, features, effect);
  effect.noise_quantile = largest_difference_quantile(pair.width());
  return effect;
}

std::string output_of(const model::LinearModel& model, std::size_t output) {
  if (model.task == model::PredictionTask::multi_class) return model.classes[output];
  if (model.task == model::PredictionTask::binary) return model.classes[1];
  return "the target";
}

std::string unit_of(const model::ModelFile& file) {
  const auto& model = file.model;
  const auto link = model::link_of(model.loss);
  if (model.task == model::PredictionTask::regression) {
    if (link == model::Link::logit) return "log odds of the target";
    if (link == model::Link::log) return "logarithm of the mean";
    const auto& column = file.schema.target->column;
    return column.empty() ? "predicted target" : fmt::format("predicted '{}'", column);
  }
  if (!model.has_probabilities()) return "score";
  return model.task == model::PredictionTask::binary
             ? fmt::format("log odds of '{}'", model.classes[1])
             : std::string("logit of the class");
}

}  // namespace

double EffectPanel::strength() const {
  if (share) return *share;
  double max = 0;
  for (std::size_t k = 0; k < range.size(); ++k) {
    const bool known = k < range_noise.size();
    if (known && range_noise[k] == 0 && range[k] > 0)
      return std::numeric_limits<double>::infinity();
    max = std::max(max, known && range_noise[k] > 0 ? range[k] / range_noise[k]
                        : known                     ? 0
                                                    : range[k]);
  }
  return max;
}

bool EffectPanel::told_from_noise() const {
  constexpr double min_share = 0.01;
  if (share) return *share >= min_share;
  // Any of several outputs may be the one with the largest noise.
  const auto outputs = static_cast<double>(std::max<std::size_t>(range.size(), 1));
  const double more =
      outputs > 1 ? -numeric::normal_quantile(0.025 / outputs) - -numeric::normal_quantile(0.025)
                  : 0;
  return range_noise.empty() ? strength() > 0 : strength() > noise_quantile + more;
}

Effects effects_of(const model::ModelFile& file) {
  const auto& schema = file.schema;
  const auto scales = model::scale_range(schema);
  const double length = model::middle_length(scales);
  const EffectReader reader(file, 1 / length);
  Effects out;
  out.unit = unit_of(file);
  out.by_length = schema.row_scaling == data::RowScaling::clip1;
  out.row_length = length;
  out.noise_stated = reader.noisy();
  for (std::size_t k = 0; k < reader.outputs(); ++k)
    out.outputs.push_back(output_of(file.model, k));
  const auto encoded = schema.encoded_columns();
  for (std::size_t begin = 0; begin < encoded.size();) {
    if (encoded[begin].column < 0) break;  // pairs, uniform features and the intercept follow
    auto end = begin;
    while (end < encoded.size() && encoded[end].column == encoded[begin].column) ++end;
    const auto& column = schema.columns[base::checked_cast<std::size_t>(encoded[begin].column)];
    out.columns.push_back(
        std::visit(ReadColumn{reader, column, begin, end - begin, encoded}, column.rule));
    begin = end;
  }
  const auto behind = encoded.size() - (schema.intercept ? 1 : 0);
  std::size_t place = 0;
  while (place < encoded.size() && encoded[place].column >= 0) ++place;
  for (const auto& pair : data::pair_features(schema)) {
    out.columns.push_back(pair_effect(reader, schema, pair, place));
    place += static_cast<std::size_t>(pair.width());
  }
  if (schema.features && behind > place) {
    const data::Column numbered{.name = "numbered features", .rule = data::HashedColumn{}};
    const ReadColumn read{reader, numbered, place, behind - place, encoded};
    out.columns.push_back(read.buckets());
  }
  if (schema.intercept) {
    const auto point = reader.point(0, "", {{behind, schema.constant}});
    out.intercept = point.adds;
    out.intercept_noise = point.noise;
    out.intercept_squared_length = point.squared_length;
  } else {
    out.intercept.assign(reader.outputs(), 0);
  }
  return out;
}

}  // namespace tacet::report
