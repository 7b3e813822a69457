#include "tacet/optimize/sums/design_row.h"

#include <algorithm>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace {

constexpr std::int32_t feature_units = data::Dataset::feature_scale;

/// To the nearest unit, halves away from zero: a product is as long as its factors allow.
std::int32_t feature_product(std::int32_t a, std::int32_t b) {
  const std::int32_t doubled = 2 * a * b;
  return (doubled + (doubled < 0 ? -feature_units : feature_units)) / (2 * feature_units);
}

}  // namespace

DesignRows::DesignRows(const data::Dataset& dataset, const Design& design)
    : dataset_(dataset), design_(design) {
  const auto check = [&](std::int64_t end) {
    if (end > dataset.columns()) {
      throw base::UsageError("a design reads column {} of records of {} columns", end - 1,
                             dataset.columns());
    }
  };
  for (const auto& column : design.columns) {
    for (const auto factor : column.factors) check(std::int64_t{factor} + 1);
  }
  for (const auto column : design.absent) check(std::int64_t{column} + 1);
  for (const auto& range : design.present) check(range.second);
  for (std::size_t j = 0; j < design.columns.size(); ++j) {
    const auto& factors = design.columns[j].factors;
    if (factors.size() == 1) {
      copies_.emplace_back(j, factors.front());
    } else {
      products_.push_back(j);
    }
  }
  if (dataset.sparse()) stored_.resize(static_cast<std::size_t>(dataset.columns()), 0);
}

bool DesignRows::complete(std::span<const std::int16_t> stored) const {
  const auto there = [&](std::uint32_t column) { return stored[column] != 0; };
  if (std::ranges::any_of(design_.absent, there)) return false;
  return std::ranges::all_of(design_.present, [&](const data::ColumnRange& range) {
    const auto part = stored.subspan(range.first, range.second - range.first);
    return std::ranges::any_of(part, [](std::int16_t value) { return value != 0; });
  });
}

bool DesignRows::read(std::int64_t record, std::span<std::int16_t> row) {
  std::span<const std::int16_t> stored;
  if (dataset_.sparse()) {
    std::ranges::fill(stored_, std::int16_t{0});
    const auto sparse = dataset_.sparse_row(record);
    for (std::size_t k = 0; k < sparse.columns.size(); ++k) {
      stored_[sparse.columns[k]] = sparse.values[k];
    }
    stored = stored_;
  } else {
    stored = dataset_.dense_row(record);
  }
  if (!dataset_.labelled(record) || !complete(stored)) {
    std::ranges::fill(row, std::int16_t{0});
    return false;
  }
  // Most columns are a stored one as it is: the constant times it would be the same integer.
  for (const auto& [j, column] : copies_) row[j] = stored[column];
  for (const auto j : products_) {
    std::int32_t value = feature_units;
    for (const auto factor : design_.columns[j].factors)
      value = feature_product(value, stored[factor]);
    row[j] = static_cast<std::int16_t>(value);
  }
  return true;
}

}  // namespace tacet::optimize
