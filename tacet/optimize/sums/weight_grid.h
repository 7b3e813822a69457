#pragma once

#include <span>
#include <vector>

namespace tacet::optimize {

/// Weights rounded to a grid so fine that nobody sees it and so coarse that their inner product
/// with every row of a data set is exact in double arithmetic, in any order.
struct GridWeights {
  std::vector<double> integers;  ///< weight j is integers[j] * scale * 2048
  double scale = 1;              ///< turns an exact sum of integers[j] * row[j] into <w, x>
};

/// For rows whose integers have norm at most 2048 * norm_bound. The weights must be finite.
[[nodiscard]] GridWeights to_grid(std::span<const double> weights, double norm_bound);

}  // namespace tacet::optimize
