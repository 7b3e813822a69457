#pragma once

#include <cstdint>
#include <span>

/// Sums over rows of small integers of which few are not 0. As exact as those of kernels.h, for the
/// same reason: the same bits in any order and on every machine.
namespace tacet::numeric {

/// What of a row is not 0: values and their columns, as many.
struct SparseIntegers {
  std::span<const std::uint32_t> columns;
  std::span<const std::int16_t> values;
};

/// sums[r] = sum_k rows[r].values[k] * weights[rows[r].columns[k]] for every row.
/// Exact if the weights are integers and the sum of the products' sizes stays below 2^53.
void exact_sparse_dots(std::span<const SparseIntegers> rows, std::span<const double> weights,
                       std::span<double> sums);

/// sums[rows[r].columns[k]] += factors[r] * rows[r].values[k] for every row, in integers; factors
/// are integers below 2^47, and the sums have to fit 64 bits. Columns of a row differ.
void add_sparse_multiples(std::span<const SparseIntegers> rows, std::span<const double> factors,
                          std::span<std::int64_t> sums);

}  // namespace tacet::numeric
