#include "tacet/model/curve_effects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "tacet/data/encode/projection_map.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/numeric/special.h"

namespace tacet::model {
namespace {

using data::PlainFeatures;

constexpr std::size_t reference_records = 8192;
constexpr std::int64_t reference_seed = 1;  // public, as everything about these simulated records
// Number of equally likely groups of a number's values for the analysis of variance; for pairs it
// is smaller.
constexpr std::size_t groups_alone = 32;
constexpr std::size_t groups_of_pairs = 16;
constexpr std::array pair_places{-1.5, -0.75, 0.0, 0.75,
                                 1.5};  // of numbers, in standard deviations
constexpr std::size_t pair_levels = 8;

/// A column that has an effect, and its features.
struct Part {
  const data::Column& column;
  std::uint32_t first;
  std::uint32_t width;
  std::size_t levels;  ///< 0: a number

  [[nodiscard]] const data::NumericColumn& number() const {
    return std::get<data::NumericColumn>(column.rule);
  }
  [[nodiscard]] const data::CategoricalColumn& listed() const {
    return std::get<data::CategoricalColumn>(column.rule);
  }
  [[nodiscard]] PlainFeatures at_stddevs(double z) const {
    return {{first}, {z * data::NumericMap::standard_deviation}};
  }
  [[nodiscard]] PlainFeatures at_level(std::size_t level) const {
    if (listed().coding == data::Coding::sign) return {{first}, {level == 0 ? -1.0 : 1.0}};
    return {{first + static_cast<std::uint32_t>(level)}, {1.0}};
  }
  [[nodiscard]] std::string level_name(std::size_t level) const {
    const auto& names = listed().categories;
    return level < names.size() ? names[level] : "(other)";
  }
};

std::vector<Part> parts_of(const data::Schema& schema) {
  std::vector<Part> parts;
  std::uint32_t first = 0;
  for (const auto& column : schema.columns) {
    const auto width = static_cast<std::uint32_t>(column.width());
    const auto* listed = std::get_if<data::CategoricalColumn>(&column.rule);
    if (listed != nullptr) {
      parts.push_back({column, first, width, std::max<std::size_t>(width, 2)});
      if (listed->coding != data::Coding::sign) parts.back().levels = width;
    } else if (!column.ignored()) {
      parts.push_back({column, first, width, 0});
    }
    first += width;
  }
  return parts;
}

void append(const PlainFeatures& from, PlainFeatures& to) {
  to.columns.insert(to.columns.end(), from.columns.begin(), from.columns.end());
  to.values.insert(to.values.end(), from.values.begin(), from.values.end());
}

/// Predictions of records by the features of their columns, not cut to the target's bounds.
std::vector<double> predicted(const data::CurveRows& rows, const LinearModel& model,
                              std::span<const PlainFeatures> features) {
  constexpr auto at_once = data::CurveMap::points_at_once;
  std::array<data::EncodedRow, at_once> encoded;
  std::vector<data::CurveRecord> records;
  std::vector<double> out;
  for (std::size_t begin = 0; begin < features.size(); begin += at_once) {
    const auto count = std::min(at_once, features.size() - begin);
    records.clear();
    for (const auto& one : features.subspan(begin, count)) {
      records.push_back(rows.read(one.columns, one.values));
    }
    rows.rows(records, std::span(encoded).first(count));
    for (const auto& row : std::span(encoded).first(count)) {
      const data::SparseRow sparse{row.columns, row.values};
      out.push_back(label_value(model, model.offset + margin(model.output(0), sparse)));
    }
  }
  return out;
}

/// A place on a column, and its name.
struct Place {
  double at;
  std::string value;
  PlainFeatures features;
};

Place place_at(const Part& part, const data::NumericMap& map, double share) {
  const double value = map.value_at(share);
  return {value, map.text(value), {{part.first}, {map.feature_of_share(share)}}};
}

/// The place between its bounds (0 at the lower one, 1 at the upper one) of a number z standard
/// deviations above its mean.
double share_at(const data::NumericMap& map, double z) {
  const double lowest = map.feature_of_share(0);
  return (z * data::NumericMap::standard_deviation - lowest) / (map.feature_of_share(1) - lowest);
}

std::vector<Place> places_of_number(const Part& part, std::span<const double> stddevs,
                                    bool bounds) {
  const data::NumericMap map(part.number());
  std::vector<Place> places;
  if (bounds) places.push_back(place_at(part, map, 0));
  for (const double z : stddevs) {
    const double share = share_at(map, z);
    if (share > 0 && share < 1) places.push_back(place_at(part, map, share));
  }
  if (bounds) places.push_back(place_at(part, map, 1));
  return places;
}

std::vector<Place> places_of_levels(const Part& part, std::size_t max) {
  std::vector<Place> places;
  for (std::size_t k = 0; k < std::min(part.levels, max); ++k) {
    places.push_back({static_cast<double>(k), part.level_name(k), part.at_level(k)});
  }
  return places;
}

/// Simulated records, their predictions less the mean, and the group of each value.
struct Reference {
  std::vector<double> predictions{};
  std::vector<std::vector<std::uint8_t>> groups{};  ///< by part
  double squares = 0;
};

Reference simulated(const std::vector<Part>& parts, const data::CurveRows& rows,
                    const LinearModel& model) {
  Reference out;
  out.groups.assign(parts.size(), std::vector<std::uint8_t>(reference_records));
  std::vector<PlainFeatures> features(reference_records);
  for (std::size_t k = 0; k < reference_records; ++k) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto hash = data::projection_hash(reference_seed, p, k);
      const double share = (static_cast<double>(hash >> 11U) + 0.5) * 0x1p-53;
      const auto& part = parts[p];
      const std::size_t values = part.levels == 0 ? groups_alone : part.levels;
      const auto value = static_cast<std::size_t>(share * static_cast<double>(values));
      out.groups[p][k] =
          static_cast<std::uint8_t>(values <= groups_alone ? value : value * groups_alone / values);
      const double z = std::clamp(numeric::normal_quantile(share), -data::Curves::largest_standard,
                                  data::Curves::largest_standard);
      append(part.levels == 0 ? part.at_stddevs(z) : part.at_level(value), features[k]);
    }
  }
  out.predictions = predicted(rows, model, features);
  double mean = 0;
  for (const double one : out.predictions) mean += one / reference_records;
  for (double& one : out.predictions) {
    one -= mean;
    out.squares += one * one;
  }
  return out;
}

