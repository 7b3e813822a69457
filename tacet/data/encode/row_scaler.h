#pragma once

#include <cstdint>
#include <span>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The step that all formats share: turns raw features into the certified integer row.
class RowScaler {
 public:
  explicit RowScaler(const Schema& schema);

  /// `values` must be finite. `columns` must ascend strictly and leave out the intercept, which is
  /// appended here. Replaces the features of `row`; zeros are dropped.
  void scale(std::span<const std::uint32_t> columns, std::span<const double> values,
             EncodedRow& row) const;

 private:
  [[nodiscard]] double factor(std::span<const double> values) const;
  /// Truncates to the grid and returns the exact squared norm.
  std::int64_t truncate(std::span<const std::uint32_t> columns, std::span<const double> values,
                        double factor, EncodedRow& row) const;

  bool intercept_;
  bool scales_;
  bool keeps_plain_;  // features, for rows that are packed
  double constant_;   // of the intercept
  std::uint32_t intercept_column_;
  double largest_factor_;  // 1 for clip1, 1 over the largest norm for const
  std::int64_t squared_norm_bound_;
};

}  // namespace tacet::data
