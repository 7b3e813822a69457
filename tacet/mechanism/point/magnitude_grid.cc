#include "tacet/mechanism/point/magnitude_grid.h"

#include <algorithm>
#include <cmath>

namespace tacet::mechanism {
namespace {

constexpr std::int64_t grid_steps = 32;  // between powers of two
constexpr int min_exponent = -30;
constexpr std::int64_t grid_middle = (magnitude_ranks - 1) / 2;

}  // namespace

std::int64_t magnitude_rank(double value) {
  const double size = std::fabs(value);
  if (!(size >= std::ldexp(1.0, min_exponent))) return grid_middle;
  const double last = magnitude_point(magnitude_ranks - 1);
  if (size >= last) return value < 0 ? 0 : magnitude_ranks - 1;
  const int exponent = std::ilogb(size);
  const double fraction = std::ldexp(size, -exponent) - 1;
  const std::int64_t place = (exponent - min_exponent) * grid_steps + 1 +
                             std::llround(fraction * static_cast<double>(grid_steps));
  return value < 0 ? grid_middle - place : grid_middle + place;
}

double magnitude_point(std::int64_t rank) {
  const std::int64_t offset = std::clamp<std::int64_t>(rank, 0, magnitude_ranks - 1) - grid_middle;
  if (offset == 0) return 0;
  const std::int64_t place = std::abs(offset) - 1;
  const double fraction =
      1 + static_cast<double>(place % grid_steps) / static_cast<double>(grid_steps);
  const double size = std::ldexp(fraction, static_cast<int>(place / grid_steps) + min_exponent);
  return offset < 0 ? -size : size;
}

}  // namespace tacet::mechanism
