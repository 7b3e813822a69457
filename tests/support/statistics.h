#pragma once

#include <cstdint>
#include <span>

namespace tacet::test {

/// False-alarm rate of every random test, unless a test states its own.
constexpr double false_alarm_rate = 1e-9;

/// Upper tail probability of Pearson's chi-square statistic for observed counts against expected
/// ones (same total up to rounding; cells with expectation below 20 are the caller's to merge).
[[nodiscard]] double chi_square_p_value(std::span<const std::int64_t> observed,
                                        std::span<const double> expected);

/// Two-sided p-value of a value that is standard normal under the hypothesis.
[[nodiscard]] double normal_p_value(double standardised);

}  // namespace tacet::test
