#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"

/// The rows of a regression, made of the stored rows of a data set: some of its columns, products
/// of them, and only of records that are complete.
namespace tacet::optimize {

/// A product of stored columns; of none: the constant 1.
struct DesignColumn {
  std::vector<std::uint32_t> factors{};
};

struct Design {
  std::vector<DesignColumn> columns{};
  /// A record in which one of these stored columns is not 0 lacks a value, and has no row.
  std::vector<std::uint32_t> absent{};
  /// A record in which all stored columns of one of these ranges are 0 lacks a value, and has no
  /// row.
  std::vector<data::ColumnRange> present{};
};

/// Reads rows of a design, integers in units of 1 / Dataset::feature_scale: as a stored feature, at
/// most feature_scale in size. Not for several threads at once.
class DesignRows {
 public:
  /// UsageError where a column is none of the data set's. Both must outlive it.
  DesignRows(const data::Dataset& dataset, const Design& design);

  /// The row of a record; false, and all zeros, where the record lacks a value or has no target.
  bool read(std::int64_t record, std::span<std::int16_t> row);

 private:
  [[nodiscard]] bool complete(std::span<const std::int16_t> stored) const;

  const data::Dataset& dataset_;
  const Design& design_;
  std::vector<std::pair<std::size_t, std::uint32_t>> copies_;  // columns that are a stored one
  std::vector<std::size_t> products_;                          // all others
  std::vector<std::int16_t> stored_;                           // of a sparse row
};

}  // namespace tacet::optimize