/// The part of the sum of squares of `values` that the means of groups explain, less the part that
/// they would explain of noise. `means` has the mean of each group.
double explained(std::span<const double> values, const std::function<std::size_t(std::size_t)>& of,
                 std::vector<double>& means) {
  std::vector<double> counts(means.size());
  std::ranges::fill(means, 0.0);
  double squares = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    counts[of(k)] += 1;
    means[of(k)] += values[k];
    squares += values[k] * values[k];
  }
  double between = 0;
  double filled = 0;
  for (std::size_t g = 0; g < means.size(); ++g) {
    if (counts[g] == 0) continue;
    means[g] /= counts[g];
    between += counts[g] * means[g] * means[g];
    filled += 1;
  }
  const double within = squares - between;
  const double by_accident = (filled - 1) * within / (static_cast<double>(values.size()) - filled);
  return std::max(0.0, between - by_accident);
}

/// The shares of columns, then those of all pairs, largest first; only the names of pairs are set.
void take_apart(const std::vector<Part>& parts, Reference reference, CurveEffects& out) {
  if (reference.squares <= 0) return;
  auto rest = reference.predictions;
  std::vector<double> means(groups_alone);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto& groups = reference.groups[p];
    const auto of = [&](std::size_t k) { return std::size_t{groups[k]}; };
    out.columns[p].share = explained(reference.predictions, of, means) / reference.squares;
    for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= means[groups[k]];
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].levels > 0 && parts[p].levels <= groups_of_pairs) continue;
    for (auto& group : reference.groups[p]) {
      group = static_cast<std::uint8_t>(group / (groups_alone / groups_of_pairs));
    }
  }
  means.resize(groups_of_pairs * groups_of_pairs);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      const auto of = [&](std::size_t k) {
        return reference.groups[i][k] * groups_of_pairs + reference.groups[j][k];
      };
      const double share = explained(rest, of, means) / reference.squares;
      if (share == 0) continue;
      out.pairs.push_back(
          {.first = parts[i].column.name, .second = parts[j].column.name, .share = share});
    }
  }
  std::ranges::stable_sort(out.pairs, std::greater(), &PairEffect::share);
}

