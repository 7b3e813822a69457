#include "tacet/optimize/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::optimize {

std::int32_t scalar_bound(int norm_bits, std::int64_t squared_norm) {
  if (squared_norm <= 0) return 0;
  const std::int64_t square = (std::int64_t{1} << (2 * norm_bits)) / squared_norm;
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return static_cast<std::int32_t>(root);
}

double clamp_scalar(double scalar, std::int32_t bound) {
  if (!std::isfinite(scalar)) return 0;
  const double limit = bound;
  // Adding and subtracting 1.5 * 2^52 rounds to the nearest integer; |scalar| <= 2^30 here.
  constexpr double shift = 0x1.8p52;
  return (std::clamp(scalar, -limit, limit) + shift) - shift;
}

double checked_clipping_norm(const ContributionLimit& limit) {
  if (!(limit.clipping_norm > 0) || !std::isfinite(limit.clipping_norm)) {
    throw base::UsageError(
        fmt::format("the clipping norm must be positive and finite, got {}", limit.clipping_norm));
  }
  if (limit.norm_bits < 14 || limit.norm_bits > 30) {
    throw base::UsageError(
        fmt::format("the clipping norm must be 2^14 to 2^30 grid units, got 2^{}; fewer steps or "
                    "a larger epsilon need less noise and leave a finer grid",
                    limit.norm_bits));
  }
  int exponent = 0;
  const double mantissa = std::frexp(limit.clipping_norm, &exponent);
  return std::ldexp(std::floor(std::ldexp(mantissa, 24)), exponent - 24);
}

}  // namespace tacet::optimize
