#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/encode/curve_map.h"
#include "tacet/data/encode/row_scaler.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Features of a record by its columns alone, before curves: columns ascend, no value is 0.
struct PlainFeatures {
  std::vector<std::uint32_t> columns{};
  std::vector<double> values{};
};

/// The parts of a record for its curves and its row: numbers in standard deviations, categories,
/// and features that are neither.
struct CurveRecord {
  CurvePoint point{};
  PlainFeatures others{};
};

/// The last step of the encoder if the schema has curves. It turns features in released standards
/// into a row of whitened numbers, categories, curves and the constant, each scaled by
/// curve_scales, cut to norm 1 and certified in integers (RowScaler). It is a function of one
/// record and of public or released numbers, so neighbouring data sets have neighbouring rows.
class CurveRows {
 public:
  explicit CurveRows(const Schema& schema);

  [[nodiscard]] CurveRecord read(std::span<const std::uint32_t> columns,
                                 std::span<const double> values) const;
  /// The rows of at most CurveMap::points_at_once records.
  void rows(std::span<const CurveRecord> records, std::span<EncodedRow> out) const;
  /// The row of one record.
  void row(std::span<const std::uint32_t> columns, std::span<const double> values,
           EncodedRow& out) const;

  /// The role of a column's feature.
  struct Role {
    enum class Kind { number, level, sign, other } kind = Kind::other;
    std::size_t index = 0;  ///< of the number, or of the first level
  };

  // The numbers from which rows are computed, for programs that compute them elsewhere.
  [[nodiscard]] std::span<const Role> roles() const { return roles_; }
  [[nodiscard]] const CurveMap& curve_map() const { return map_; }
  /// Row by row, with the numbers' scale.
  [[nodiscard]] std::span<const double> whitening() const { return whitening_; }
  [[nodiscard]] double category_scale() const { return category_; }
  [[nodiscard]] double curve_scale() const { return curve_; }

 private:
  void finish(const CurveRecord& record, std::span<const float> curves, EncodedRow& out) const;

  std::vector<Role> roles_;
  std::vector<std::uint32_t> number_columns_;
  CurveShape shape_;
  CurveMap map_;
  RowScaler scaler_;
  std::vector<double> whitening_;          // with the numbers' scale
  std::vector<double> whitening_columns_;  // column by column
  double category_;                        // scales of features
  double curve_;
};

/// A number of a record in standard deviations, clipped, from its feature in a released standard.
[[nodiscard]] double in_stddevs(double feature);

}  // namespace tacet::data