/// The values of a pair, and the joint effect of each two of them beyond their own effects.
void add_places(const std::vector<Part>& parts, const data::CurveRows& rows,
                const LinearModel& model, PairEffect& pair) {
  const auto places = [&](const std::string& name) {
    const auto& part = *std::ranges::find(
        parts, name, [](const Part& one) -> const std::string& { return one.column.name; });
    return part.levels == 0 ? places_of_number(part, pair_places, false)
                            : places_of_levels(part, pair_levels);
  };
  const auto first = places(pair.first);
  const auto second = places(pair.second);
  std::vector<PlainFeatures> records(1);  // at the means; with each value alone; with both
  for (const auto& one : first) records.push_back(one.features);
  for (const auto& one : second) records.push_back(one.features);
  for (const auto& row : first) {
    pair.rows.push_back(row.value);
    for (const auto& column : second) {
      records.push_back(row.features);
      append(column.features, records.back());
    }
  }
  for (const auto& column : second) pair.columns.push_back(column.value);
  const auto found = predicted(rows, model, records);
  auto both = found.begin() + 1 + std::ssize(first) + std::ssize(second);
  for (std::size_t r = 0; r < first.size(); ++r) {
    for (std::size_t c = 0; c < second.size(); ++c) {
      const double beyond = *both++ - found[1 + r] - found[1 + first.size() + c] + found[0];
      pair.beyond.push_back(beyond);
      if (std::abs(beyond) > std::abs(pair.together)) pair.together = beyond;
    }
  }
}

}  // namespace

CurveEffects curve_effects(const data::Schema& schema, const LinearModel& model, int steps,
                           std::size_t pairs) {
  const auto parts = parts_of(schema);
  const data::CurveRows rows(schema);
  CurveEffects out;
  out.at_means = predicted(rows, model, std::vector<PlainFeatures>(1))[0];
  std::vector<double> stddevs;
  const int ends = steps * static_cast<int>(data::Curves::largest_standard);
  for (int k = -ends; k <= ends; ++k) stddevs.push_back(k / static_cast<double>(steps));
  for (const auto& part : parts) {
    CurveEffect effect{.column = part.column.name, .number = part.levels == 0};
    effect.date = effect.number && part.number().date;
    const auto places =
        effect.number ? places_of_number(part, stddevs, true) : places_of_levels(part, part.levels);
    std::vector<PlainFeatures> features;
    for (const auto& place : places) features.push_back(place.features);
    const auto found = predicted(rows, model, features);
    for (std::size_t k = 0; k < places.size(); ++k) {
      effect.points.push_back({places[k].at, places[k].value, found[k]});
    }
    const auto [min, max] = std::ranges::minmax(found);
    effect.spread = max - min;
    out.columns.push_back(std::move(effect));
  }
  take_apart(parts, simulated(parts, rows, model), out);
  out.pairs.resize(std::min(out.pairs.size(), pairs));
  out.rest = 1;
  for (const auto& column : out.columns) out.rest -= column.share;
  for (auto& pair : out.pairs) {
    out.rest -= pair.share;
    add_places(parts, rows, model, pair);
  }
  out.rest = std::max(out.rest, 0.0);
  return out;
}

RecordEffects::RecordEffects(const data::Schema& schema, const LinearModel& model)
    : schema_(schema),
      model_(model),
      rows_(schema),
      at_means_(predicted(rows_, model, std::vector<PlainFeatures>(1))[0]) {}

std::vector<std::string> RecordEffects::columns() const {
  std::vector<std::string> out;
  for (const auto& part : parts_of(schema_)) out.push_back(part.column.name);
  return out;
}

std::vector<double> RecordEffects::of(const PlainFeatures& features) const {
  const auto parts = parts_of(schema_);
  std::vector<PlainFeatures> records(parts.size());
  std::size_t k = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (; k < features.columns.size() && features.columns[k] < parts[p].first + parts[p].width;
         ++k) {
      records[p].columns.push_back(features.columns[k]);
      records[p].values.push_back(features.values[k]);
    }
  }
  records.push_back(features);
  auto out = predicted(rows_, model_, records);
  double alone = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) alone += out[p] -= at_means_;
  out.back() -= at_means_ + alone;
  return out;
}

}  // namespace tacet::model
