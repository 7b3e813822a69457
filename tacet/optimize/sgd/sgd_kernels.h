#pragma once

#include <cstdint>
#include <span>

#include "tacet/data/dataset.h"

/// The inner loops of stochastic gradient descent on one row of small integers at a time.
///
/// Sums run over 32 lanes (column j belongs to lane j mod 32), which are joined in one fixed order,
/// without fused multiplications: the same bits on every machine, and for the dense and the sparse
/// form of a row. Unlike numeric::exact_dots they round. `weights`, `mean` and `target` may be
/// longer than a dense row; for row_dot and advance they must reach to the next multiple of
/// row_padding.
namespace tacet::optimize::internal {

/// Weights of dense rows stand in memory that is filled up with zeros to a multiple of this.
constexpr std::size_t row_padding = 8;

/// sum_j row[j] weights[j].
[[nodiscard]] double row_dot(std::span<const std::int16_t> row, std::span<const double> weights);
[[nodiscard]] double row_dot(const data::SparseRow& row, std::span<const double> weights);

/// target[j] -= factor row[j].
void subtract_row(std::span<const std::int16_t> row, double factor, std::span<double> target);
void subtract_row(const data::SparseRow& row, double factor, std::span<double> target);

/// The row in doubles, `values`, which reaches to the next multiple of row_padding.
void expand_row(std::span<const std::int16_t> row, std::span<double> values);

/// A step and the next prediction in one pass over memory: with the row in `values`,
/// weights[j] -= factor values[j] and mean[j] -= mean_factor values[j]; then `values` becomes the
/// next row. Returns row_dot(next, weights).
[[nodiscard]] double advance(std::span<double> values, double factor, double mean_factor,
                             std::span<double> weights, std::span<double> mean,
                             std::span<const std::int16_t> next);

}  // namespace tacet::optimize::internal
