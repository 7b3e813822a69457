#include "tacet/data/encode/standardise.h"

#include "tacet/base/threads.h"
#include "tacet/data/encode/curve_records.h"
#include "tacet/data/rewritten.h"
#include "tacet/data/schema/interactions.h"

namespace tacet::data {
namespace {

// The line is then 2 v - 1.
constexpr Standard as_it_is{.mean = 0, .stddev = NumericMap::standard_deviation};

auto standardising_of(const Schema& standardised) {
  return [rows = RawRows(standardised)](const Dataset& raw, std::int64_t row,
                                        EncodedRow& out) mutable { rows.transform(raw, row, out); };
}

void add(std::uint32_t column, double value, PlainFeatures& out) {
  if (value == 0) return;
  out.columns.push_back(column);
  out.values.push_back(value);
}

}  // namespace

Schema raw_schema(const Schema& schema) {
  Schema raw = schema;
  raw.row_scaling = RowScaling::none;
  raw.constant = 1;
  raw.curves.reset();
  for (Column& column : raw.columns) {
    if (auto* listed = std::get_if<CategoricalColumn>(&column.rule)) listed->scales.clear();
    auto* rule = std::get_if<NumericColumn>(&column.rule);
    if (rule == nullptr || rule->line_count() != 1) continue;
    rule->standard = as_it_is;
    rule->knots = 0;
  }
  return raw;
}

std::vector<std::size_t> numeric_features(const Schema& schema) {
  std::vector<std::size_t> features;
  std::size_t first = 0;
  for (const Column& column : schema.columns) {
    const auto* rule = std::get_if<NumericColumn>(&column.rule);
    if (rule != nullptr && rule->line_count() == 1) features.push_back(first);
    first += static_cast<std::size_t>(column.width());
  }
  return features;
}

std::vector<ColumnRange> category_features(const Schema& schema) {
  std::vector<ColumnRange> ranges;
  std::uint32_t first = 0;
  for (const Column& column : schema.columns) {
    const auto end = first + static_cast<std::uint32_t>(column.width());
    const auto* rule = std::get_if<CategoricalColumn>(&column.rule);
    if (rule != nullptr && rule->coding == Coding::one_hot) ranges.emplace_back(first, end);
    first = end;
  }
  return ranges;
}

RawRows::RawRows(const Schema& standardised) : scaler_(standardised) {
  std::uint32_t raw_first = 0;
  std::uint32_t first = 0;
  for (const Column& column : standardised.columns) {
    Part part{.raw_first = raw_first,
              .raw_end = 0,
              .first = first,
              .hat_functions = 0,
              .number = {},
              .scales = {}};
    if (const auto* listed = std::get_if<CategoricalColumn>(&column.rule)) {
      part.scales = listed->scales;
    }
    const auto* rule = std::get_if<NumericColumn>(&column.rule);
    if (rule != nullptr && rule->line_count() == 1) {
      part.number.emplace(*rule);
      part.hat_functions = static_cast<std::uint32_t>(rule->hat_functions());
    }
    const auto width = static_cast<std::uint32_t>(column.width());
    raw_first += width - part.hat_functions;
    first += width;
    part.raw_end = raw_first;
    parts_.push_back(part);
  }
  std::uint32_t pairs = 0;
  for (const auto& pair : pair_features(standardised)) {
    pairs += static_cast<std::uint32_t>(pair.width());
  }
  parts_.push_back({raw_first, raw_first + pairs, first, 0, std::nullopt, {}});
}

void RawRows::read(const Dataset& raw, std::int64_t row) {
  constexpr double unit = 1.0 / Dataset::feature_scale;
  raw_.clear();
  if (raw.sparse()) {
    const SparseRow sparse = raw.sparse_row(row);
    for (std::size_t k = 0; k < sparse.columns.size(); ++k) {
      raw_.emplace_back(sparse.columns[k], sparse.values[k] * unit);
    }
    return;
  }
  const auto dense = raw.dense_row(row);
  for (std::size_t k = 0; k < dense.size(); ++k) {
    if (dense[k] != 0) raw_.emplace_back(static_cast<std::uint32_t>(k), dense[k] * unit);
  }
}

void RawRows::add_number(const Part& part, double share, PlainFeatures& out) {
  add(part.first, part.number->feature_of_share(share), out);
  part.number->hat_functions(share, [&](std::int64_t knot, double value) {
    add(part.first + 1 + static_cast<std::uint32_t>(knot), value, out);
  });
}

void RawRows::features(const Dataset& raw, std::int64_t row, PlainFeatures& out) {
  read(raw, row);
  out.columns.clear();
  out.values.clear();
  std::size_t next = 0;
  for (const Part& part : parts_) {
    if (part.number) {
      // Raw features are 2 v - 1. A row without this feature has 0 there, the middle.
      const bool held = next < raw_.size() && raw_[next].first == part.raw_first;
      add_number(part, (1 + (held ? raw_[next++].second : 0)) / 2, out);
    }
    for (; next < raw_.size() && raw_[next].first < part.raw_end; ++next) {
      const auto place = raw_[next].first - part.raw_first;
      const double scale = part.scales.empty() ? 1 : part.scales[place];
      add(part.first + part.hat_functions + place, raw_[next].second * scale, out);
    }
  }
}

void RawRows::transform(const Dataset& raw, std::int64_t row, EncodedRow& out) {
  features(raw, row, plain_);
  scaler_.scale(plain_.columns, plain_.values, out);  // appends the constant
}

Dataset transform(const Dataset& raw, const Schema& standardised) {
  if (standardised.curves) {
    base::ThreadPool alone(1);
    return with_curves(raw, standardised, CurveLabels::given, alone);
  }
  return rewritten(raw, standardised.shape(), standardising_of(standardised));
}

Dataset transform(Dataset&& raw, const Schema& standardised) {
  if (standardised.curves) {
    base::ThreadPool alone(1);
    return with_curves(std::move(raw), standardised, CurveLabels::given, alone);
  }
  return rewritten(std::move(raw), standardised.shape(), standardising_of(standardised));
}

}  // namespace tacet::data
