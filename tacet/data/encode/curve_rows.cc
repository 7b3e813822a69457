#include "tacet/data/encode/curve_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/data/schema/numeric_map.h"
#include "tacet/numeric/kernels.h"

namespace tacet::data {

double in_stddevs(double feature) {
  return std::clamp(feature / NumericMap::standard_deviation, -Curves::largest_standard,
                    Curves::largest_standard);
}

CurveRows::CurveRows(const Schema& schema)
    : shape_(curve_shape(schema)),
      map_(*schema.curves, shape_),
      scaler_(schema),
      whitening_(schema.curves->whitening) {
  const auto scales = curve_scales(shape_, schema.curves->share);
  for (double& value : whitening_) value *= std::sqrt(scales.number);
  const auto numbers = static_cast<std::size_t>(shape_.numbers);
  for (std::size_t j = 0; j < numbers; ++j) {
    for (std::size_t i = 0; i < numbers; ++i) {
      whitening_columns_.push_back(whitening_[i * numbers + j]);
    }
  }
  category_ = std::sqrt(scales.category);
  const double energy = schema.curves->energy;
  curve_ = energy > 0 ? std::sqrt(scales.curve / energy) : 0;
  std::size_t level = 0;
  for (const Column& column : schema.columns) {
    if (const auto* rule = std::get_if<NumericColumn>(&column.rule)) {
      number_columns_.push_back(static_cast<std::uint32_t>(roles_.size()));
      roles_.push_back({Role::Kind::number, number_columns_.size() - 1});
      if (rule->missing_indicator) roles_.push_back({});
    }
    const auto* listed = std::get_if<CategoricalColumn>(&column.rule);
    if (listed == nullptr) continue;
    if (listed->coding == Coding::sign) {
      roles_.push_back({Role::Kind::sign, level});
      level += 2;
      continue;
    }
    for (std::int64_t k = 0; k < listed->width(); ++k) {
      roles_.push_back({Role::Kind::level, level++});
    }
  }
}

CurveRecord CurveRows::read(std::span<const std::uint32_t> columns,
                            std::span<const double> values) const {
  CurveRecord record;
  record.point.numbers.assign(static_cast<std::size_t>(shape_.numbers), 0.0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Role role = roles_[columns[k]];
    if (role.kind == Role::Kind::number) {
      record.point.numbers[role.index] = in_stddevs(values[k]);
      continue;
    }
    // A sign feature stands for two categories, which differ by twice its size.
    const bool sign = role.kind == Role::Kind::sign;
    if (sign || role.kind == Role::Kind::level) {
      record.point.levels.push_back(
          static_cast<std::int64_t>(role.index + (sign && values[k] > 0 ? 1 : 0)));
    }
    record.others.columns.push_back(columns[k]);
    record.others.values.push_back(values[k] * category_ * (sign ? std::sqrt(0.5) : 1.0));
  }
  return record;
}

void CurveRows::finish(const CurveRecord& record, std::span<const float> curves,
                       EncodedRow& out) const {
  PlainFeatures row;
  row.columns.resize(roles_.size() + curves.size() + 1);
  row.values.resize(row.columns.size());
  std::size_t count = 0;
  const auto add = [&](std::size_t column, double value) {
    row.columns[count] = static_cast<std::uint32_t>(column);
    row.values[count] = value;
    count += value != 0 ? 1 : 0;  // a zero is overwritten by the next value
  };
  std::size_t next = 0;
  const auto& others = record.others;
  const auto add_others_before = [&](std::size_t column) {
    for (; next < others.columns.size() && others.columns[next] < column; ++next) {
      add(others.columns[next], others.values[next]);
    }
  };
  const auto& numbers = record.point.numbers;
  std::vector<const double*> columns(numbers.size());
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    columns[j] = whitening_columns_.data() + j * numbers.size();
  }
  std::vector<double> whitened(numbers.size(), 0.0);
  numeric::add_row_multiples<double>(columns, numbers, whitened);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    add_others_before(number_columns_[i]);
    add(number_columns_[i], whitened[i]);
  }
  add_others_before(roles_.size());
  for (std::size_t d = 0; d < curves.size(); ++d) {
    add(roles_.size() + d, curve_ * static_cast<double>(curves[d]));
  }
  scaler_.scale(std::span(row.columns).first(count), std::span(row.values).first(count), out);
}

void CurveRows::rows(std::span<const CurveRecord> records, std::span<EncodedRow> out) const {
  std::array<CurvePoint, CurveMap::points_at_once> points;
  for (std::size_t k = 0; k < records.size(); ++k) points[k] = records[k].point;
  std::vector<float> curves(records.size() * map_.directions());
  map_.apply(std::span(points).first(records.size()), curves);
  for (std::size_t k = 0; k < records.size(); ++k) {
    finish(records[k], std::span(curves).subspan(k * map_.directions(), map_.directions()), out[k]);
  }
}

void CurveRows::row(std::span<const std::uint32_t> columns, std::span<const double> values,
                    EncodedRow& out) const {
  const CurveRecord record = read(columns, values);
  rows({&record, 1}, {&out, 1});
}

}  // namespace tacet::data
