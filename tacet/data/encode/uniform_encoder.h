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

  /// Encodes one record: its features other than 0, and its label as a value or as an array's
  /// number, which the schema's target maps to the label's domain. UsageError unless columns ascend
  /// strictly below `features.count` with one value each, and for a label without a target. A value
  /// that is not finite counts as 0. An unknown label becomes what the target says about unknown
  /// labels.
  void encode(std::span<const std::uint32_t> columns, std::span<const double> values,
              const Value& label, EncodedRow& row);
  void encode(std::span<const std::uint32_t> columns, std::span<const double> values, double label,
              EncodedRow& row);
  /// Encodes features without a label, for predictions; the label is 0.
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
