#include "tacet/data/encode/row_scaler.h"

#include <algorithm>
#include <cmath>

namespace tacet::data {
namespace {

// Shrinks a row that truncation left just above its bound, by far more than the rounding errors
// that can have put it there.
constexpr double shrink = 1 - 0x1p-30;

}  // namespace

RowScaler::RowScaler(const Schema& schema)
    : intercept_(schema.intercept),
      scales_(schema.row_scaling != RowScaling::none),
      keeps_plain_(!schema.shape().hats.empty()),
      constant_(schema.constant),
      intercept_column_(static_cast<std::uint32_t>(schema.full_column_count() - 1)),
      largest_factor_(schema.row_scaling == RowScaling::constant_root
                          ? 1.0 / std::sqrt(schema.unscaled_square())
                          : 1.0),
      squared_norm_bound_(Dataset(schema.shape()).squared_norm_bound()) {}

double RowScaler::factor(std::span<const double> values) const {
  if (!scales_) return 1;
  double squared = intercept_ ? constant_ * constant_ : 0.0;
  for (const double value : values) squared += value * value;
  // A row whose norm is NaN or too large becomes a row of zeros.
  constexpr double largest = 1e300;
  if (!(squared <= largest)) return 0;
  // A row may have more blocks than the public count says. The norm's bound holds all the same.
  return squared > 1 ? std::min(largest_factor_, 1 / std::sqrt(squared)) : largest_factor_;
}

std::int64_t RowScaler::truncate(std::span<const std::uint32_t> columns,
                                 std::span<const double> values, double factor,
                                 EncodedRow& row) const {
  row.columns.resize(values.size() + 1);
  row.values.resize(values.size() + 1);
  std::int64_t squared = 0;
  std::size_t count = 0;
  const double scale = factor * Dataset::feature_scale;
  row.scale = scale;
  const auto add = [&](std::uint32_t column, double value) {
    const double scaled = value * scale;
    const auto integer =
        std::isfinite(scaled) ? static_cast<std::int32_t>(scaled) : 0;  // toward zero
    row.columns[count] = column;
    row.values[count] = static_cast<std::int16_t>(integer);
    count += integer != 0 ? 1 : 0;  // a zero is overwritten by the next value
    squared += integer * integer;
  };
  for (std::size_t k = 0; k < values.size(); ++k) add(columns[k], values[k]);
  if (intercept_) add(intercept_column_, constant_);
  row.columns.resize(count);
  row.values.resize(count);
  return squared;
}

void RowScaler::scale(std::span<const std::uint32_t> columns, std::span<const double> values,
                      EncodedRow& row) const {
  double scale = factor(values);
  while (truncate(columns, values, scale, row) > squared_norm_bound_) scale *= shrink;
  if (!keeps_plain_) return;
  row.plain_columns.assign(columns.begin(), columns.end());
  row.plain_values.assign(values.begin(), values.end());
  if (!intercept_) return;
  row.plain_columns.push_back(intercept_column_);
  row.plain_values.push_back(constant_);
}

}  // namespace tacet::data
