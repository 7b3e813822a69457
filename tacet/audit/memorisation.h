#pragma once

#include <array>
#include <cstdint>
#include <span>

/// Whether ranks of inserted phrases are those of phrases that were not: Zhang, Mironov, Hejazinia
/// (2021), section 6.5, after Carlini and others (2019). What is found is no bound of epsilon in
/// either direction.
namespace tacet::audit {

/// Ranks out of `others`, in ten bins.
struct RankTest {
  std::array<double, 10> shares{};  ///< of the ranks in each bin
  double distance = 0;              ///< sum of (share - 1/10)^2 / (1/10)
  double p_value = 1;               ///< of chi-square, 9 degrees: that ranks are uniform
  double mean_exposure = 0;         ///< mean of log2(others) - log2(others + 1 - rank), in bits
};

/// Tests ranks between 0 and `others`. UsageError if there is no rank, or one is out of range.
[[nodiscard]] RankTest test_ranks(std::span<const std::int64_t> ranks, std::int64_t others);

/// P(X >= x) of chi-square with nine degrees of freedom.
[[nodiscard]] double chi_square_9_tail(double x);

}  // namespace tacet::audit
