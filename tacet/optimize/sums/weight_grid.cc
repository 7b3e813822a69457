#include "tacet/optimize/sums/weight_grid.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/data/dataset.h"

namespace tacet::optimize {

GridWeights to_grid(std::span<const double> weights, double norm_bound) {
  double largest = 0;
  for (const double w : weights) largest = std::max(largest, std::fabs(w));
  if (!std::isfinite(largest)) throw base::InternalError("weights must be finite");
  GridWeights grid;
  grid.integers.resize(weights.size());
  if (largest == 0) return grid;

  double square = 0;
  for (const double w : weights) square += (w / largest) * (w / largest);
  // Every partial sum of |integers[j] row[j]| is at most |w| |row| / scale by Cauchy and Schwarz
  // (absolute values leave both norms alone). Rounding adds at most sqrt(d) / 2 to the first norm.
  // One bit of the 53 is left for that and for the rounding of this computation.
  const double weight_norm = largest * std::sqrt(square);
  const double row_norm = data::Dataset::feature_scale * norm_bound;
  const int bits = 51 - std::ilogb(weight_norm) - 1 - std::ilogb(row_norm) - 1;
  const int usable = std::clamp(bits, -1000, 1000);
  // Multiplying by a power of two is exact. Integers of at most 2^51, as they are for rows that
  // hold anything, are rounded to by adding and subtracting 1.5 * 2^52, several at a time.
  const double factor = std::ldexp(1.0, usable);
  constexpr double shift = 0x1.8p52;
  const bool small = row_norm >= 2;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double scaled = weights[j] * factor;
    grid.integers[j] = small ? (scaled + shift) - shift : std::nearbyint(scaled);
  }
  grid.scale = std::ldexp(1.0 / data::Dataset::feature_scale, -usable);
  return grid;
}

}  // namespace tacet::optimize
