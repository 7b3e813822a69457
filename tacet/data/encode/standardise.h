#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/curve_rows.h"
#include "tacet/data/encode/row_scaler.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/data/schema/schema.h"

/// Records are read once with their public bounds. They are transformed in memory as soon as the
/// means and standard deviations of their numbers, or the scales of their categories, are released.
namespace tacet::data {

/// The schema for that first reading: every number as 2 v - 1, without hat functions, scales and
/// row scaling.
[[nodiscard]] Schema raw_schema(const Schema& schema);

/// The encoded features of numeric columns, in order.
[[nodiscard]] std::vector<std::size_t> numeric_features(const Schema& schema);

/// The encoded features of categorical columns that have one feature per category, in order.
[[nodiscard]] std::vector<ColumnRange> category_features(const Schema& schema);

/// Converts rows of the raw schema to rows of the same schema with its standards. Not for several
/// threads at once.
class RawRows {
 public:
  explicit RawRows(const Schema& standardised);

  /// Its features before the row's scaling, without the constant.
  void features(const Dataset& raw, std::int64_t row, PlainFeatures& out);
  /// Its features.
  void transform(const Dataset& raw, std::int64_t row, EncodedRow& out);

 private:
  /// A column: the place of its features, and how a number becomes features.
  struct Part {
    std::uint32_t raw_first;
    std::uint32_t raw_end;
    std::uint32_t first;
    std::uint32_t hat_functions;  // which raw rows lack
    std::optional<NumericMap> number;
    std::vector<double> scales;  // of categories; empty: 1
  };

  void add_number(const Part& part, double share, PlainFeatures& out);
  void read(const Dataset& raw, std::int64_t row);

  std::vector<Part> parts_;
  RowScaler scaler_;
  // the raw row's features other than 0; then those of the new row
  std::vector<std::pair<std::uint32_t, double>> raw_;
  PlainFeatures plain_;
};

/// Converts all records; labels and units stay. If `raw` is moved in, its records are freed as they
/// are read, so that each is held only once.
[[nodiscard]] Dataset transform(const Dataset& raw, const Schema& standardised);
[[nodiscard]] Dataset transform(Dataset&& raw, const Schema& standardised);

}  // namespace tacet::data
