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

/// What of a record its curves and its row are made of: numbers in standard deviations, categories,
/// and the features of neither.
struct CurveRecord {
  CurvePoint point{};
  PlainFeatures others{};
};

/// The last step of the encoder where the schema has curves: from features by the columns'
/// standards to the row of whitened numbers, categories, curves and the constant, each scaled by
/// curve_scales, cut to norm 1 and certified in integers (RowScaler). A function of one record and
/// of what is public or was released, so that neighbours have neighbouring rows.
class CurveRows {
 public:
  explicit CurveRows(const Schema& schema);

  [[nodiscard]] CurveRecord read(std::span<const std::uint32_t> columns,
                                 std::span<const double> values) const;
  /// The rows of at most CurveMap::points_at_once records.
  void rows(std::span<const CurveRecord> records, std::span<EncodedRow> out) const;
  /// The same of one.
  void row(std::span<const std::uint32_t> columns, std::span<const double> values,
           EncodedRow& out) const;

  /// What a feature by the columns is.
  struct Role {
    enum class Kind { number, level, sign, other } kind = Kind::other;
    std::size_t index = 0;  ///< of the number or the first level
  };

  // What the rows are made by, for programs that make them elsewhere.
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
  std::vector<double> whitening_columns_;  // one after the other
  double category_;                        // scales of features
  double curve_;
};

/// Numbers of a record in standard deviations, cut: what a feature by a released standard says.
[[nodiscard]] double in_stddevs(double feature);

}  // namespace tacet::data
