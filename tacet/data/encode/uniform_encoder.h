#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/label_encoder.h"
#include "tacet/data/encode/narrow_rows.h"
#include "tacet/data/encode/row_scaler.h"
#include "tacet/data/encode/value.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Encodes features without names (Schema::features): clipped to the public bounds, divided by the
/// larger of their magnitudes, then scaled and certified like every row.
/// Not for several threads at once.
class UniformEncoder {
 public:
  /// UsageError unless the schema has such features.
  explicit UniformEncoder(const Schema& schema);

  /// One record: its features that are not 0, and its label as a value or as an array's number,
  /// which the schema's target maps to the label's domain. Columns ascend strictly below
  /// `features.count`, as many as values, else a UsageError; so is a label without a target. A
  /// value that is not finite counts as 0, a label that the target does not know as what it says.
  void encode(std::span<const std::uint32_t> columns, std::span<const double> values,
              const Value& label, EncodedRow& row);
  void encode(std::span<const std::uint32_t> columns, std::span<const double> values, double label,
              EncodedRow& row);
  /// Features alone, with the label 0: for predictions.
  void encode(std::span<const std::uint32_t> columns, std::span<const double> values,
              EncodedRow& row);

 private:
  [[nodiscard]] const LabelEncoder& labels() const;

  std::int64_t count_;
  std::optional<LabelEncoder> labels_;
  RowScaler scaler_;
  std::optional<NarrowRows> narrow_;
  double lower_;
  double upper_;
  double scale_;
  std::vector<double> values_;
};

}  // namespace tacet::data
