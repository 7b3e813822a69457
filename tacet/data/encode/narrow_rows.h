#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/projection_map.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The last step of every encoder: rows of all columns become those of the columns that the
/// schema's projection or its list of selected columns leaves.
///
/// A function of one row and of public facts, carried out in the stored integers. A projected row
/// is truncated toward zero and scaled down where it is longer than the rows' bound, so that the
/// bound holds for every row and every projection, and no failure probability enters any guarantee
/// (docs/proofs/projection.md). The intercept is divided by the projection's room alone.
///
/// A text is the set of its kept words, as long as all of its words were; other selected columns
/// keep their values. Not for several threads at once.
class NarrowRows {
 public:
  explicit NarrowRows(const Schema& schema);

  /// Replaces the features of a certified row of all columns.
  void narrow(EncodedRow& row);

 private:
  void keep(EncodedRow& row);
  /// Scales the words of texts from what they are to the length that they had.
  void restore_texts(const EncodedRow& row);
  void project(EncodedRow& row);
  /// `reals_` as integers within the bound that the intercept leaves, behind which it is appended.
  void certify(EncodedRow& row, std::int16_t intercept);
  void sketch(const EncodedRow& row, std::size_t features);
  void transform(const EncodedRow& row, std::size_t features);

  bool intercept_;
  std::uint32_t intercept_column_;  // among all columns
  std::int64_t squared_norm_bound_;
  std::optional<ProjectionMap> map_;
  std::vector<std::uint32_t> retained_;  // of all columns; empty unless some are kept
  std::vector<ColumnRange> texts_;       // of all columns; where some are kept
  std::vector<std::pair<std::uint32_t, std::int16_t>> kept_;  // columns before, values
  std::vector<std::pair<std::uint32_t, double>> reals_;
  std::vector<double> values_;
  std::vector<double> image_;
};

/// Rows of all columns as those of the schema's kept ones; labels and units stay. Records that are
/// given away are freed as they are read.
[[nodiscard]] Dataset keep_columns(const Dataset& dataset, const Schema& narrowed);
[[nodiscard]] Dataset keep_columns(Dataset&& dataset, const Schema& narrowed);

}  // namespace tacet::data
