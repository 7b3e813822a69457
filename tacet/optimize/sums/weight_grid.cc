#include "tacet/optimize/sums/weight_grid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/data/dataset.h"

namespace tacet::optimize {
namespace {

// The binary exponent of the norm, 0 for no weights but zeros.
struct NormExponent {
  bool zero = false;
  int value = 0;
};

NormExponent slow_norm_exponent(std::span<const double> weights) {
  double largest = 0;
  for (const double w : weights) largest = std::max(largest, std::fabs(w));
  if (largest == 0) return {true, 0};
  double square = 0;
  for (const double w : weights) square += (w / largest) * (w / largest);
  if (!std::isfinite(largest) || std::isnan(square)) {
    throw base::InternalError("weights must be finite");
  }
  return {false, std::ilogb(largest * std::sqrt(square))};
}

// Several sums at once, without divisions, answer wherever they are sure to agree with the above:
// their error, like that of the other sum, is below 2^32 * 2^-53 of the norm.
NormExponent norm_exponent(std::span<const double> weights) {
  std::array<double, 8> sums{};
  const std::size_t whole = weights.size() / sums.size() * sums.size();
  for (std::size_t j = 0; j < whole; j += sums.size()) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += weights[j + k] * weights[j + k];
  }
  for (std::size_t j = whole; j < weights.size(); ++j) sums[0] += weights[j] * weights[j];
  double square = 0;
  for (const double sum : sums) square += sum;
  if (!(square > 1e-200 && square < 1e200)) return slow_norm_exponent(weights);
  const double norm = std::sqrt(square);
  const int exponent = std::ilogb(norm);
  constexpr double margin = 1e-5;
  const double mantissa = std::ldexp(norm, -exponent);
  const bool sure = mantissa > 1 + margin && mantissa < 2 - margin;
  return sure ? NormExponent{false, exponent} : slow_norm_exponent(weights);
}

}  // namespace

WeightGrid weight_grid(std::span<const double> weights, double norm_bound) {
  const auto norm = norm_exponent(weights);
  if (norm.zero) return {};
  // Every partial sum of |integers[j] row[j]| is at most |w| |row| / scale by Cauchy and Schwarz
  // (absolute values leave both norms alone). Rounding adds at most sqrt(d) / 2 to the first norm.
  // One bit of the 53 is left for that and for the rounding of this computation.
  const double row_norm = data::Dataset::feature_scale * norm_bound;
  const int bits = 51 - norm.value - 1 - std::ilogb(row_norm) - 1;
  const int usable = std::clamp(bits, -1000, 1000);
  // Multiplying by a power of two is exact. Integers are at most 2^51 for rows that hold anything.
  return {.factor = std::ldexp(1.0, usable),
          .scale = std::ldexp(1.0 / data::Dataset::feature_scale, -usable),
          .small = row_norm >= 2};
}

GridWeights to_grid(std::span<const double> weights, double norm_bound) {
  const auto grid = weight_grid(weights, norm_bound);
  GridWeights result{std::vector<double>(weights.size()), grid.scale};
  for (std::size_t j = 0; j < weights.size(); ++j) {
    result.integers[j] = grid.integer(weights[j]);
  }
  return result;
}

}  // namespace tacet::optimize
