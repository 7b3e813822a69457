#pragma once

#include <span>

/// Sums over rows of floats or doubles that round, with the same bits on every machine: entry j
/// of a row goes to lane j modulo the lanes of two cache lines, lanes are joined in one fixed
/// order, and no multiplication is fused with an addition. Of rows of integers there are exact
/// ones (kernels.h).
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
