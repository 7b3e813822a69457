#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// Sums over rows of small integers, in doubles that hold nothing but integers.
///
/// As long as every partial sum stays below 2^53 these sums are exact, so their value depends on
/// no order, vector width, fused multiplication or number of threads: results are the same bits
/// on every machine. Callers choose the weights' grid so that the bound holds.
namespace tacet::numeric {

/// sums[r] = sum_j rows[r][j] * weights[j] for every row of `weights.size()` integers.
/// Exact if |weights| are integers with sum_j |rows[r][j] weights[j]| < 2^53.
void exact_dots(std::span<const std::int16_t* const> rows, std::span<const double> weights,
                std::span<double> sums);

/// sums[j] += sum_r factors[r] * rows[r][j]. Exact if factors are integers and the sum over any of
/// the rows stays below 2^53.
void add_exact_multiples(std::span<const std::int16_t* const> rows, std::span<const double> factors,
                         std::span<double> sums);

/// The name of the instruction set on which these functions run here, for reports.
[[nodiscard]] std::string_view kernel_target();

}  // namespace tacet::numeric

/// Sums over rows of floats or doubles that round, with the same bits on every machine: entry j of
/// a row goes to lane j modulo the lanes of two cache lines, lanes are joined in one fixed order,
/// and no multiplication is fused with an addition. For rows of integers there are exact sums
/// above.
///
/// Instances for float and double exist.
namespace tacet::numeric {

/// sums[r] = sum_j rows[r][j] vector[j] for every row, of vector.size() numbers.
template <class Real>
void row_dots(std::span<const Real* const> rows, std::span<const Real> vector,
              std::span<Real> sums);

/// sum[j] += sum_r factors[r] rows[r][j], row after row.
template <class Real>
void add_row_multiples(std::span<const Real* const> rows, std::span<const Real> factors,
                       std::span<Real> sum);

/// out[j] = a x[j] + b y[j].
template <class Real>
void combine_rows(Real a, std::span<const Real> x, Real b, std::span<const Real> y,
                  std::span<Real> out);

}  // namespace tacet::numeric

/// Sums over rows of small integers of which few are not 0. They are exact under the same condition
/// as the sums above, and so have the same bits in any order and on every machine.
namespace tacet::numeric {

/// The entries of a row other than 0: values, and their columns in the same order.
struct SparseIntegers {
  std::span<const std::uint32_t> columns;
  std::span<const std::int16_t> values;
};

/// sums[r] = sum_k rows[r].values[k] * weights[rows[r].columns[k]] for every row.
/// Exact if the weights are integers and the sum of the products' sizes stays below 2^53.
void exact_sparse_dots(std::span<const SparseIntegers> rows, std::span<const double> weights,
                       std::span<double> sums);

/// sums[rows[r].columns[k]] += factors[r] * rows[r].values[k] for every row, in integers; factors
/// are integers below 2^47, and the sums have to fit 64 bits. The columns of a row must differ.
void add_sparse_multiples(std::span<const SparseIntegers> rows, std::span<const double> factors,
                          std::span<std::int64_t> sums);

/// out[j] = integers[j] unit, rounded to a double: the same bits on every machine. Both spans have
/// the same size. `past_caches` writes past the caches: use it for results that are larger than the
/// caches, which otherwise would be read before they are written.
void scale_integers(std::span<const std::int64_t> integers, double unit, std::span<double> out,
                    bool past_caches = false);

}  // namespace tacet::numeric
