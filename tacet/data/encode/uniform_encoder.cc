#include "tacet/data/encode/uniform_encoder.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::data {
namespace {

const UniformFeatures& uniform_features(const Schema& schema) {
  if (!schema.features) {
    throw base::UsageError(
        "the schema names its columns; UniformEncoder is for [features], Encoder for columns");
  }
  return *schema.features;
}

void check_columns(std::span<const std::uint32_t> columns, std::size_t values, std::int64_t count) {
  if (columns.size() != values) {
    throw base::UsageError("{} columns with {} values; give each value its column", columns.size(),
                           values);
  }
  std::int64_t previous = -1;
  for (const std::int64_t column : columns) {
    if (column <= previous || column >= count) {
      throw base::UsageError("a record's columns must ascend from 0 to {} at most", count - 1);
    }
    previous = column;
  }
}

}  // namespace

UniformEncoder::UniformEncoder(const Schema& schema)
    : count_(uniform_features(schema).count),
      scaler_(schema),
      lower_(schema.features->lower),
      upper_(schema.features->upper),
      scale_(std::max(-lower_, upper_)) {
  if (schema.target) labels_.emplace(schema);
  if (schema.projection || schema.selected_columns) narrow_.emplace(schema);
}

const LabelEncoder& UniformEncoder::labels() const {
  if (!labels_) throw base::UsageError("a record with a label, but the schema has no [target]");
  return *labels_;
}

void UniformEncoder::encode(std::span<const std::uint32_t> columns, std::span<const double> values,
                            const Value& label, EncodedRow& row) {
  const auto encoded = labels().encode(label);
  encode(columns, values, row);
  row.set_label(encoded, labels().label_without_target());
}

void UniformEncoder::encode(std::span<const std::uint32_t> columns, std::span<const double> values,
                            double label, EncodedRow& row) {
  const auto encoded = labels().encode_number(label);
  encode(columns, values, row);
  row.set_label(encoded, labels().label_without_target());
}

void UniformEncoder::encode(std::span<const std::uint32_t> columns, std::span<const double> values,
                            EncodedRow& row) {
  check_columns(columns, values.size(), count_);
  values_.resize(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double value = std::isfinite(values[k]) ? values[k] : 0.0;
    values_[k] = std::clamp(value, lower_, upper_) / scale_;
  }
  scaler_.scale(columns, values_, row);
  if (narrow_) narrow_->narrow(row);
  row.label = 0;
  row.labelled = true;
}

}  // namespace tacet::data
