#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/projection_map.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The last step of every encoder: maps a row of all columns to a row with fewer columns, by the
/// schema's projection or by its list of selected columns.
///
/// The map depends on one row and on public facts, and works on the stored integers. A projected
/// row is truncated toward zero, and scaled down if it is longer than the bound of rows. So the
/// bound holds for every row and every projection, and no failure probability enters any guarantee
/// (docs/proofs/projection.md). The intercept is not projected, only divided by the projection's
/// `room`.
///
/// The selected words of a text are scaled to the norm that all of its words had; other selected
/// columns keep their values. Not for several threads at once.
class NarrowRows {
 public:
  explicit NarrowRows(const Schema& schema);

  /// Replaces the features of a certified row of all columns.
  void narrow(EncodedRow& row);

 private:
  void keep(EncodedRow& row);
  /// Scales the selected words of each text to the norm that all of its words had.
  void restore_texts(const EncodedRow& row);
  void project(EncodedRow& row);
  /// Rounds `reals_` to integers within the bound that the intercept leaves, and appends the
  /// intercept.
  void certify(EncodedRow& row, std::int16_t intercept);
  void sketch(const EncodedRow& row, std::size_t features);
  void transform(const EncodedRow& row, std::size_t features);

  bool intercept_;
  std::uint32_t intercept_column_;  // index among all columns
  std::int64_t squared_norm_bound_;
  std::optional<ProjectionMap> map_;
  // indices among all columns; empty unless columns are selected
  std::vector<std::uint32_t> retained_;
  std::vector<ColumnRange> texts_;  // ranges among all columns, if columns are selected
  std::vector<std::pair<std::uint32_t, std::int16_t>> kept_;  // columns before, values
  std::vector<std::pair<std::uint32_t, double>> reals_;
  std::vector<double> values_;
  std::vector<double> image_;
};

/// The data set with the columns that `narrowed` selects; labels and units stay. The second form
/// frees records as it reads them.
[[nodiscard]] Dataset keep_columns(const Dataset& dataset, const Schema& narrowed);
[[nodiscard]] Dataset keep_columns(Dataset&& dataset, const Schema& narrowed);

}  // namespace tacet::data
