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

/// The instruction set the two functions run on here, for reports.
[[nodiscard]] std::string_view kernel_target();

}  // namespace tacet::numeric
