#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/narrow_rows.h"
#include "tacet/data/encode/row_scaler.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Encodes features without names (Schema::features): clipped to the public bounds, divided by the
/// larger of their magnitudes, then scaled and certified like every row.
class UniformEncoder {
 public:
  explicit UniformEncoder(const Schema& schema);

  /// Columns ascend strictly below `features.count`; a value that is not finite counts as 0.
  void encode(std::span<const std::uint32_t> columns, std::span<const double> values,
              EncodedRow& row);

 private:
  RowScaler scaler_;
  std::optional<NarrowRows> narrow_;
  double lower_;
  double upper_;
  double scale_;
  std::vector<double> values_;
};

}  // namespace tacet::data
