#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace tacet::optimize {

/// A grid for weights, so fine that nobody sees it and so coarse that their inner product with
/// every row of a data set is exact in double arithmetic, in any order.
struct WeightGrid {
  double factor = 0;  ///< weight w is the integer nearest to factor * w; a power of two
  double scale = 1;   ///< turns an exact sum of integers times a row's integers into <w, x>
  bool small = true;  ///< the integers are at most 2^51

  /// Ties go to the even one.
  [[nodiscard]] double integer(double weight) const {
    const double scaled = weight * factor;
    // Adding and subtracting 1.5 * 2^52 rounds numbers up to 2^51, several at a time.
    constexpr double shift = 0x1.8p52;
    return small ? (scaled + shift) - shift : std::nearbyint(scaled);
  }
};

/// For rows whose integers have norm at most 2048 * norm_bound. InternalError unless the weights
/// are finite.
[[nodiscard]] WeightGrid weight_grid(std::span<const double> weights, double norm_bound);

/// Weights rounded to such a grid.
struct GridWeights {
  std::vector<double> integers;  ///< weight j is integers[j] * scale * 2048
  double scale = 1;              ///< as of the grid
};

[[nodiscard]] GridWeights to_grid(std::span<const double> weights, double norm_bound);

}  // namespace tacet::optimize
