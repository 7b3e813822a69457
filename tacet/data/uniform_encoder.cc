#include "tacet/data/uniform_encoder.h"

#include <algorithm>
#include <cmath>

namespace tacet::data {

UniformEncoder::UniformEncoder(const Schema& schema)
    : scaler_(schema),
      lower_(schema.features->lower),
      upper_(schema.features->upper),
      scale_(std::max(-lower_, upper_)) {}

void UniformEncoder::encode(std::span<const std::uint32_t> columns, std::span<const double> values,
                            EncodedRow& row) {
  columns_.clear();
  values_.clear();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    const double value = std::clamp(values[k], lower_, upper_) / scale_;
    if (value == 0) continue;
    columns_.push_back(columns[k]);
    values_.push_back(value);
  }
  scaler_.scale(columns_, values_, row);
}

}  // namespace tacet::data
