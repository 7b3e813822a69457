#include "tacet/data/encode/uniform_encoder.h"

#include <algorithm>
#include <cmath>

namespace tacet::data {

UniformEncoder::UniformEncoder(const Schema& schema)
    : scaler_(schema),
      lower_(schema.features->lower),
      upper_(schema.features->upper),
      scale_(std::max(-lower_, upper_)) {
  if (schema.projection || schema.kept_columns) narrow_.emplace(schema);
}

void UniformEncoder::encode(std::span<const std::uint32_t> columns, std::span<const double> values,
                            EncodedRow& row) {
  values_.resize(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double value = std::isfinite(values[k]) ? values[k] : 0.0;
    values_[k] = std::clamp(value, lower_, upper_) / scale_;
  }
  scaler_.scale(columns, values_, row);
  if (narrow_) narrow_->narrow(row);
}

}  // namespace tacet::data
