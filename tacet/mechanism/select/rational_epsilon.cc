#include "tacet/mechanism/select/rational_epsilon.h"

#include <cmath>

#include "tacet/base/error.h"

namespace tacet::mechanism {
namespace {

__extension__ using Wide = unsigned __int128;

/// p / 2^64 with 0 <= p < 2^64: the part of epsilon below its whole number, exact since epsilon is
/// at least 2^-20 and a double has 53 bits (2^-72 at the finest is cut off downwards).
struct Target {
  std::uint64_t fraction;

  /// a / b <= target.
  [[nodiscard]] bool reaches(std::uint64_t a, std::uint64_t b) const {
    return Wide{a} << 64 <= Wide{fraction} * b;
  }
};

/// How many times in a row, at most `max`, `step` may be taken while `holds` stays true.
template <typename Holds>
std::uint64_t longest_run(std::uint64_t max, const Holds& holds) {
  std::uint64_t low = 0;
  std::uint64_t high = max;
  while (low < high) {
    const std::uint64_t middle = high - (high - low) / 2;
    if (holds(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

RationalEpsilon round_down(privacy::Epsilon epsilon) {
  const double value = epsilon.value();
  if (!(value >= smallest_epsilon && value <= largest_epsilon)) {
    throw base::UsageError("epsilon of an exact mechanism must lie in [2^-20, 2^20], got {}",
                           value);
  }
  const double whole = std::floor(value);
  const Target target{static_cast<std::uint64_t>(std::ldexp(value - whole, 64))};
  // Stern-Brocot walk: lower <= target < upper are neighbours, so that the fraction with the
  // smallest denominator between them is their mediant.
  constexpr std::uint64_t max = largest_epsilon_denominator;
  std::uint64_t a = 0;
  std::uint64_t b = 1;
  std::uint64_t c = 1;
  std::uint64_t d = 1;
  while (b + d <= max) {
    if (target.reaches(a + c, b + d)) {
      const auto times = longest_run(
          (max - b) / d, [&](std::uint64_t t) { return target.reaches(a + t * c, b + t * d); });
      a += times * c;
      b += times * d;
    } else {
      const auto times = longest_run(
          (max - d) / b, [&](std::uint64_t t) { return !target.reaches(c + t * a, d + t * b); });
      c += times * a;
      d += times * b;
    }
  }
  return {static_cast<std::uint64_t>(whole) * b + a, b};
}

}  // namespace tacet::mechanism
